// SPDX-License-Identifier: GPL-2.0
/*
 * userstack/instances-N: one system call with an event of it on in N instances of ftrace, each with
 * user stacks; what it takes beyond the same call without them
 *
 * With options/userstacktrace_delay where the kernel has it (one walk for all of them, on the way
 * out), else with options/userstacktrace (a walk of at most 8 frames for each). The stack has 20
 * frames.
 * userstack/stackmap-N: the same, with options/stackmap as well
 */
#include <sys/stat.h>

#include "tracefs.h"

#define FRAMES		20
#define MAX_INSTANCES	8

static const int counts[] = { 1, 2, 8 };

static bool delayed;

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

static void bench_instances(const char *what, int n, struct figure alone)
{
	char name[96];
	int i;

	for (i = 0; i < n; i++)
		instance(i, "events/syscalls/sys_enter_getppid/enable", "1");
	snprintf(name, sizeof(name), "userstack/%s-%d", what, n);
	bench_report(name, bench_beyond(one_call, NULL, alone));

	for (i = 0; i < n; i++) {
		instance(i, "trace", "");
		one_call(NULL);
		instance(i, "events/syscalls/sys_enter_getppid/enable", "0");
		snprintf(name, sizeof(name), "instances/bench%d/per_cpu/cpu0/stats", i);
		/* The event, its stack, and between them the cookie of one that is walked later */
		if (number_in(name, "entries: ") < (delayed ? 3 : 2))
			fatal("instance %d got no user stack", i);
	}
}

int main(void)
{
	const char *option = "options/userstacktrace";
	struct figure alone;
	char name[96];

	bench_init();
	delayed = !access(TRACING "options/userstacktrace_delay", F_OK);
	if (delayed)
		option = "options/userstacktrace_delay";
	alone = bench_raw(one_call, NULL);

	for (int i = 0; i < MAX_INSTANCES; i++) {
		snprintf(name, sizeof(name), TRACING "instances/bench%d", i);
		must(!mkdir(name, 0700), name);
		instance(i, option, "1");
	}
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++)
		bench_instances("instances", counts[c], alone);

	if (access(TRACING "options/stackmap", F_OK)) {
		for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
			snprintf(name, sizeof(name), "userstack/stackmap-%d", counts[c]);
			bench_null(name, "the kernel has no options/stackmap");
		}
		return 0;
	}
	for (int i = 0; i < MAX_INSTANCES; i++)
		instance(i, "options/stackmap", "1");
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++)
		bench_instances("stackmap", counts[c], alone);
	for (int i = 0; i < MAX_INSTANCES; i++) {
		snprintf(name, sizeof(name), "instances/bench%d/stack_map_stat", i);
		if (number_in(name, "hits: ") < 1)
			fatal("instance %d: the map did not serve", i);
	}
	return 0;
}
