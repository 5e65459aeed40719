// SPDX-License-Identifier: GPL-2.0
/*
 * unwind/tracers-N: one system call with N perf events that each want the user stack, of 30 frames;
 * what it takes beyond the same call without them
 *
 * The stack is deferred: walked once, on the way out, and written for each of them.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "bench.h"

#define EVENT		"/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"
#define DEPTH		26	/* and main(), and what measures */
#define RING_PAGES	64
#define MAX_TRACERS	8

static const int tracers[] = { 1, 2, 8 };

static struct perf_event_mmap_page *ring;

static noinline void call(int depth)
{
	if (depth)
		call(depth - 1);
	else
		syscall(SYS_getppid);
	keep_frame();
}

static void one_call(void *unused)
{
	call(DEPTH);
	/* What is not read is overwritten: the ring never fills up. */
	if (ring)
		__atomic_store_n(&ring->data_tail, ring->data_head, __ATOMIC_RELEASE);
}

static int event_open(int id, int output)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1,
		.defer_callchain = 1,
		.defer_output = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -1;
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
	call(DEPTH);
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

int main(void)
{
	struct figure alone;
	char name[32], text[16];
	int fds[MAX_TRACERS];

	bench_init();
	must(bench_read(EVENT, text, sizeof(text)) > 0, EVENT);
	alone = bench_raw(one_call, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tracers); i++) {
		int n, stacks = 0, frames = 0, opened;

		snprintf(name, sizeof(name), "unwind/tracers-%d", tracers[i]);
		for (n = 0; n < tracers[i]; n++) {
			fds[n] = event_open(atoi(text), n ? fds[0] : -1);
			if (fds[n] < 0)
				break;
		}
		opened = n;
		if (opened == tracers[i])
			frames = deferred_frames(&stacks);
		if (opened < tracers[i] || !stacks)
			bench_null(name,
				   "the kernel does not defer user stacks on this architecture");
		else if (frames < DEPTH || stacks != tracers[i])
			fatal("%s: %d stacks of %d frames", name, stacks, frames);
		else
			bench_report(name, bench_beyond(one_call, NULL, alone));
		for (n = 0; n < opened; n++)
			close(fds[n]);
		if (ring)
			munmap(ring, (1 + RING_PAGES) * getpagesize());
		ring = NULL;
	}
	return 0;
}
