// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs arrive in this guest, and code that runs in them is traced as such.
 *
 * x86_64: the host injects them, and vmtest_nmi.ko claims them.  arm64: the PMU's
 * overflow interrupt is a pseudo-NMI.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "ask-host.h"

/* What tests before have left does not matter here */
#define TRACEFS "/sys/kernel/tracing/instances/vmtest_nmi/"
#define WANTED 20

#if defined(__x86_64__)
#define HANDLER "vmtest_nmi_claim"

static bool prepare(void)
{
	int fd = open("/opt/vmtest/nmi/vmtest_nmi.ko", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)) {
		perror("# vmtest_nmi.ko");
		return false;
	}
	close(fd);
	return true;
}

static bool trigger(void)
{
	return !ask_host("nmi", WANTED);
}

/* An NMI that nobody asked for shall be seen. */
static void finish(void)
{
	if (syscall(SYS_delete_module, "vmtest_nmi", O_NONBLOCK))
		perror("# vmtest_nmi.ko");
}
#elif defined(__aarch64__)
#define HANDLER "armv8pmu_handle_irq"

static bool prepare(void)
{
	return true;
}

static bool trigger(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 10000000,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct timespec start, now;

	if (fd < 0) {
		perror("# perf_event_open");
		return false;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < 5);
	close(fd);
	return true;
}

static void finish(void)
{
}
#endif

static bool set(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (!ok)
		printf("# %s: %s\n", file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Lines of the trace with @word, and how many of those say that it ran in an NMI. */
static void count_lines(const char *word, int *all, int *in_nmi)
{
	FILE *f = fopen(TRACEFS "trace", "re");
	char line[512], cpu[32], flags[32];

	*all = *in_nmi = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || !strstr(line, word))
			continue;
		(*all)++;
		/* "comm-pid [cpu] flags time: ..."; a comm may have spaces. */
		if (sscanf(strchr(line, '[') ?: "", "%31s %31s", cpu, flags) == 2 &&
		    strpbrk(flags, "zZ"))
			(*in_nmi)++;
	}
	if (f)
		fclose(f);
}

static void result(int nr, bool ok, const char *name)
{
	printf("%sok %d %s\n", ok ? "" : "not ", nr, name);
	if (!ok)
		exit(1);
}

int main(void)
{
	int all, in_nmi;
	bool ok;

	printf("TAP version 13\n1..3\n");
	if (mkdir(TRACEFS, 0700) && errno != EEXIST)
		perror("# " TRACEFS);
	ok = prepare() && set("/proc/sys/kernel/ftrace_enabled", "1") &&
	     set(TRACEFS "set_ftrace_filter", HANDLER) && set(TRACEFS "current_tracer", "function");
	result(1, ok, "the handler can be traced");

	ok = trigger();
	set(TRACEFS "tracing_on", "0");
	count_lines(HANDLER, &all, &in_nmi);
	set(TRACEFS "current_tracer", "nop");
	finish();
	if (rmdir(TRACEFS))
		perror("# " TRACEFS);
	printf("# " HANDLER " ran %d times, %d of them in an NMI\n", all, in_nmi);
	result(2, ok && all >= WANTED, "the NMIs arrive");
	result(3, in_nmi == all, "they are NMIs to the kernel");
	return 0;
}
