// SPDX-License-Identifier: GPL-2.0
/*
 * buildid/nofault-30f-12t-4files, buildid/sleepable-30f-12t-4files: bpf_get_stack() of a user stack
 * with build IDs, 30 frames in 4 files, with 12 changes from one file to another; what it takes
 * beyond a program that does nothing; buildid/addresses-30f: the same stack without build IDs;
 * buildid/irqs-off-30f-12t-4files: with interrupts disabled, where the mmap lock is given back by an
 * interrupt, which is counted, too
 *
 * buildid/one-cold: PROCMAP_QUERY for the build ID of a file that nobody asked about before; what
 * it takes beyond the same query without a build ID
 *
 * buildid/nofault-one-cold: bpf_get_stack() with build IDs, one frame more, in such a file; what it
 * takes beyond the stack without that frame; buildid/irqs-off-one-cold: the whole stack with
 * that frame, and with interrupts disabled, as the lock may be taken for that frame only; what it
 * takes beyond a program that does nothing
 */
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "files.h"
#include "probe.h"

#define FRAMES		30
#define COLD_FILES	31

/*
 * Make a stack of 13 segments in 4 files: 0 is the program itself, which has the first @own frames
 * without our doing.
 */
static void make_stack(struct chain *c, char **files)
{
	static const char order[] = "0102031020130";
	int own, segment, i;

	c->n = 0;
	own = probe_once("nofault", c) / (int)sizeof(struct bpf_stack_build_id);
	segment = FRAMES / (sizeof(order) - 1);
	if (own < 1 || own > segment + 1)
		fatal("%d frames, where the first segment has %d", own, segment + 1);

	for (i = own; i < FRAMES; i++) {
		segment = i * (int)(sizeof(order) - 1) / FRAMES;
		c->rets[c->n++] = 4 * i +
			(order[segment] == '0' ? (unsigned long)make_stack :
						 (unsigned long)files[order[segment] - '0'] + 4096);
	}
}

/* A figure for work that was not done is none. */
static void check_valid(const char *name, struct chain *c)
{
	long size = probe_once(name, c);

	if (size != FRAMES * (long)sizeof(struct bpf_stack_build_id))
		fatal("%s: %ld bytes, and not %d frames", name, size, FRAMES);
	for (int i = 0; i < FRAMES; i++)
		if (probe_out->stack[i].status != BPF_STACK_BUILD_ID_VALID)
			fatal("%s: frame %d has status %d", name, i, probe_out->stack[i].status);
}

static uint64_t query(int maps, char *addr, bool build_id)
{
	struct procmap_query q = {
		.size = sizeof(q),
		.query_addr = (unsigned long)addr,
	};
	uint64_t t0, t;
	char id[20];

	if (build_id) {
		q.build_id_addr = (unsigned long)id;
		q.build_id_size = sizeof(id);
	}
	t0 = bench_clock();
	must(!ioctl(maps, PROCMAP_QUERY, &q), "PROCMAP_QUERY");
	t = bench_clock() - t0;
	must(!build_id || q.build_id_size == sizeof(id), "a build ID");
	return t;
}

/* That a page was accessed takes effect when a list of the CPU is full, or here. */
static void drain_lists(void)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(page != MAP_FAILED && !madvise(page, getpagesize(), MADV_COLD), "MADV_COLD");
	munmap(page, getpagesize());
}

/*
 * Nobody has asked about these files. They are mapped one after the other, at the same place, so
 * that it takes each time the same to find the mapping.
 */
static void make_cold_files(const char *name)
{
	char path[32], byte;
	int fd;

	make_copies(name, COLD_FILES);
	/* Referenced, active, both: from then on, a read changes nothing */
	for (int pass = 0; pass < 3; pass++) {
		for (int i = 0; i < COLD_FILES; i++) {
			snprintf(path, sizeof(path), "%s-%d", name, i);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			must(pread(fd, &byte, 1, 0) == 1, path);
			close(fd);
		}
		drain_lists();
	}
	sync();
}

static char *map_cold_file(const char *name, int i)
{
	char path[32];

	snprintf(path, sizeof(path), "%s-%d", name, i);
	return map_file(path);
}

/*
 * The least that either takes: what the page cache does besides differs from one file to another.
 */
static struct figure one_cold(void)
{
	uint64_t with[COLD_FILES], without[COLD_FILES];
	struct figure f;
	char *file;
	int maps;

	maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	must(maps >= 0, "/proc/self/maps");
	make_cold_files("cold");
	for (int i = 0; i < COLD_FILES; i++) {
		file = map_cold_file("cold", i);
		query(maps, file, false);
		without[i] = query(maps, file, false);
		with[i] = query(maps, file, true);
		unmap_file(file);
	}
	close(maps);
	f = bench_least(with, COLD_FILES);
	f.median -= bench_least(without, COLD_FILES).median;
	return f;
}

static uint64_t time_probed(struct chain *c)
{
	uint64_t t0 = bench_clock();

	call_probed(c);
	return bench_clock() - t0;
}

/* Beyond the program @nothing, or without one, beyond the stack without the frame */
static struct figure nofault_one_cold(const char *prog, const char *nothing)
{
	struct bpf_link *link = probe_attach(prog);
	uint64_t taken[COLD_FILES];
	struct figure f;
	struct chain c = {};
	char *file;
	long own;

	make_cold_files(prog);
	for (int i = 0; i < COLD_FILES; i++) {
		file = map_cold_file(prog, i);
		c.n = 0;
		call_probed(&c);
		taken[i] = nothing ? 0 : -time_probed(&c);
		own = probe_out->result / (long)sizeof(struct bpf_stack_build_id);
		c.rets[c.n++] = (unsigned long)file + 4096;
		taken[i] += time_probed(&c);
		must(probe_out->result == (own + 1) * (long)sizeof(struct bpf_stack_build_id) &&
		     probe_out->stack[own].status == BPF_STACK_BUILD_ID_VALID, "a build ID");
		unmap_file(file);
	}
	bpf_link__destroy(link);
	f = bench_median(taken, COLD_FILES);
	if (nothing)
		f.median -= probe_bench(nothing, &c, (struct figure) {}).median;
	return f;
}

int main(void)
{
	char *files[FILES];
	struct chain c;

	bench_init();
	map_files(files);
	probe_init();
	make_stack(&c, files);
	check_valid("nofault", &c);
	check_valid("sleepable", &c);
	check_valid("irqs_off", &c);

	bench_report("buildid/nofault-30f-12t-4files",
		     probe_bench("nofault", &c, probe_bench("nothing", &c, (struct figure) {})));
	bench_report("buildid/sleepable-30f-12t-4files",
		     probe_bench("sleepable", &c,
				 probe_bench("nothing_sleepable", &c, (struct figure) {})));
	bench_report("buildid/addresses-30f",
		     probe_bench("addresses", &c, probe_bench("nothing", &c, (struct figure) {})));
	bench_report("buildid/irqs-off-30f-12t-4files",
		     probe_bench("irqs_off", &c,
				 probe_bench("nothing_irqs_off", &c, (struct figure) {})));
	bench_report("buildid/one-cold", one_cold());
	bench_report("buildid/nofault-one-cold", nofault_one_cold("nofault", NULL));
	bench_report("buildid/irqs-off-one-cold", nofault_one_cold("irqs_off", "nothing_irqs_off"));
	return 0;
}
