// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a plan, one process group a test, and reports in KTAP:
 *
 *   KTAP version 1
 *   1..2
 *   # start bpf:build_id
 *       KTAP version 1
 *       1..1
 *       ok 1 nofault-paged-in
 *   # time bpf:build_id 0.91
 *   ok 1 bpf:build_id
 *   # start ftrace:00basic/basic1.tc
 *   ...
 *
 * What a failed or skipped test printed stands before its result, behind "# ", and
 * so does what any test of a suite printed that reports figures.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"

#define TESTS "/opt/vmtest/"
#define KSFT_SKIP 4
#define PLAN_LINE "%31s %255s %lf%*[^\n]"	/* what follows is for the host */
#define MAX_OUTPUT (1 << 20)	/* of one test; the end is kept */
#define SHOW_OUTPUT (32 << 10)	/* of a test that did not pass */

enum result { PASS, FAIL, SKIP };

struct sub {
	char *name;
	enum result result;
	char *why;		/* it was skipped, or empty */
};

struct test {
	const struct suite *suite;
	const char *name;
	char *output;
	size_t len;
	struct sub *subs;
	size_t nr_subs;
	size_t planned;		/* how many results the test has announced */
	bool cut;		/* the beginning of the output is not there any more */
	bool seen;		/* the output has a result for the test itself */
	enum result said;	/* that result */
	char why[128];
};

struct suite {
	const char *name;
	const char *dir;	/* under TESTS, or absolute */
	const char *argv[8];	/* "%s" stands for the name of the test */
	/* Looks at one line of output for results of the test and its subtests. */
	void (*line)(struct test *t, char *line);
	/* Runs in the runner itself; false: there is a process to run as well. */
	bool (*inside)(const char *name);
	bool must_report;	/* no result in the output is a failure */
	bool show;		/* the output has figures: show it in any case */
	const char *noise;	/* lines with this in them are not shown */
};

static void add_sub(struct test *t, const char *name, enum result result, const char *why)
{
	struct sub *subs = realloc(t->subs, (t->nr_subs + 1) * sizeof(*subs));
	struct sub *s;

	if (!subs)
		abort();
	t->subs = subs;
	s = &subs[t->nr_subs++];
	s->name = strdup(*name ? name : "(no name)");
	s->result = result;
	s->why = strdup(why);
	/* A '#' would begin a directive. */
	for (char *p = s->name; *p; p++)
		if (*p == '#')
			*p = '_';
}

static void explain(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/*
 * "#12 name:OK" is the test, "#12/3 name/sub:SKIP" one of its subtests. A test that did not compile
 * is there by its name alone.
 */
static void bpf_line(struct test *t, char *line)
{
	const char *not_built = ":SKIP (not built)";
	size_t len = strlen(t->name);
	enum result result;
	char *p = line, *end;

	if (*p++ != '#')
		return;
	p += strspn(p, "0123456789/");
	p += strspn(p, " ");
	if (strncmp(p, t->name, len))
		return;
	if (ends_with(p, ":OK"))
		result = PASS;
	else if (ends_with(p, ":FAIL"))
		result = FAIL;
	else if (ends_with(p, ":SKIP") || ends_with(p, not_built))
		result = SKIP;
	else
		return;
	end = strrchr(p, ':');
	*end = 0;
	if (p[len] == '/') {
		add_sub(t, p + len + 1, result, "");
	} else if (!p[len]) {
		t->seen = true;
		t->said = result;
		if (!strcmp(end + 1, not_built + 1))
			explain(t, "not built");
	}
}

/* "ok 1 name", "not ok 2 - name # SKIP why", indented by @indent spaces. */
static bool ktap_line(const char *line, int indent, char **name, enum result *result,
		      const char **why)
{
	const char *p = line + indent;
	char *hash, *skip;

	if ((int)strspn(line, " ") != indent)
		return false;
	if (!strncmp(p, "ok ", 3)) {
		*result = PASS;
		p += 3;
	} else if (!strncmp(p, "not ok ", 7)) {
		*result = FAIL;
		p += 7;
	} else {
		return false;
	}
	p += strspn(p, "0123456789");
	p += strspn(p, " -");
	*name = (char *)p;
	*why = "";
	hash = strstr(p, " # ");
	if (hash || (*p == '#' && (hash = (char *)p))) {
		skip = strcasestr(hash, "SKIP");
		if (skip && *result == PASS) {
			*result = SKIP;
			/* "SKIP why", and "Skipped: why" */
			*why = skip + strlen("SKIP");
			*why += strspn(*why, "PEDped");
			*why += strspn(*why, ": ");
		}
		*hash = 0;
	}
	return true;
}

static void kselftest_line(struct test *t, char *line)
{
	enum result result;
	const char *why;
	char *name;

	if (!strncmp(line, "1..", 3))
		t->planned = strtoul(line + 3, NULL, 10);
	if (ktap_line(line, 0, &name, &result, &why))
		add_sub(t, name, result, why);
}

/*
 * The file of a KUnit suite: its cases are indented, its own result is not.  That
 * is "ok" also when the suite has not been run, and has no cases then, or when all
 * of its cases are skipped: the cases tell.
 */
static void kunit_line(struct test *t, char *line)
{
	enum result result;
	const char *why;
	char *name;

	if (ktap_line(line, 4, &name, &result, &why)) {
		add_sub(t, name, result, why);
	} else if (ktap_line(line, 0, &name, &result, &why)) {
		t->seen = result != PASS;
		t->said = result;
	}
}

/*
 * Faults that the harness must judge: see the script faults.  What is not here is
 * a program in selftests/fault; plan takes the names from both.
 */
static bool fault(const char *name)
{
	if (!strcmp(name, "panic")) {
		write_to("/proc/sysrq-trigger", "c");
	} else if (!strcmp(name, "hang")) {
		for (;;)
			pause();
	} else if (!strcmp(name, "exit")) {
		_exit(1);
	} else if (!strcmp(name, "init")) {
		kill(1, SIGUSR1);
		pause();
	} else if (!strcmp(name, "qemu")) {
		if (write(open_port("vmtest.host", O_RDWR), "kill\n", 5) == 5)
			pause();
	} else {
		return false;
	}
	return true;
}

#define KSELFTEST(_name) { .name = _name, .dir = _name, .argv = { "./%s" }, \
			   .line = kselftest_line, .must_report = true }

