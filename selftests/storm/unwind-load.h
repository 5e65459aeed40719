/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that enter the kernel in all sorts of ways, each time on a stack that has a number
 *
 * The number is at two places: in a register that the call does not use, and in a return address on
 * the user stack. The register has it only while the stack has it.
 */
#ifndef _UNWIND_LOAD_H
#define _UNWIND_LOAD_H

#include <asm/perf_regs.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "chain.h"
#include "storm.h"

#define noinline	__attribute__((__noinline__, __noclone__))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CTL		"/sys/kernel/debug/unwind_deferred_test"
#define MAX_DEPTH	24
#define SIGNAL_US	2000

/* A number in a return address, and in the register: no other values look like these */
#define ADDRESS		0x1000000000UL
#define MARK		0x5a5a000000000000UL
#define is_number(value, mark)	((value) >> 32 == (mark) >> 32)

#if defined(__x86_64__)
#define IP_REG		PERF_REG_X86_IP
#define NUMBER_REG	PERF_REG_X86_R9
#elif defined(__aarch64__)
#define IP_REG		PERF_REG_ARM64_PC
#define NUMBER_REG	PERF_REG_ARM64_X5
#endif

static uint32_t *last_number;	/* shared by all processes */

static uint32_t new_number(void)
{
	return __atomic_add_fetch(last_number, 1, __ATOMIC_RELAXED);
}

/* In a register from right before the call to right behind it */
static __always_inline long numbered_call(uint32_t number, long nr, long arg0, long arg1, long arg2)
{
#if defined(__x86_64__)
	register long r10 asm("r10") = 0;
	register long r8 asm("r8") = 0;
	register long r9 asm("r9") = MARK | number;
	long ret;

	asm volatile("syscall\n\txor %k2, %k2"
		     : "=a" (ret), "+r" (r10), "+r" (r9)
		     : "a" (nr), "D" (arg0), "S" (arg1), "d" (arg2), "r" (r8)
		     : "rcx", "r11", "memory", "cc");
	return ret;
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = arg0;
	register long x1 asm("x1") = arg1;
	register long x2 asm("x2") = arg2;
	register long x3 asm("x3") = 0;
	register long x4 asm("x4") = 0;
	register long x5 asm("x5") = MARK | number;

	asm volatile("svc #0\n\tmov %1, xzr"
		     : "+r" (x0), "+r" (x5)
		     : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4)
		     : "memory");
	return x0;
#endif
}

/* The same for interrupts */
static __always_inline void numbered_loop(uint32_t number, unsigned long turns)
{
#if defined(__x86_64__)
	register long r9 asm("r9") = MARK | number;

	asm volatile("1:\tdec %0\n\tjnz 1b\n\txor %k1, %k1"
		     : "+r" (turns), "+r" (r9) : : "memory", "cc");
#elif defined(__aarch64__)
	register long x5 asm("x5") = MARK | number;

	asm volatile("1:\tsubs %0, %0, #1\n\tb.ne 1b\n\tmov %1, xzr"
		     : "+r" (turns), "+r" (x5) : : "memory", "cc");
#endif
}

/* A signal handler begins with the registers of what it interrupts */
static __always_inline void forget_number(void)
{
#if defined(__x86_64__)
	asm volatile("xor %%r9d, %%r9d" : : : "r9", "cc");
#elif defined(__aarch64__)
	asm volatile("mov x5, xzr" : : : "x5");
#endif
}

#define keep_frame()	({ asm volatile("" : : "r" (__builtin_frame_address(0)) : "memory"); })

struct call {
	uint32_t number;
	long nr;
	long args[3];
	unsigned long turns;
};

static noinline void make_call(void *arg)
{
	struct call *c = arg;

	numbered_call(c->number, c->nr, c->args[0], c->args[1], c->args[2]);
	keep_frame();
}

static noinline void make_loop(void *arg)
{
	struct call *c = arg;

	numbered_loop(c->number, c->turns);
	keep_frame();
}

/* Call @func on a stack of a depth of its own that ends with a new number */
static noinline void numbered(void (*func)(void *), struct call *c)
{
	struct chain chain;

	c->number = new_number();
	chain.n = 1 + c->number % MAX_DEPTH;
	for (int i = 0; i < chain.n - 1; i++)
		chain.rets[i] = 0x400000 + 16 * i;
	chain.rets[chain.n - 1] = ADDRESS | c->number;
	call_on_chain(&chain, func, c);
	keep_frame();
}

