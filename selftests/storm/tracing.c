// SPDX-License-Identifier: GPL-2.0
/*
 * options/stackmap while maps are reset and resized, instances come and go, snapshots are taken,
 * CPUs go offline, and NMIs arrive: each event keeps its stack
 *
 * vmtest_storm.ko has call chains with numbers. An event carries the number of its chain, and the
 * stack behind the event has to be that chain, on top of the same frames as without the option, and
 * below them (in an NMI, below are those of whatever it met). So does the stack of the function tracer,
 * whose trampolines come and go.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "../nmi/ask-host.h"
#include "storm.h"

#define TRACING		"/sys/kernel/tracing"
#define SNAPSHOTS_OF	"instances/snapshots"
#define FUNCTIONS_OF	"instances/functions"
#define EVENT		"events/vmtest/storm_chain"
#define MAX_CPUS	16
#define BURST		64	/* calls, and reads of up to two pages each */
#define SHOWN		10	/* errors */
#define LIVE_BYTES	(256 << 10)	/* of a trace that has no end */
#define FUNCTION	~0U		/* stands for the number of a chain: storm_call() was traced */

enum { TASK, NMI, CONTEXTS };

/* What was done; without those up to NEEDED, a run proves less than it should */
enum {
	RESETS, CONTESTED, MAP_SIZES, BUFFER_SIZES, INSTANCES, SNAPSHOTS, OFFLINES, FUNCTIONS, NMIS, BUSY,
	OVERRUNS, STOPPED, DEEDS
};

/* The host can only give NMIs to an x86 */
#ifdef __x86_64__
#define NEEDED	(NMIS + 1)
#else
#define NEEDED	NMIS
#endif

static const char * const deeds[DEEDS] = {
	"resets", "contested inserts", "changes of stack_map_size_kb", "changes of buffer_size_kb",
	"instances", "snapshots", "CPUs taken offline", "stacks of the function tracer", "stacks of NMIs",
	"resets refused for lack of room", "times that events were overwritten unread",
	"events without a stack because a resize stopped the recording",
};

static unsigned long done[DEEDS];
static struct storm total;
static int dev, cpus;

/* The frames above and below each chain, and above storm_call() in the stack of the function tracer */
static char above[256], below[256], traced[256];

/* An event that waits for its stack: its number, 0 if there is none; odd epochs are resizes */
struct event {
	unsigned int n, epoch;
};

/*
 * A trace that is read
 *
 * What nobody writes to or takes from meanwhile is @whole: an event without a stack has lost it,
 * except when buffer_size_kb was changed after the event, where it @is_resized: that stops the
 * recording.
 */
struct reader {
	const char *name;
	bool whole, is_resized;
	int cpu;
	struct event waiting[MAX_CPUS][CONTEXTS];
	bool in_stack;
	size_t stack_len, line_len;
	char stack[8192], line[1024];
	struct storm s;
	unsigned long nmis, functions, overruns, stopped;
};

static void did(int what, unsigned long times)
{
	__atomic_add_fetch(&done[what], times, __ATOMIC_RELAXED);
}

static unsigned int rand_below(unsigned int n)
{
	static __thread unsigned int seed;

	if (!seed)
		seed = syscall(SYS_gettid);
	return rand_r(&seed) % n;
}

/* False if it is busy */
static bool put_at(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	must(fd >= 0, path);
	n = write(fd, text, strlen(text));
	must(n == (ssize_t)strlen(text) || errno == EBUSY, path);
	close(fd);
	return n > 0;
}

/* In an instance, "." for the top */
static bool put(const char *instance, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), TRACING "/%s/%s", instance, file);
	return put_at(path, text);
}

static void put_number(const char *instance, const char *file, unsigned int number, int what)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	if (put(instance, file, text))
		did(what, 1);
}

static unsigned long stat_of(const char *instance, const char *key)
{
	char path[256], line[128];
	unsigned long value = 0;
	size_t len = strlen(key);
	FILE *f;

	snprintf(path, sizeof(path), TRACING "/%s/stack_map_stat", instance);
	f = fopen(path, "re");
	must(f, path);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len) && line[len] == ':')
			value = strtoul(line + len + 1, NULL, 10);
	fclose(f);
	return value;
}

