// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred user stacks of tasks that make system calls, get signals, fork, execute, exit and are
 * killed, for tracers that come and go: the stack is always that of the kernel entry it was asked
 * for in
 *
 * See unwind-load.h for the tasks: what they record in a register has to be found on the stack. The
 * stack also has to begin where the registers say, to be of the same thread, to come once for each
 * cookie, and to come at all as long as the tracer is there.
 *
 * A stack is contested if it was asked for by an event of which the table says so, or if it was
 * asked for and did not come, because the tracer has gone.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "unwind-check.h"
#include "unwind-load.h"

#define TRACING		"/sys/kernel/tracing/"
#define RING_PAGES	1024
#define MAX_RECORD	65536	/* bytes */
#define MAX_CPUS	8
#define NMI_US		500

/* Without one of them, a run proves less than it should; only the hardware may lack its own */
static struct event {
	struct kind kind;
	bool interrupt;		/* at any time, not only first in an entry */
	bool kernel;		/* with the kernel's stack, too */
	unsigned int type;
	unsigned long config, period;
} events[] = {
	/* Its data tells the system call, see below */
	{ { "raw_syscalls/sys_enter", .enters = true } },
	{ { "raw_syscalls/sys_exit" } },
	{ { "sched/sched_switch" } },
	{ { "signal/signal_deliver", .contested = true, .changes = true } },
#ifdef __x86_64__
	{ { "x86_fpu/x86_fpu_regs_activated", .contested = true }, .interrupt = true },
	{ { "nmi/nmi_handler", .contested = true }, .interrupt = true, .kernel = true },
#endif
	{ { "cpu-clock" }, true, false, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 4000000 },
	{ { "cycles", .contested = true }, true, false, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CPU_CYCLES, 4000000 },
};

static struct syscall {
	struct kind kind;
	long nr;
} syscalls[] = {
	{ { "rt_sigreturn", .contested = true, .enters = true, .changes = true, .used = true },
	  SYS_rt_sigreturn },
	{ { "execve", .contested = true, .enters = true, .used = true }, SYS_execve },
	{ { "exit_group", .contested = true, .enters = true, .used = true }, SYS_exit_group },
	{ { "clone", .enters = true }, SYS_clone },
};

/* Without options/stackmap, and with it */
static struct kind instances[] = {
	{ "instance of ftrace", .enters = true },
	{ "instance of ftrace with a stackmap", .enters = true },
};

static unsigned long refused, cancelled, discarded;
static int nr_cpus;

/*
 * perf
 */

struct ring {
	struct perf_event_mmap_page *page;
	int dummy;
	int fds[ARRAY_SIZE(events)];
	uint64_t ids[ARRAY_SIZE(events)];
};

static unsigned long entry_text[2], sync_regs[2];

/* From that of the name to the next address, as kallsyms is in their order; empty without it */
static void find_symbol(const char *name, unsigned long *range)
{
	char line[256], found[128], type;
	unsigned long a;
	FILE *f = fopen("/proc/kallsyms", "re");

	must(f, "/proc/kallsyms");
	range[0] = 0;
	range[1] = 0;
	while (range[1] == range[0] && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %127s", &a, &type, found) != 3)
			continue;
		if (!range[0] && strcmp(found, name))
			continue;
		if (!range[0])
			range[0] = a;
		range[1] = a;
	}
	fclose(f);
}

static unsigned long symbol(const char *name)
{
	unsigned long range[2];

	find_symbol(name, range);
	must(range[0], name);
	return range[0];
}

/* A tracepoint is known by its number here. */
static bool find_event(struct event *event)
{
	char path[128];
	bool found;
	FILE *f;

	if (event->period)
		return true;
	snprintf(path, sizeof(path), TRACING "events/%s/id", event->kind.name);
	f = fopen(path, "re");
	if (!f)
		return false;
	found = fscanf(f, "%lu", &event->config) == 1;
	fclose(f);
	event->type = PERF_TYPE_TRACEPOINT;
	event->period = 1;
	return found;
}

