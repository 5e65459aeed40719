// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the test guest.
 *
 * Mounts the root image (/dev/vda), the selftests image (/dev/vdb) on /opt/vmtest
 * and what else the tests expect; lets a child do the task that vmtest= on the
 * kernel's command line names; powers off when the child is gone, whatever became
 * of it.  The plan and the command come through fw_cfg.
 *
 * Both images are plain ext4, and writable: QEMU throws the writes away.  Tests of
 * build IDs and VMAs look at inodes and page cache, where an overlay would show.
 *
 * The result stream is a virtio port named "vmtest.results".  It ends with a
 * line "# DONE" only if the child said that all planned tests were reported, or
 * if the command ended; its exit code stands in a line "# exit" before.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"

#define FW_CFG "/sys/firmware/qemu_fw_cfg/by_name/opt/vmtest/"

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("vmtest-init: ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
	va_end(ap);
}

static void fatal(const char *what)
{
	say("%s: %s", what, strerror(errno));
	power_off();
}

static void mount_at(const char *source, const char *target, const char *type,
		     unsigned long flags, const char *data)
{
	mkdir(target, 0755);
	if (mount(source, target, type, flags, data)) {
		say("mount of %s at %s", type ? type : source, target);
		fatal("mount");
	}
}

/* devtmpfs makes the node only when the driver has probed the disk. */
static void wait_for(const char *path)
{
	struct timespec ms = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < 10000; i++) {
		if (!access(path, F_OK))
			return;
		nanosleep(&ms, NULL);
	}
	fatal(path);
}

static void make_root(void)
{
	wait_for("/dev/vda");
	wait_for("/dev/vdb");
	mount_at("/dev/vda", "/root", "ext4", 0, NULL);
	mkdir("/root/opt", 0755);
	mount_at("/dev/vdb", "/root/opt/vmtest", "ext4", 0, NULL);
	mount_at("/root/opt/vmtest/lib/modules", "/root/usr/lib/modules", NULL, MS_BIND, NULL);

	if (chdir("/root"))
		fatal("chdir");
	mount_at("/dev", "dev", NULL, MS_MOVE, NULL);
	mount_at("/proc", "proc", NULL, MS_MOVE, NULL);
	mount_at("/sys", "sys", NULL, MS_MOVE, NULL);
	if (mount(".", "/", NULL, MS_MOVE, NULL) || chroot("."))
		fatal("switch root");

	mount_at("devpts", "/dev/pts", "devpts", 0, "ptmxmode=666");
	mount_at("shm", "/dev/shm", "tmpfs", 0, NULL);
	mount_at("tmp", "/tmp", "tmpfs", 0, "mode=1777");
	mount_at("run", "/run", "tmpfs", 0, NULL);
	mount_at("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount_at("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	mount_at("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	mount_at("bpf", "/sys/fs/bpf", "bpf", 0, NULL);
	mount_at("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
}

static void set_environment(void)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit files = { 65536, 65536 };
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int file, sock = socket(AF_INET, SOCK_DGRAM, 0);

	if (sock < 0 || ioctl(sock, SIOCSIFFLAGS, &lo))
		fatal("loopback");
	close(sock);
	sethostname("vmtest", 6);
	/* Emulated, each interrupt of a PMU takes "too long": no test is to slow those of the next */
	file = open("/proc/sys/kernel/perf_cpu_time_max_percent", O_WRONLY | O_CLOEXEC);
	if (file >= 0 && write(file, "0", 1) != 1)
		fatal("perf_cpu_time_max_percent");
	close(file);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	setrlimit(RLIMIT_NOFILE, &files);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin:/opt/vmtest/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("LC_ALL", "C", 1);
}

/* Without udev there is no /dev/virtio-ports: look the name up in sysfs. */
int open_port(const char *port, int flags)
{
	char path[600], name[64];
	struct dirent *d;
	DIR *dir = opendir("/sys/class/virtio-ports");
	FILE *f;
	int fd;

	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", d->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		name[0] = 0;
		if (!fgets(name, sizeof(name), f))
			name[0] = 0;
		fclose(f);
		name[strcspn(name, "\n")] = 0;
		if (strcmp(name, port))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", d->d_name);
		fd = open(path, flags | O_CLOEXEC);
		if (fd >= 0) {
			closedir(dir);
			return fd;
		}
	}
	errno = ENODEV;
	fatal(port);
	return -1;
}

void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			perror(path);
		close(fd);
	}
}

