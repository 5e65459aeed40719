// SPDX-License-Identifier: GPL-2.0
/*
 * stackid/hit: bpf_get_stackid() of a user stack of 30 frames that is in the map; what it takes
 * beyond a program that does nothing
 */
#include "probe.h"

#define FRAMES	30

int main(void)
{
	struct chain c = { .n = 0 };
	long first, again;

	bench_init();
	probe_init();
	c.n = FRAMES - probe_once("nofault", &c) / (int)sizeof(struct bpf_stack_build_id);
	for (int i = 0; i < c.n; i++)
		c.rets[i] = (unsigned long)main + 4 * i;

	first = probe_once("stackid", &c);
	again = probe_once("stackid", &c);
	if (first < 0 || first != again)
		fatal("the ids of one stack are %ld and %ld", first, again);
	bench_report("stackid/hit",
		     probe_bench("stackid", &c, probe_bench("nothing", &c, (struct figure) {})));
	return 0;
}