static bool may_lack(const struct event *event)
{
	return event->type == PERF_TYPE_HARDWARE;
}

static int event_open(const struct event *event, int cpu, bool ask)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event ? event->type : PERF_TYPE_SOFTWARE,
		.config = event ? event->config : PERF_COUNT_SW_DUMMY,
		.sample_period = event ? event->period : 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1UL << IP_REG | 1UL << NUMBER_REG,
		.exclude_callchain_kernel = !event || !event->kernel,
		.exclude_callchain_user = !ask,
		.defer_callchain = ask,
		/* Once for each CPU */
		.defer_output = !event,
		.sample_id_all = 1,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void ring_open(struct ring *ring, int cpu, bool only_interrupts)
{
	ring->dummy = event_open(NULL, cpu, false);
	must(ring->dummy >= 0, "perf_event_open");
	ring->page = mmap(NULL, (1 + RING_PAGES) * getpagesize(), PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->dummy, 0);
	must(ring->page != MAP_FAILED, "mmap");
	must(!ioctl(ring->dummy, PERF_EVENT_IOC_ENABLE, 0), "ENABLE");

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		bool ask = events[i].interrupt || !only_interrupts;

		ring->fds[i] = event_open(&events[i], cpu, ask);
		must(ring->fds[i] >= 0 || may_lack(&events[i]), events[i].kind.name);
		if (ring->fds[i] < 0)
			continue;
		events[i].kind.used = true;
		must(!ioctl(ring->fds[i], PERF_EVENT_IOC_SET_OUTPUT, ring->dummy), "SET_OUTPUT");
		must(!ioctl(ring->fds[i], PERF_EVENT_IOC_ID, &ring->ids[i]), "ID");
	}
}

static void ring_ioctl(struct ring *ring, unsigned long request)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (ring->fds[i] >= 0)
			must(!ioctl(ring->fds[i], request, 0), "ioctl");
}

static void ring_close(struct ring *ring)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (ring->fds[i] >= 0)
			close(ring->fds[i]);
	munmap(ring->page, (1 + RING_PAGES) * getpagesize());
	close(ring->dummy);
}

static bool is_in(uint64_t ip, const unsigned long *range)
{
	return ip >= range[0] && ip < range[1];
}

static bool in_entry_text(uint64_t ip)
{
	return is_in(ip, entry_text);
}

/* The data of a tracepoint is behind its size, and begins with 8 bytes that all have */
static struct kind *syscall_kind(const uint32_t *raw)
{
	long nr;

