// SPDX-License-Identifier: GPL-2.0
/*
 * userstack/instances-N: one system call with an event of it on in N instances of ftrace, each with
 * user stacks; what it takes beyond the same call without them
 *
 * With options/userstacktrace_delay where the kernel has it (one walk for all of them, on the way
 * out), else with options/userstacktrace (a walk of at most 8 frames for each). The stack has 20
 * frames.
 */
#include <sys/stat.h>

#include "tracefs.h"

#define FRAMES		20
#define MAX_INSTANCES	8

static const int counts[] = { 1, 2, 8 };

static void one_call(void *unused)
{
	bench_stack(FRAMES);
}

static void instance(int i, const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "instances/bench%d/%s", i, file);
	set(path, text);
}

int main(void)
{
	const char *option = "options/userstacktrace";
	struct figure alone;
	char path[96];
	int i;

	bench_init();
	if (!access(TRACING "options/userstacktrace_delay", F_OK))
		option = "options/userstacktrace_delay";
	alone = bench_raw(one_call, NULL);

	for (i = 0; i < MAX_INSTANCES; i++) {
		snprintf(path, sizeof(path), TRACING "instances/bench%d", i);
		must(!mkdir(path, 0700), path);
		instance(i, option, "1");
	}
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		for (i = 0; i < counts[c]; i++)
			instance(i, "events/syscalls/sys_enter_getppid/enable", "1");
		snprintf(path, sizeof(path), "userstack/instances-%d", counts[c]);
		bench_report(path, bench_beyond(one_call, NULL, alone));

		for (i = 0; i < counts[c]; i++) {
			instance(i, "trace", "");
			one_call(NULL);
			instance(i, "events/syscalls/sys_enter_getppid/enable", "0");
			snprintf(path, sizeof(path), "instances/bench%d/per_cpu/cpu0/stats", i);
			/* The event, and its stack */
			if (number_in(path, "entries: ") < 2)
				fatal("instance %d got no user stack", i);
		}
	}
	return 0;
}