/* The number of contested inserts goes with the map */
static void reset(const char *instance)
{
	unsigned long contested = stat_of(instance, "contested");

	if (put(instance, "stack_map", "reset")) {
		did(RESETS, 1);
		did(CONTESTED, contested);
	} else {
		did(BUSY, 1);
	}
}

static void wrong(struct reader *r, const char *fmt, ...)
{
	static int shown;
	va_list ap;

	r->s.wrong++;
	if (__atomic_add_fetch(&shown, 1, __ATOMIC_RELAXED) > SHOWN)
		return;
	flockfile(stdout);
	printf("%s: cpu %d: ", r->name, r->cpu);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	funlockfile(stdout);
}

/* The frame storm_N: N; -1 if it is another one */
static int digit_of(const char *frame)
{
	return !strncmp(frame, "storm_", 6) && isdigit(frame[6]) && frame[7] == '\n' ?
		frame[6] - '0' : -1;
}

/*
 * The number of the innermost chain, 0 without one; the frames above it end at @chain, those below
 * begin at @rest
 */
static unsigned int chain_of(const char *stack, const char **chain, const char **rest)
{
	const char *p = stack;
	unsigned int n = 1;

	while (p && digit_of(p) < 0) {
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return 0;
	*chain = p;
	for (; digit_of(p) >= 0; p += strlen("storm_N\n"))
		n = n << 3 | digit_of(p);
	*rest = p;
	return n;
}

/* The stack of storm_call(), that of the caller's event if it is of a task */
static void check_function(struct reader *r, int context)
{
	const char *call = strstr(r->stack, "storm_call\n");

	r->functions++;
	if (call && !traced[0])
		snprintf(traced, sizeof(traced), "%.*s.", (int)(call - r->stack), r->stack);
	if (!call || strlen(traced) != (size_t)(call - r->stack) + 1 ||
	    strncmp(r->stack, traced, call - r->stack))
		wrong(r, "storm_call() in context %d has other frames on top:\n%s", context, r->stack);
	else if (context == NMI ? strncmp(call, "storm_call\nstorm_nmi\n", 21) : strcmp(call, below))
		wrong(r, "storm_call() in context %d has another stack:\n%s", context, r->stack);
}

static void check_stack(struct reader *r)
{
	const char *chain = NULL, *rest = NULL;
	struct event *event = r->waiting[r->cpu];
	int context = NMI;
	unsigned int n;

	r->in_stack = false;
	r->stack[r->stack_len] = '\0';
	while (context >= TASK && !event[context].n)
		context--;
	/* Its event was overwritten */
	if (context < TASK)
		return;

	r->s.attempts++;
	r->nmis += context == NMI;
	if (event[context].n == FUNCTION) {
		check_function(r, context);
		event[context].n = 0;
		return;
	}
	n = chain_of(r->stack, &chain, &rest);
	if (n && !above[0]) {
		snprintf(above, sizeof(above), "%.*s", (int)(chain - r->stack), r->stack);
		snprintf(below, sizeof(below), "%s", rest);
	}
	if (n != event[context].n)
		wrong(r, "event %o of context %d has the stack of %o:\n%s", event[context].n,
		      context, n, r->stack);
	else if (strlen(above) != (size_t)(chain - r->stack) ||
		 strncmp(r->stack, above, strlen(above)) ||
		 strncmp(rest, "storm_call\n", 11) ||
		 (context == TASK && strcmp(rest, below)))
		wrong(r, "event %o of context %d has other frames around the chain:\n%s",
		      event[context].n, context, r->stack);
	event[context].n = 0;
}

static void take_event(struct reader *r, struct event new, int context)
{
	/* What was going on is over, except what this one interrupts */
	for (int c = context; c < CONTEXTS; c++) {
		struct event *old = &r->waiting[r->cpu][c];

		if (old->n && r->whole) {
			if (r->is_resized && (old->epoch & 1 || old->epoch != new.epoch))
				r->stopped++;
			else
				wrong(r, "event %o of context %d has no stack", old->n, c);
		}
		old->n = 0;
	}
	r->waiting[r->cpu][context] = new;
}

static void take_line(struct reader *r, char *line)
{
	struct event event;
	unsigned int nmi;
	char *p;

	if (r->in_stack && !strncmp(line, " => ", 4)) {
		size_t len = strlen(line + 4);

		if (r->stack_len + len + 2 < sizeof(r->stack)) {
			memcpy(r->stack + r->stack_len, line + 4, len);
			r->stack_len += len;
			r->stack[r->stack_len++] = '\n';
		}
		return;
	}
	if (r->in_stack)
		check_stack(r);
	if (sscanf(line, "CPU:%d [LOST", &r->cpu) == 1) {
		must(r->cpu < MAX_CPUS, line);
		memset(r->waiting[r->cpu], 0, sizeof(r->waiting[r->cpu]));
		r->overruns++;
		return;
	}
	/* "comm-pid [cpu] flags time: ..." */
	p = strchr(line, '[');
	if (line[0] == '#' || !p)
		return;
	r->cpu = atoi(p + 1);
	must(r->cpu < MAX_CPUS, line);
	p = strstr(p, ": ");
	if (!p)
		return;
	if (sscanf(p, ": storm_chain: n=%u nmi=%u epoch=%u", &event.n, &nmi, &event.epoch) == 3) {
		must(nmi < CONTEXTS, line);
		take_event(r, event, nmi);
	} else if (!strncmp(p, ": storm_call <-", 15)) {
		take_event(r, (struct event) { .n = FUNCTION }, !strcmp(p + 15, "storm_nmi"));
	} else if (!strcmp(p, ": <stack trace>")) {
		r->in_stack = true;
		r->stack_len = 0;
	}
}

static void take(struct reader *r, const char *text, size_t len)
{
	for (const char *end = text + len, *nl; text < end; text = nl + 1) {
		nl = memchr(text, '\n', end - text);
		len = (nl ?: end) - text;
		must(r->line_len + len < sizeof(r->line), "a long line");
		memcpy(r->line + r->line_len, text, len);
		r->line_len += len;
		if (!nl)
			return;
		r->line[r->line_len] = '\0';
		r->line_len = 0;
		take_line(r, r->line);
	}
}

static void end_reading(struct reader *r)
{
	/* The last stack, where it is not cut off */
	if (r->in_stack && r->whole)
		check_stack(r);
	__atomic_add_fetch(&total.attempts, r->s.attempts, __ATOMIC_RELAXED);
	__atomic_add_fetch(&total.wrong, r->s.wrong, __ATOMIC_RELAXED);
	did(NMIS, r->nmis);
	did(FUNCTIONS, r->functions);
	did(OVERRUNS, r->overruns);
	did(STOPPED, r->stopped);
	free(r);
}

static struct reader *begin_reading(const char *name, bool whole)
{
	struct reader *r = calloc(1, sizeof(*r));

	must(r, "memory");
	r->name = name;
	r->whole = whole;
	return r;
}

static void read_file(const char *instance, const char *file, bool whole)
{
	static __thread char text[65536];
	struct reader *r = begin_reading(file, whole);
	size_t bytes = 0;
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TRACING "/%s/%s", instance, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	must(fd >= 0, path);
	while ((n = read(fd, text, sizeof(text))) > 0 && (whole || bytes < LIVE_BYTES)) {
		take(r, text, n);
		bytes += n;
	}
	must(n >= 0, path);
	close(fd);
	end_reading(r);
}

/*
 * Calls chains, and reads what is recorded on a CPU: in turn, so that few events are overwritten
 * before they are read. Several threads take the same chain at about the same time.
 */
static void *chain_and_read(void *arg)
{
	static __thread char text[65536];
	static unsigned int next;
	struct reader *r = begin_reading("trace_pipe", true);
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TRACING "/per_cpu/cpu%ld/trace_pipe", (long)arg);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	must(fd >= 0, path);
	r->is_resized = true;
	while (!storm_over()) {
		for (int i = 0; i < BURST; i++)
			must(!ioctl(dev, 0, __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) / cpus),
			     "ioctl");
		for (int i = 0; i < BURST && (n = read(fd, text, sizeof(text))) > 0; i++)
			take(r, text, n);
		must(n >= 0 || errno == EAGAIN, path);
	}
	close(fd);
	end_reading(r);
	return NULL;
}

