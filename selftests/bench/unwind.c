// SPDX-License-Identifier: GPL-2.0
/*
 * unwind/tracers-N: one system call with N perf events that each want the user stack, of 20 frames;
 * what it takes beyond the same call without them
 * unwind/walk-20f: what 20 frames more take if the stack is walked, but written nowhere
 *
 * The stack is deferred: walked once, on the way out, and written for each of them. So each further
 * tracer takes (tracers-8 - tracers-1) / 7, which is to be compared with walk-20f.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "bench.h"

#define EVENT		"/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"
#define FRAMES		20
#define MIN_FRAMES	3
#define RING_PAGES	64
#define MAX_TRACERS	8

static const int tracers[] = { 1, 2, 8 };

static struct perf_event_mmap_page *ring;

static void one_call(void *frames)
{
	bench_stack((long)frames);
	/* What is not read is overwritten: the ring never fills up. */
	if (ring)
		__atomic_store_n(&ring->data_tail, ring->data_head, __ATOMIC_RELEASE);
}

static int event_open(int id, int output, bool write)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1,
		.defer_callchain = 1,
		.defer_output = write,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	must(fd >= 0, "perf_event_open");
	if (output >= 0) {
		must(!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, output), "SET_OUTPUT");
		return fd;
	}
	ring = mmap(NULL, (1 + RING_PAGES) * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	must(ring != MAP_FAILED, "mmap");
	return fd;
}

/* The frames of the deferred stack that one call leaves in the ring, and how many such stacks */
static int deferred_frames(int *stacks)
{
	uint64_t from = ring->data_head, to, frames = 0;
	const char *data = (char *)ring + ring->data_offset;

	*stacks = 0;
	bench_stack(FRAMES);
	for (to = ring->data_head; from < to; ) {
		const struct perf_event_header *h = (void *)(data + from % ring->data_size);
		const uint64_t *p = (void *)(h + 1);	/* cookie, number, addresses */

		if (h->type == PERF_RECORD_CALLCHAIN_DEFERRED) {
			frames = p[1];
			++*stacks;
		}
		from += h->size;
	}
	ring->data_tail = to;
	return frames;
}

/*
 * Without it, perf takes the events, and walks the stack at once. So it does if a request is refused,
 * which is no lack of the feature.
 */
static bool can_defer(void)
{
	char line[256];
	bool found = false;
	FILE *f = fopen("/proc/kallsyms", "re");

	must(f, "/proc/kallsyms");
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, " unwind_deferred_request\n");
	fclose(f);
	return found;
}

static const char unsupported[] = "the kernel does not defer user stacks on this architecture";

static void close_all(const int *fds, int n)
{
	while (n--)
		close(fds[n]);
	if (ring)
		munmap(ring, (1 + RING_PAGES) * getpagesize());
	ring = NULL;
}

static void bench_tracers(int id, int tracers, struct figure alone)
{
	int stacks, frames, fds[MAX_TRACERS];
	char name[32];

	snprintf(name, sizeof(name), "unwind/tracers-%d", tracers);
	if (!can_defer()) {
		bench_null(name, unsupported);
		return;
	}
	for (int i = 0; i < tracers; i++)
		fds[i] = event_open(id, i ? fds[0] : -1, true);
	frames = deferred_frames(&stacks);
	if (frames != FRAMES || stacks != tracers)
		fatal("%s: %d stacks of %d frames", name, stacks, frames);
	bench_report(name, bench_beyond(one_call, (void *)FRAMES, alone));
	close_all(fds, tracers);
}

static void bench_walk(int id)
{
	void *few = (void *)MIN_FRAMES, *many = (void *)(MIN_FRAMES + FRAMES);
	struct figure less;
	int fd;

	/* The calls themselves */
	less = bench_beyond(one_call, many, bench_raw(one_call, few));

	fd = event_open(id, -1, false);
	less.median += bench_raw(one_call, few).median;
	bench_report("unwind/walk-20f", bench_beyond(one_call, many, less));
	close_all(&fd, 1);
}

int main(void)
{
	struct figure alone;
	char text[16];

	bench_init();
	must(bench_read(EVENT, text, sizeof(text)) > 0, EVENT);
	alone = bench_raw(one_call, (void *)FRAMES);

	for (size_t i = 0; i < ARRAY_SIZE(tracers); i++)
		bench_tracers(atoi(text), tracers[i], alone);
	if (can_defer())
		bench_walk(atoi(text));
	else
		bench_null("unwind/walk-20f", unsupported);
	return 0;
}