	memcpy(&nr, raw + 3, sizeof(nr));
	for (size_t i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (syscalls[i].nr == nr)
			return &syscalls[i].kind;
	return &events[0].kind;
}

/* id, pid and tid, time, callchain, data, registers */
static void read_sample(struct book *book, const struct ring *ring, const uint64_t *p)
{
	const uint64_t *ips = p + 4;
	const uint32_t *raw = (void *)(ips + p[3]);
	const uint64_t *regs = (void *)raw + sizeof(*raw) + *raw;
	uint64_t cookie = 0, number;
	bool deferred = false, half = false;
	uint64_t entry = p[3];
	struct kind *kind = NULL;
	struct sample *s;

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (ring->fds[i] >= 0 && ring->ids[i] == p[0])
			kind = i ? &events[i].kind : syscall_kind(raw);
	must(kind, "the id of a sample");

	for (uint64_t i = 0; i + 1 < p[3]; i++) {
		if (ips[i] == PERF_CONTEXT_USER_DEFERRED) {
			deferred = true;
			cookie = ips[i + 1];
		}
		/*
		 * An NMI in the first or last steps: not all registers are there. What is called
		 * from there to put them in place, on x86, is no entry text.
		 */
		half |= in_entry_text(ips[i]) &&
			(in_entry_text(ips[i + 1]) || is_in(ips[i + 1], sync_regs));
		if (entry == p[3] && in_entry_text(ips[i]))
			entry = i;
	}
	if (deferred && !cookie)
		wrong(kind->wrong, "%s: cookie 0 in thread %u", kind->name, (uint32_t)(p[1] >> 32));
	else if (!deferred)
		add(refused, 1);

	if (p[2] < book->start || p[2] > book->end ||
	    (!cookie && !kind->enters && !kind->changes))
		return;
	s = new_sample(book);
	s->kind = kind;
	s->tid = p[1] >> 32;
	s->time = p[2];
	s->cookie = cookie;
	for (size_t i = 0; i < ARRAY_SIZE(s->kernel) && entry + i < p[3]; i++)
		s->kernel[i] = ips[entry + i];
	if (regs[0] == PERF_SAMPLE_REGS_ABI_NONE || half)
		return;
	s->ip = regs[IP_REG < NUMBER_REG ? 1 : 2];
	number = regs[IP_REG < NUMBER_REG ? 2 : 1];
	if (is_number(number, MARK))
		s->number = number;
}

/* cookie, frames, pid and tid, ... */
static void read_stack(struct book *book, const uint64_t *p)
{
	struct stack *s = new_stack(book);
	const uint64_t *ips = p + 2;

	s->cookie = p[0];
	s->nr = p[1];
	s->tid = ips[s->nr] >> 32;
	if (s->nr)
		s->top = ips[0];
	for (uint64_t i = 0; i < s->nr && !s->number; i++)
		if (is_number(ips[i], ADDRESS))
			s->number = ips[i];
}

/* Nothing was taken out before: no record wraps around, and what is lost is so at the end */
static void ring_read(struct book *book, const struct ring *ring)
{
	uint64_t to = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), from = 0;
	const char *data = (char *)ring->page + ring->page->data_offset;