static void call(long nr, long arg0, long arg1, long arg2)
{
	numbered(make_call, &(struct call) { .nr = nr, .args = { arg0, arg1, arg2 } });
}

static void loop(unsigned long turns)
{
	numbered(make_loop, &(struct call) { .turns = turns });
}

static void nap(unsigned int us)
{
	struct timespec ts = { .tv_nsec = 1000L * us };

	call(SYS_nanosleep, (long)&ts, 0, 0);
}

static void calls(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		call(SYS_getppid, 0, 0, 0);
	loop(20000);
}

/* Returns only if it fails. The program that is executed exits. */
static noinline void execute(void)
{
	static const char *argv[] = { "unwind", "--child", NULL };
	extern char **environ;

	call(SYS_execve, (long)"/proc/self/exe", (long)argv, (long)environ);
	call(SYS_exit_group, 1, 0, 0);
}

static void *call_for_ever(void *unused)
{
	for (;;)
		calls(8);
	return NULL;
}

static void child_exits(void)
{
	call(SYS_exit_group, 0, 0, 0);
}

static void child_executes(void)
{
	execute();
}

/* The other threads are killed in the middle of their calls. */
static void child_with_threads_executes(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		must(!pthread_create(&thread, NULL, call_for_ever, NULL), "pthread_create");
	calls(16);
	execute();
}

static void child_is_killed(void)
{
	call_for_ever(NULL);
}

/* The child runs on the stack of its parent, below it */
static noinline void make_vfork(void *arg)
{
	struct call *c = arg;

	c->args[0] = numbered_call(c->number, SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0);
	if (!c->args[0])
		execute();
	keep_frame();
}

static void parent(void)
{
	static void (*const children[])(void) = {
		child_exits, child_executes, child_with_threads_executes, child_is_killed
	};
	struct call c = {};

	for (unsigned int i = 0; !storm_over(); i++) {
		pid_t pid = fork();

		must(pid >= 0, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			children[i % ARRAY_SIZE(children)]();
			_exit(1);
		}
		if (children[i % ARRAY_SIZE(children)] == child_is_killed) {
			usleep(new_number() % 16 * 500);
			kill(pid, SIGKILL);
		}
		waitpid(pid, NULL, 0);

		numbered(make_vfork, &c);
		must(c.args[0] > 0, "clone");
		waitpid(c.args[0], NULL, 0);
	}
}

static void handler(int sig)
{
	forget_number();
	call(SYS_getppid, 0, 0, 0);
}

/* Signals at any time, on a stack of their own or not, from itself and from a timer */
static void signalled(void)
{
	struct itimerval timer = { { 0, SIGNAL_US }, { 0, SIGNAL_US } };
	struct sigaction sa = { .sa_handler = handler };
	stack_t ss = { .ss_size = 64 << 10 };
	pid_t pid = getpid();

	ss.ss_sp = malloc(ss.ss_size);
	must(ss.ss_sp && !sigaltstack(&ss, NULL), "sigaltstack");
	sigfillset(&sa.sa_mask);
	must(!sigaction(SIGUSR1, &sa, NULL), "sigaction");
	sa.sa_flags = SA_ONSTACK | SA_RESTART;
	must(!sigaction(SIGALRM, &sa, NULL), "sigaction");
	must(!setitimer(ITIMER_REAL, &timer, NULL), "setitimer");

	while (!storm_over()) {
		calls(4);
		call(SYS_tgkill, pid, pid, SIGUSR1);
		nap(SIGNAL_US);
	}
}

static void caller(void)
{
	while (!storm_over()) {
		calls(16);
		nap(100);
	}
}

static int ctl(const char *format, int a, int b)
{
	int fd = open(CTL, O_WRONLY | O_CLOEXEC), len, ret = 0;
	char lines[64];

	must(fd >= 0, CTL);
	len = snprintf(lines, sizeof(lines), format, a, b);
	if (write(fd, lines, len) != len)
		ret = -errno;
	close(fd);
	return ret;
}

/* Work 0 is for the NMIs that hit who has registered it. */
static void target(void)
{
	must(!ctl("init 0", 0, 0), "init 0");
	while (!storm_over())
		calls(16);
}

static void (*const workers[])(void) = { caller, signalled, parent, parent, parent, target };

#endif /* _UNWIND_LOAD_H */