static const struct suite suites[] = {
	{
		.name = "bpf",
		.dir = "bpf",
		/* Its watchdog does not know how slow the kernel is: the plan does */
		.argv = { "./test_progs", "-w", "0", "-a", "%s" },
		.line = bpf_line,
		.must_report = true,
		.noise = ":PASS:",
	}, {
		.name = "ftrace",
		.dir = "ftrace",
		.argv = { "./ftracetest", "-K", "-vv", "-l", "/tmp/ftrace-logs", "test.d/%s" },
		.line = kselftest_line,
		.must_report = true,
	}, {
		.name = "kunit",
		.dir = "/",
		.argv = { "cat", "/sys/kernel/debug/kunit/%s/results" },
		.line = kunit_line,
		.must_report = true,
	}, {
		.name = "proc",
		.dir = "proc",
		.argv = { "./%s" },
		.line = kselftest_line,
	},
	KSELFTEST("nmi"),
	KSELFTEST("perf_events"),
	KSELFTEST("ring-buffer"),
	KSELFTEST("tools"),
	KSELFTEST("unwind"),
	KSELFTEST("user_events"),
	{
		.name = "bench",
		.dir = "bench",
		.argv = { "./%s" },
		.line = kselftest_line,
		.must_report = true,
		.show = true,
	}, {
		.name = "storm",
		.dir = "storm",
		.argv = { "./%s" },
		.line = kselftest_line,
		.must_report = true,
		.show = true,
	}, {
		.name = "fault",
		.dir = "fault",
		.argv = { "./%s" },
		.line = kselftest_line,
		.inside = fault,
	},
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void exec_test(const struct test *t, int fd)
{
	const struct suite *s = t->suite;
	char dir[256], *argv[8];
	int i;

	setsid();
	write_to(OOM_SCORE, "0");
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(fd, 1);
	dup2(fd, 2);
	snprintf(dir, sizeof(dir), "%s%s", s->dir[0] == '/' ? "" : TESTS, s->dir);
	if (chdir(dir)) {
		perror(dir);
		_exit(127);
	}
	for (i = 0; s->argv[i]; i++)
		if (asprintf(&argv[i], s->argv[i], t->name) < 0)
			_exit(127);
	argv[i] = NULL;
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static void collect(struct test *t, int fd)
{
	ssize_t n, i;

	for (;;) {
		if (t->len > MAX_OUTPUT / 2) {
			t->len -= MAX_OUTPUT / 4;
			memmove(t->output, t->output + MAX_OUTPUT / 4, t->len);
			t->cut = true;
		}
		n = read(fd, t->output + t->len, MAX_OUTPUT - 1 - t->len);
		if (n <= 0)
			break;
		/* A NUL would end what is looked at. */
		for (i = 0; i < n; i++)
			if (!t->output[t->len + i])
				t->output[t->len + i] = '?';
		t->len += n;
	}
	t->output[t->len] = 0;
}

/* Has the kernel say on the console where each CPU and each task is. */
static void show_tasks(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	for (const char *key = "lt"; *key; key++)
		if (write(fd, key, 1) != 1)
			fprintf(stderr, "vmtest: sysrq %c: %s\n", *key, strerror(errno));
	close(fd);
}

/* Returns the wait status, or -1 if the test could not be started or had to be killed. */
static int run_process(struct test *t, double seconds)
{
	struct pollfd pfd = { .events = POLLIN };
	double end = now() + seconds, killed = 0;
	int pipefd[2], status;
	pid_t pid;

	if (pipe2(pipefd, O_CLOEXEC | O_NONBLOCK)) {
		explain(t, "no pipe for its output: %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (pid < 0) {
		explain(t, "no process for it: %s", strerror(errno));
		close(pipefd[0]);
		close(pipefd[1]);
		return -1;
	}
	if (!pid) {
		fcntl(pipefd[1], F_SETFL, 0);
		exec_test(t, pipefd[1]);
	}
	close(pipefd[1]);
	pfd.fd = pipefd[0];

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (poll(&pfd, 1, 20) > 0) {
			collect(t, pfd.fd);
			/* Nobody writes any more, and the child is still there. */
			if (pfd.revents == POLLHUP)
				usleep(20000);
		}
		if (!killed && now() > end) {
			kill(-pid, SIGKILL);
			killed = now();
		}
		if (killed && now() > killed + 30) {
			fprintf(stderr, "vmtest: %s does not die\n", t->name);
			show_tasks();
			exit(1);
		}
	}
	/* Whoever the test left behind may hold the pipe: take what is there. */
	kill(-pid, SIGKILL);
	collect(t, pfd.fd);
	close(pfd.fd);
	if (killed) {
		explain(t, "no end after %.0f s", seconds);
		return -1;
	}
	return status;
}

static enum result judge(struct test *t, int status)
{
	enum result result = PASS;
	bool skipped = false;
	char *copy, *line, *save;
	size_t i;

	copy = strdup(t->output);
	if (!copy)
		abort();
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		t->suite->line(t, line);
	free(copy);

	for (i = 0; i < t->nr_subs; i++) {
		if (t->subs[i].result == FAIL)
			result = FAIL;
		skipped |= t->subs[i].result == SKIP;
	}
	/* Skipped as a whole: some subtest was, and none ran. */
	for (i = 0; i < t->nr_subs && skipped; i++)
		skipped = t->subs[i].result == SKIP;
	if (result == PASS && skipped)
		result = SKIP;
	if (t->seen && result != FAIL)
		result = t->said;

	if (status == -1)
		return FAIL;
	if (WIFSIGNALED(status)) {
		explain(t, "killed by signal %d", WTERMSIG(status));
		return FAIL;
	}
	if (WEXITSTATUS(status) == KSFT_SKIP && result != FAIL) {
		explain(t, "exit code 4");
		return SKIP;
	}
	if (WEXITSTATUS(status)) {
		explain(t, "exit code %d", WEXITSTATUS(status));
		return FAIL;
	}
	if (t->suite->must_report && !t->seen && !t->nr_subs) {
		explain(t, "reported no result");
		return FAIL;
	}
	if (t->nr_subs < t->planned && !t->cut) {
		explain(t, "%zu results planned, %zu reported", t->planned, t->nr_subs);
		return FAIL;
	}
	return result;
}

static void print_result(FILE *out, const char *indent, size_t nr, const char *name,
			 enum result result, const char *why)
{
	fprintf(out, "%s%sok %zu %s", indent, result == FAIL ? "not " : "", nr, name);
	if (result == SKIP)
		fprintf(out, " # SKIP %s", why);
	fputc('\n', out);
}

static void drop_lines(struct test *t, const char *noise)
{
	char *from = t->output, *to = from;

	while (*from) {
		size_t n = strcspn(from, "\n");

		n += from[n] == '\n';
		if (!memmem(from, n, noise, strlen(noise))) {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = 0;
	t->len = to - t->output;
}

static void report(FILE *out, struct test *t, size_t nr, const char *id, enum result result)
{
	size_t i;

	if (t->nr_subs) {
		fprintf(out, "    KTAP version 1\n    1..%zu\n", t->nr_subs);
		for (i = 0; i < t->nr_subs; i++)
			print_result(out, "    ", i + 1, t->subs[i].name, t->subs[i].result, t->subs[i].why);
	}
	if (result != PASS || t->suite->show) {
		const char *p = t->output;

		if (t->suite->noise)
			drop_lines(t, t->suite->noise);
		if (t->len > SHOW_OUTPUT) {
			p += t->len - SHOW_OUTPUT;
			fputs("# [...]\n", out);
		}
		while (*p) {
			size_t n = strcspn(p, "\n");

			fprintf(out, "# %.*s\n", (int)n, p);
			p += n + (p[n] == '\n');
		}
		if (t->why[0])
			fprintf(out, "# %s: %s\n", id, t->why);
	}
	print_result(out, "", nr, id, result, t->why);
}

/* The events of a module that a test loaded would slow down each test after it. */
static void unload_modules(void)
{
	FILE *f = fopen("/proc/modules", "r");
	char name[64];
	int users;

	if (!f)
		return;
	while (fscanf(f, "%63s %*s %d %*[^\n]", name, &users) == 2)
		if (!users)
			syscall(SYS_delete_module, name, O_NONBLOCK);
	fclose(f);
}

static void run_one(FILE *out, size_t nr, const struct suite *suite, const char *name,
		    double seconds)
{
	struct test t = { .suite = suite, .name = name };
	enum result result = FAIL;
	char id[512], kmsg[600];
	double start = now();
	size_t i;

	snprintf(id, sizeof(id), "%s:%s", suite ? suite->name : "unknown", name);
	fprintf(out, "# start %s\n", id);
	fflush(out);
	/* The console tells which test a message belongs to. */
	snprintf(kmsg, sizeof(kmsg), "vmtest: start %s\n", id);
	write_to("/dev/kmsg", kmsg);

	t.output = calloc(1, MAX_OUTPUT);
	if (!t.output)
		abort();
	if (!suite) {
		explain(&t, "no such suite");
	} else if (suite->inside && suite->inside(name)) {
		result = PASS;
	} else {
		result = judge(&t, run_process(&t, seconds));
	}
	unload_modules();
	/* Some leave tracing off, and the next that reads the trace would find nothing. */
	write_to("/sys/kernel/tracing/tracing_on", "1");
	report(out, &t, nr, id, result);
	fprintf(out, "# time %s %.2f\n", id, now() - start);
	fflush(out);

	for (i = 0; i < t.nr_subs; i++) {
		free(t.subs[i].name);
		free(t.subs[i].why);
	}
	free(t.subs);
	free(t.output);
}

static const struct suite *find_suite(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

/*
 * What a leak detector found goes to the console, where the host looks for splats. Objects that are
 * younger than 5 s, or that change between two scans, are not reported.
 */
static void scan_for_leaks(void)
{
	const char *kmemleak = "/sys/kernel/debug/kmemleak";
	int i;

	if (access(kmemleak, W_OK))
		return;
	write_to("/dev/kmsg", "vmtest: start kmemleak\n");
	write_to("/sys/module/kmemleak/parameters/verbose", "1");
	for (i = 0; i < 2; i++) {
		sleep(6);
		write_to(kmemleak, "scan");
	}
}

int run_plan(FILE *plan, FILE *out)
{
	char suite[32], name[256];
	size_t nr = 0, total = 0;
	double seconds;

	mkdir("/tmp/ftrace-logs", 0755);
	while (fscanf(plan, PLAN_LINE, suite, name, &seconds) == 3)
		total++;
	if (!total || !feof(plan)) {
		fprintf(out, "Bail out! the plan is empty or malformed\n");
		fflush(out);
		return 1;
	}
	rewind(plan);

	fprintf(out, "KTAP version 1\n1..%zu\n", total);
	while (fscanf(plan, PLAN_LINE, suite, name, &seconds) == 3)
		run_one(out, ++nr, find_suite(suite), name, seconds);
	fflush(out);
	scan_for_leaks();
	/* The console was heard to the end. */
	write_to("/dev/kmsg", "vmtest: end\n");
	return nr == total && !ferror(out) ? 0 : 1;
}