static void *reset_top(void *arg)
{
	while (!storm_over()) {
		reset(".");
		usleep(rand_below(100000));
	}
	return NULL;
}

/* Who has the file open keeps the maps, also those of before a reset */
static void *hold_maps(void *arg)
{
	static __thread char data[65536];
	ssize_t n;
	int fd;

	while (!storm_over()) {
		fd = open(TRACING "/stack_map_bin", O_RDONLY | O_CLOEXEC);
		must(fd >= 0, "stack_map_bin");
		usleep(rand_below(100000));
		n = read(fd, data, sizeof(data));
		must(n > 0, "stack_map_bin");
		close(fd);
		usleep(rand_below(100000));
	}
	return NULL;
}

static void *change_sizes(void *arg)
{
	unsigned long epoch = 0;

	while (!storm_over()) {
		put_number(".", "stack_map_size_kb", 1024 << rand_below(4), MAP_SIZES);
		usleep(rand_below(100000));
		must(!ioctl(dev, 1, ++epoch), "ioctl");
		put_number(".", "buffer_size_kb", 128 << rand_below(3), BUFFER_SIZES);
		must(!ioctl(dev, 1, ++epoch), "ioctl");
		usleep(rand_below(100000));
	}
	return NULL;
}

static void new_instance(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), TRACING "/%s", name);
	must(!mkdir(path, 0700), path);
	put(name, "buffer_size_kb", "32");
}