/* Becomes stdin, stdout and stderr of what the guest runs for somebody. */
static void use_fds(int in, int out)
{
	write_to(OOM_SCORE, "0");
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(126);
}

static void do_plan(FILE *out)
{
	FILE *plan = fopen(FW_CFG "plan/raw", "re");

	if (!plan)
		fatal("plan");
	_exit(run_plan(plan, out));
}

static void do_cmd(FILE *out)
{
	static char cmd[65536];
	FILE *f = fopen(FW_CFG "cmd/raw", "re");

	(void)out;
	if (!f || !fread(cmd, 1, sizeof(cmd) - 1, f))
		fatal("command");
	fclose(f);
	use_fds(open("/dev/null", O_RDONLY), open_port("vmtest.output", O_WRONLY));
	if (chdir("/opt/vmtest"))
		_exit(126);
	execl("/bin/bash", "bash", "-c", cmd, NULL);
	_exit(127);
}

static void do_shell(FILE *out)
{
	const char *lines = getenv("LINES"), *columns = getenv("COLUMNS");
	struct winsize size = { .ws_row = lines ? atoi(lines) : 24,
				.ws_col = columns ? atoi(columns) : 80 };
	int tty;

	(void)out;
	setsid();
	tty = open("/dev/hvc0", O_RDWR);
	if (tty < 0 || ioctl(tty, TIOCSCTTY, 0) || ioctl(tty, TIOCSWINSZ, &size))
		fatal("hvc0");
	use_fds(tty, tty);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (chdir("/opt/vmtest"))
		_exit(126);
	execl("/bin/bash", "bash", "-i", NULL);
	_exit(127);
}

/* What the child does, by the name in vmtest=. */
static const struct task {
	const char *name;
	void (*run)(FILE *out);
	bool any_code;		/* its exit code is a result, not a failure */
} tasks[] = {
	{ .name = "plan", .run = do_plan },
	{ .name = "gdb", .run = do_plan },
	{ .name = "cmd", .run = do_cmd, .any_code = true },
	{ .name = "shell", .run = do_shell, .any_code = true },
};

static const struct task *find_task(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(tasks) / sizeof(tasks[0]); i++)
		if (!strcmp(tasks[i].name, name))
			return &tasks[i];
	errno = EINVAL;
	fatal("vmtest= on the command line");
	return NULL;
}

int main(void)
{
	const struct task *task;
	const char *mode = getenv("vmtest");
	int status = -1;
	pid_t child, pid;
	FILE *out;

	mount_at("dev", "/dev", "devtmpfs", 0, NULL);
	/* The kernel found no /dev/console in the initramfs: open it late. */
	if (!freopen("/dev/console", "w", stdout) || !freopen("/dev/console", "w", stderr))
		power_off();
	say("user space");
	if (mode && !strcmp(mode, "probe"))
		power_off();
	/* For the fault "init". */
	signal(SIGUSR1, _exit);

	task = find_task(mode);
	mount_at("proc", "/proc", "proc", 0, NULL);
	mount_at("sys", "/sys", "sysfs", 0, NULL);
	make_root();
	set_environment();
	/* The runner must outlive what its tests do to memory. */
	write_to(OOM_SCORE, "-1000");
	out = fdopen(open_port("vmtest.results", O_WRONLY), "w");
	if (!out)
		fatal("results");
	fputs("# user space\n", out);
	fflush(out);

	child = fork();
	if (child < 0)
		fatal("fork");
	if (!child)
		task->run(out);

	do {
		pid = wait(&status);
	} while (pid != child);

	if (task->any_code) {
		fprintf(out, "# exit %d\n# DONE\n",
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	} else if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		fputs("# DONE\n", out);
	} else {
		say("the runner ended with wait status %#x", status);
		fprintf(out, "Bail out! the runner ended with wait status %#x\n", status);
	}
	fflush(out);
	/* The port has no fsync: give the host a moment to drain its queue. */
	usleep(200000);
	power_off();
	return 0;
}