	if (to + MAX_RECORD > ring->page->data_size)
		book->whole = false;
	while (from < to) {
		const struct perf_event_header *h = (void *)(data + from);

		if (h->type == PERF_RECORD_SAMPLE)
			read_sample(book, ring, (void *)(h + 1));
		else if (h->type == PERF_RECORD_CALLCHAIN_DEFERRED)
			read_stack(book, (void *)(h + 1));
		from += h->size;
	}
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* One whose system calls ask as well, and one that asks first in the middle of them */
static void *perf(void *only_interrupts)
{
	struct ring rings[MAX_CPUS];
	struct book *book = new_book();
	int i;

	while (!storm_over()) {
		book->nr_samples = 0;
		book->nr_stacks = 0;
		book->whole = true;
		for (i = 0; i < nr_cpus; i++)
			ring_open(&rings[i], i, only_interrupts);
		for (i = 0; i < nr_cpus; i++)
			ring_ioctl(&rings[i], PERF_EVENT_IOC_ENABLE);
		book->start = now();
		usleep(100000 + new_number() % 400000);
		book->end = now();
		for (i = 0; i < nr_cpus; i++)
			ring_ioctl(&rings[i], PERF_EVENT_IOC_DISABLE);
		for (i = 0; i < nr_cpus; i++)
			ring_read(book, &rings[i]);
		for (i = 0; i < nr_cpus; i++)
			ring_close(&rings[i]);
		if (book->whole)
			check_book(book);
		else
			add(discarded, 1);
	}
	free(book);
	return NULL;
}

/*
 * ftrace
 */

static bool put(const char *dir, const char *file, const char *text)
{
	char path[192];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

/* What a person reads: events, with the cookie at their end, and stacks */
static void read_trace(struct book *book, const char *dir, struct kind *kind)
{
	struct stack *stack = NULL;
	char path[128], line[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/trace", dir);
	f = fopen(path, "re");
	must(f, path);
	while (fgets(line, sizeof(line), f)) {
		const char *args = strstr(line, ": NR "), *cookie = strstr(line, "<user stack ");
		unsigned long value, number;
		struct sample *s;

		if (sscanf(line, " => <%lx>", &value) == 1) {
			if (stack && !stack->nr++)
				stack->top = value;
			if (stack && !stack->number && is_number(value, ADDRESS))
				stack->number = value;
			continue;
		}
		/* Nobody resets the map. */
		if (strstr(line, " => [unknown"))
			wrong(kind->wrong, "%s: %s", kind->name, line);
		stack = NULL;
		if (!cookie)
			continue;
		if (sscanf(cookie, "<user stack trace %lx>", &value) == 1) {
			stack = new_stack(book);
			stack->cookie = value;
		} else if (sscanf(cookie, "<user stack %lx>", &value) == 1 && args &&
			   sscanf(args, ": NR %*d (%*x, %*x, %*x, %*x, %*x, %lx)", &number) == 1 &&
			   is_number(number, MARK)) {
			s = new_sample(book);
			s->cookie = value;
			s->number = number;
			s->kind = kind;
		}
	}
	fclose(f);
}

static void *ftrace(void *arg)
{
	static const char *const names[] = {
		"raw_syscalls/sys_enter", "signal/signal_deliver",
#ifdef __x86_64__
		"nmi/nmi_handler",
#endif
	};
	struct book *book = new_book();
	char dir[96], file[96];

	snprintf(dir, sizeof(dir), TRACING "instances/storm%ld", (long)arg);
	for (unsigned int life = 0; !storm_over(); life++) {
		book->nr_samples = 0;
		book->nr_stacks = 0;
		book->whole = false;
		must(!mkdir(dir, 0700), dir);
		must(put(dir, "buffer_size_kb", "256"), "buffer_size_kb");
		must(put(dir, "options/stackmap", life % 2 ? "1" : "0"), "options/stackmap");
		must(put(dir, "options/userstacktrace_delay", "1"), "userstacktrace_delay");
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			snprintf(file, sizeof(file), "events/%s/enable", names[i]);
			must(put(dir, file, "1"), file);
		}
		for (int i = 0; i < 4; i++) {
			usleep(new_number() % 100000);
			must(put(dir, "options/userstacktrace_delay", "0"), "userstacktrace_delay");
			must(put(dir, "options/userstacktrace_delay", "1"), "userstacktrace_delay");
			add(cancelled, 1);
		}
		usleep(50000);
		must(put(dir, "tracing_on", "0"), "tracing_on");
		read_trace(book, dir, &instances[life % 2]);
		must(!rmdir(dir), dir);
		add(cancelled, 1);
		check_book(book);
	}
	free(book);
	return NULL;
}

/*
 * The control file
 */

struct work {
	unsigned int calls;
	uint64_t requested, called;
	unsigned int nr_frames;
};

static struct work read_work(int nr)
{
	FILE *f = fopen(CTL, "re");
	struct work w = {};
	char line[128];
	int n;

	must(f, CTL);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%d %u %lu %lu %u", &n, &w.calls, &w.requested, &w.called,
			   &w.nr_frames) == 5 && n == nr)
			break;
	fclose(f);
	return w;
}

/* A work is called for its request, but not after its cancel, nor for that of its predecessor */
static void *works(void *unused)
{
	struct work w;
	int nr;

	while (!storm_over()) {
		nr = 1 + new_number() % 8;
		must(!ctl("init %d", nr, 0), "init");
		w = read_work(nr);
		if (w.calls)
			wrong(wrong_alone, "work %d: called for another", nr);
		must(!ctl("request %d\nrequest %d", nr, nr), "request");
		w = read_work(nr);
		if (w.calls != 1 || !w.called || w.called != w.requested || !w.nr_frames)
			wrong(wrong_alone, "work %d: %u calls, cookie %lx and %lx, %u frames", nr,
			      w.calls, w.requested, w.called, w.nr_frames);
		must(!ctl("request %d\ncancel %d", nr, nr), "cancel");
		add(cancelled, 1);
		w = read_work(nr);
		if (w.calls != 1)
			wrong(wrong_alone, "work %d: %u calls after the cancel", nr, w.calls);
		usleep(new_number() % 20000);
	}
	return NULL;
}