static void make_instance(const char *name)
{
	new_instance(name);
	put(name, "options/stackmap", "1");
	put(name, "options/stacktrace", "1");
	/* One of eight: each instance takes the time for a stack of its own */
	put(name, EVENT "/filter", "n & 1 && n & 2 && n & 4");
	put(name, EVENT "/enable", "1");
}

static void remove_instance(const char *name)
{
	char path[256];

	did(CONTESTED, stat_of(name, "contested"));
	snprintf(path, sizeof(path), TRACING "/%s", name);
	must(!rmdir(path), path);
}

static void take_snapshot(const char *instance)
{
	if (put(instance, "snapshot", "1"))
		did(SNAPSHOTS, 1);
}

static void *come_and_go(void *arg)
{
	const char *name = arg;

	while (!storm_over()) {
		make_instance(name);
		did(INSTANCES, 1);
		usleep(rand_below(100000));
		switch (rand_below(4)) {
		case 0:
			/* Nobody reads it */
			break;
		case 1:
			reset(name);
			usleep(rand_below(50000));
			read_file(name, "trace", false);
			break;
		case 2:
			take_snapshot(name);
			reset(name);
			usleep(rand_below(50000));
			take_snapshot(name);
			read_file(name, "snapshot", true);
			break;
		case 3:
			reset(name);
			usleep(rand_below(50000));
			reset(name);
			put(name, "tracing_on", "0");
			read_file(name, "trace", true);
		}
		remove_instance(name);
	}
	return NULL;
}

static void *take_snapshots(void *arg)
{
	const char *name = arg;

	while (!storm_over()) {
		take_snapshot(name);
		reset(name);
		read_file(name, "snapshot", true);
		usleep(rand_below(100000));
	}
	return NULL;
}

/* With a trampoline of its own */
static void trace_functions(const char *name)
{
	new_instance(name);
	put(name, "set_ftrace_filter", "storm_call");
	/* Not before it takes stacks */
	put(name, "tracing_on", "0");
	put(name, "current_tracer", "function");
	put(name, "options/func_stack_trace", "1");
	put(name, "tracing_on", "1");
}

static void *trace_and_stop(void *arg)
{
	const char *name = arg;

	while (!storm_over()) {
		trace_functions(name);
		put(name, "options/stackmap", "1");
		usleep(rand_below(100000));
		if (rand_below(2)) {
			reset(name);
			usleep(rand_below(50000));
		}
		put(name, "tracing_on", "0");
		read_file(name, "trace", true);
		remove_instance(name);
	}
	return NULL;
}

