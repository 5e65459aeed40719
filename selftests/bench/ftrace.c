// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace/function-stack-N: one event of the function tracer with the kernel stack of N frames; what
 * it takes beyond the same call without the tracer
 * ftrace/function-stack-N/off: the same with options/stackmap cleared
 * ftrace/function-stack-N/bytes-per-event, .../events-held: how large it is, and how many of them
 * a buffer of 1 MB holds
 * ftrace/function-stack-20/miss: the event with a stack that was not recorded before
 * ftrace/function-stack-20/found: with one that the map has, behind too many others for the CPU to
 * remember it
 *
 * With options/stackmap, where the kernel has it. What the option takes is, on the series, the first
 * of these to the second: the series also changes what is common to both.
 */
#include <sys/ioctl.h>

#include "tracefs.h"

#define BUFFER_KB	"1024"
#define ENOUGH		(1 << 16)	/* events: more than the buffer holds */

static const int depths[] = { 8, 20, 64, 200 };

static int dev;
static bool has_stackmap;

static void call(void *n)
{
	ioctl(dev, 0, n);
}

static double fallbacks(void)
{
	return !has_stackmap ? 0 :
		number_in("stack_map_stat", "fallback_space: ") +
		number_in("stack_map_stat", "fallback_slots: ") +
		number_in("stack_map_stat", "fallback_contended: ") +
		number_in("stack_map_stat", "fallback_depth: ") +
		number_in("stack_map_stat", "fallback_reset: ") +
		number_in("stack_map_stat", "fallback_rcu: ");
}

static void stackmap(bool on)
{
	if (has_stackmap)
		set("options/stackmap", on ? "1" : "0");
}

static void tracer(bool on)
{
	if (!on) {
		set("current_tracer", "nop");
		return;
	}
	set("set_ftrace_filter", "vmtest_leaf");
	set("current_tracer", "function");
	set("options/func_stack_trace", "1");
}

/* The frames of the one event in the trace */
static int frames(void)
{
	static char text[1 << 16];
	int n = 0;

	must(bench_read(TRACING "trace", text, sizeof(text)) > 0, "trace");
	for (char *p = text; (p = strstr(p, "\n => ")); p++)
		n++;
	return n;
}

static int frames_on_top_of(unsigned long n)
{
	set("trace", "");
	call((void *)n);
	return frames();
}

/* What to ask the module for, to have a stack of @depth frames */
static unsigned long levels_of(int depth)
{
	int own = frames_on_top_of(0);

	if (own > depth)
		fatal("the shortest stack has %d frames, more than %d", own, depth);
	return depth - own;
}

/*
 * What @func takes beyond @alone: of the events with a stack of 200 frames every other one begins
 * a page of the buffer, and where the map has a stack is by chance
 */
static struct figure beyond(void (*func)(void *), unsigned long n, struct figure alone)
{
	struct figure f = bench_raw(func, (void *)n);

	f.median = bench_middle() - alone.median;
	return f;
}

static void bench_depth(int depth)
{
	struct figure alone;
	unsigned long n;
	char name[64];
	double before, held;

	tracer(true);
	snprintf(name, sizeof(name), "ftrace/function-stack-%d", depth);
	n = levels_of(depth);
	/* The first stacks go in full, until the map has its memory. */
	usleep(200000);
	if (frames_on_top_of(n) != depth)
		fatal("%s: the stack has %d frames", name, frames_on_top_of(n));
	tracer(false);

	alone = bench_raw(call, (void *)n);
	tracer(true);
	call((void *)n);
	before = fallbacks();
	bench_report(name, beyond(call, n, alone));

	stackmap(false);
	strcat(name, "/off");
	bench_report(name, beyond(call, n, alone));
	stackmap(true);

	set("trace", "");
	for (int i = 0; i < ENOUGH; i++)
		call((void *)n);
	set("tracing_on", "0");
	if (fallbacks() != before)
		fatal("%s: the map did not serve", name);
	/* The function, and its stack */
	held = number_in("per_cpu/cpu0/stats", "entries: ") / 2;
	must(held < ENOUGH, "the buffer did not fill up");
	snprintf(name, sizeof(name), "ftrace/function-stack-%d/bytes-per-event", depth);
	bench_number(name, number_in("per_cpu/cpu0/stats", "bytes: ") / held);
	snprintf(name, sizeof(name), "ftrace/function-stack-%d/events-held", depth);
	bench_number(name, held);
	set("tracing_on", "1");
	tracer(false);
}

/* One call of many stacks of the same depth: the next of them */
static unsigned long next_path;

static void call_next(void *n)
{
	ioctl(dev, 1, (unsigned long)n | next_path++ << 8);
}

static double misses(void)
{
	return has_stackmap ? number_in("stack_map_stat", "misses: ") : 0;
}

#define PATHS_OF	20

static void bench_paths(void)
{
	struct figure alone;
	double before;
	unsigned long n;

	tracer(true);
	n = levels_of(PATHS_OF);
	tracer(false);
	next_path = 0;
	alone = bench_raw(call_next, (void *)n);

	tracer(true);
	set("trace", "");
	next_path = 0;
	call_next((void *)n);
	if (frames() != PATHS_OF)
		fatal("a path has %d frames", frames());
	before = misses();
	bench_report("ftrace/function-stack-20/miss", beyond(call_next, n, alone));
	if (has_stackmap && misses() - before < WARMUP + SAMPLES)
		fatal("%.0f misses", misses() - before);

	next_path = 0;
	before = misses();
	bench_report("ftrace/function-stack-20/found", beyond(call_next, n, alone));
	if (misses() != before)
		fatal("%.0f misses of what was there", misses() - before);
	tracer(false);
}

int main(void)
{
	int module = open("vmtest_chain.ko", O_RDONLY | O_CLOEXEC);

	bench_init();
	must(module >= 0 && !syscall(SYS_finit_module, module, "", 0), "vmtest_chain.ko");
	dev = open("/dev/vmtest_chain", O_RDWR | O_CLOEXEC);
	must(dev >= 0, "/dev/vmtest_chain");

	set("buffer_size_kb", BUFFER_KB);
	has_stackmap = !access(TRACING "options/stackmap", F_OK);
	stackmap(true);
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++)
		bench_depth(depths[i]);
	bench_paths();
	/* New instances would inherit it */
	stackmap(false);
	return 0;
}
