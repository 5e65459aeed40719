/* SPDX-License-Identifier: GPL-2.0 */
/* Programs of stack.bpf.c, attached to a function of this process that has a chosen stack */
#ifndef _BENCH_PROBE_H
#define _BENCH_PROBE_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.h"
#include "chain.h"

/* "out" of stack.bpf.c, all there is in its .bss */
struct probe_out {
	struct bpf_stack_build_id stack[MAX_FRAMES];
	long result;
};

static struct bpf_object *probe_obj;
static struct probe_out *probe_out;

/* Global, so that the symbol is found */
noinline void probed(void *unused);
noinline void probed(void *unused)
{
	asm volatile("");
}

static void call_probed(void *chain)
{
	call_on_chain(chain, probed, NULL);
}

static int probe_quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stdout, fmt, args) : 0;
}

static void probe_init(void)
{
	struct bpf_map *bss;
	size_t size;

	libbpf_set_print(probe_quiet);
	probe_obj = bpf_object__open_file("stack.bpf.o", NULL);
	must(probe_obj, "stack.bpf.o");
	must(!bpf_object__load(probe_obj), "load");
	bss = bpf_object__find_map_by_name(probe_obj, ".bss");
	must(bss, ".bss");
	probe_out = bpf_map__initial_value(bss, &size);
	must(probe_out && size >= sizeof(*probe_out), "the layout of .bss");
}

static struct bpf_link *probe_attach(const char *name)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(probe_obj, name);
	struct bpf_link *link;

	must(prog, name);
	link = bpf_program__attach_uprobe_multi(prog, 0, "/proc/self/exe", "probed", NULL);
	must(link, name);
	return link;
}

/* The median of one hit of the probe with program @name */
static struct figure probe_bench(const char *name, struct chain *c, struct figure less)
{
	struct bpf_link *link = probe_attach(name);
	struct figure f = bench_beyond(call_probed, c, less);

	bpf_link__destroy(link);
	return f;
}

/* One hit; returns what the program's helper returned */
static long probe_once(const char *name, struct chain *c)
{
	struct bpf_link *link = probe_attach(name);
	long result;

	call_probed(c);
	result = *(volatile long *)&probe_out->result;
	bpf_link__destroy(link);
	return result;
}

#endif /* _BENCH_PROBE_H */