static void *hotplug(void *arg)
{
	char path[128];

	while (!storm_over()) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
			 1 + rand_below(cpus - 1));
		if (put_at(path, "0"))
			did(OFFLINES, 1);
		usleep(rand_below(100000));
		must(put_at(path, "1"), path);
		usleep(rand_below(500000));
	}
	return NULL;
}

static void *ask_for_nmis(void *arg)
{
	while (!storm_over()) {
		must(!ask_host("nmi", 10), "NMIs of the host");
		usleep(rand_below(10000));
	}
	return NULL;
}

/*
 * What a stack looks like without the map. There has to be another instance: with several, the
 * tracepoint has one function more.
 */
static void learn(void)
{
	put(".", "options/stacktrace", "1");
	put(".", EVENT "/enable", "1");
	must(!ioctl(dev, 0, 0), "ioctl");
	put(".", EVENT "/enable", "0");
	read_file(".", "trace", true);
	must(above[0] && below[0] && !total.wrong, "the stack of a chain");
	put(".", "trace", "0");

	/* The instance inherits options/stacktrace, and not events */
	trace_functions(FUNCTIONS_OF);
	must(!ioctl(dev, 0, 0), "ioctl");
	put(FUNCTIONS_OF, "tracing_on", "0");
	read_file(FUNCTIONS_OF, "trace", true);
	must(traced[0] && !total.wrong, "the stack of storm_call()");
	remove_instance(FUNCTIONS_OF);
}

int main(void)
{
	int module = open("vmtest_storm.ko", O_RDONLY | O_CLOEXEC);
	unsigned long ids, full = 0;
	pthread_t threads[64];
	int nr = 0;

#define start(function, arg)							\
	must(!pthread_create(&threads[nr++], NULL, function, (void *)(arg)), #function)

	must(module >= 0 && !syscall(SYS_finit_module, module, "", 0), "vmtest_storm.ko");
	dev = open("/dev/vmtest_storm", O_RDWR | O_CLOEXEC);
	must(dev >= 0, "/dev/vmtest_storm");
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	must(cpus > 1 && cpus <= MAX_CPUS, "number of CPUs");

	make_instance(SNAPSHOTS_OF);
	learn();
	put(".", "options/stackmap", "1");
	put(".", EVENT "/enable", "1");

	storm_over();
	for (long cpu = 0; cpu < cpus; cpu++)
		start(chain_and_read, cpu);
	start(reset_top, NULL);
	start(hold_maps, NULL);
	start(change_sizes, NULL);
	start(come_and_go, "instances/one");
	start(come_and_go, "instances/two");
	start(take_snapshots, SNAPSHOTS_OF);
	start(trace_and_stop, FUNCTIONS_OF);
	start(hotplug, NULL);
	if (NEEDED > NMIS)
		start(ask_for_nmis, NULL);
	while (nr)
		pthread_join(threads[--nr], NULL);
	put(".", EVENT "/enable", "0");
	remove_instance(SNAPSHOTS_OF);

	ids = stat_of(".", "hits") + stat_of(".", "misses");
	full = stat_of(".", "fallback_space") + stat_of(".", "fallback_slots") +
	       stat_of(".", "fallback_contended") + stat_of(".", "fallback_reset") +
	       stat_of(".", "fallback_rcu");
	did(CONTESTED, stat_of(".", "contested"));
	printf("%lu ids and %lu full stacks recorded at the top\n", ids, full);
	for (int i = 0; i < DEEDS; i++)
		printf("%lu %s\n", done[i], deeds[i]);
	for (int i = 0; i < NEEDED; i++)
		must(done[i], deeds[i]);
	/* Or the stacks were right without the map */
	must(ids > full, "more ids than full stacks");
	printf("%llu stacks compared\n", (unsigned long long)total.attempts);
	/* Full stacks are right without the map: no more count than there were ids at the top */
	if (total.attempts > ids)
		total.attempts = ids;
	total.contested = done[CONTESTED];
	return storm_report("tracing", &total, 1000000);
}