static void *nmis(void *unused)
{
	while (!storm_over()) {
		/* Not on each architecture */
		if (ctl("nmi %d", new_number() % nr_cpus, 0))
			break;
		usleep(NMI_US);
	}
	return NULL;
}

/* Also of work 0 */
static void report_nmis(void)
{
	FILE *f = fopen(CTL, "re");
	unsigned int queued = 0, repeated = 0, none = 0, bad = 0, calls;
	char line[128];

	must(f, CTL);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "nmi %u %u %u %u", &queued, &repeated, &none, &bad);
	fclose(f);
	printf("storm nmi requests of one task: %u queued, %u repeated, %u refused, %u wrong\n",
	       queued, repeated, none, bad);
	calls = read_work(0).calls;
	if (calls != queued)
		wrong(wrong_alone, "%u calls for requests from NMI", calls);
	total.attempts += calls;
	total.contested += calls;
	total.wrong += bad;
	must(queued, "a request from NMI");
	ctl("cancel 0", 0, 0);
}

static const struct {
	void *(*run)(void *);
	long arg;
} tracers[] = {
	{ perf, false }, { perf, true }, { ftrace, 1 }, { ftrace, 2 }, { works }, { nmis }
};

/* One that hangs in the kernel must not keep the report back. */
static void wait_for_workers(void)
{
	int left = ARRAY_SIZE(workers), status;

	for (int tries = 0; left && tries < 100; tries++) {
		if (waitpid(-1, &status, WNOHANG) > 0) {
			must(!status, "a worker");
			left--;
		} else {
			usleep(100000);
		}
	}
	if (left)
		wrong(wrong_alone, "%d workers do not end", left);
}

int main(int argc, char **argv)
{
	pthread_t threads[ARRAY_SIZE(tracers)];
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	last_number = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	must(last_number != MAP_FAILED, "mmap");
	if (argc > 1) {
		/* Numbers that nobody else has now */
		*last_number = 0x80000000U + (getpid() << 8);
		calls(4);
		call(SYS_exit_group, 0, 0, 0);
	}

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	must(nr_cpus <= MAX_CPUS, "the number of CPUs");
	for (i = 0; i < ARRAY_SIZE(events); i++)
		must(find_event(&events[i]), events[i].kind.name);
	entry_text[0] = symbol("__entry_text_start");
	entry_text[1] = symbol("__entry_text_end");
	find_symbol("sync_regs", sync_regs);

	/* Kept open: when nobody has, what is registered is cancelled */
	must(open(CTL, O_WRONLY | O_CLOEXEC) >= 0, CTL);
	storm_over();
	for (i = 0; i < ARRAY_SIZE(workers); i++) {
		pid_t pid = fork();

		must(pid >= 0, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			workers[i]();
			_exit(0);
		}
	}
	for (i = 0; i < ARRAY_SIZE(tracers); i++)
		must(!pthread_create(&threads[i], NULL, tracers[i].run, (void *)tracers[i].arg),
		     "pthread_create");
	for (i = 0; i < ARRAY_SIZE(tracers); i++)
		pthread_join(threads[i], NULL);
	wait_for_workers();

	report_nmis();
	total.contested += cut;
	for (i = 0; i < ARRAY_SIZE(events); i++)
		report_kind(&events[i].kind);
	for (i = 0; i < ARRAY_SIZE(syscalls); i++)
		report_kind(&syscalls[i].kind);
	for (i = 0; i < ARRAY_SIZE(instances); i++)
		report_kind(&instances[i]);
	printf("storm stacks that did not come: %lu, empty: %lu, did not ask: %lu\n", cut, empty,
	       refused);
	printf("storm works cancelled: %lu, lives of perf discarded: %lu\n", cancelled, discarded);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		must(events[i].kind.seen || may_lack(&events[i]), events[i].kind.name);
	for (i = 0; i < ARRAY_SIZE(instances); i++)
		must(instances[i].seen, instances[i].name);
	return storm_report("unwind", &total, 100000);
}
