// SPDX-License-Identifier: GPL-2.0
/* Ways into the kernel and back, with no tracer on */
#include <signal.h>
#include "bench.h"

/* entry/syscall-exit: a system call that does nothing */
static void call(void *arg)
{
	syscall((long)arg);
}

static void handler(int sig)
{
}

/* entry/signal: send a signal to oneself, run the handler, return from it */
static void take_signal(void *arg)
{
	syscall(SYS_kill, (long)arg, SIGUSR1);
}

int main(void)
{
	bench_init();
	bench_report("entry/syscall-exit", bench(call, (void *)SYS_getppid));

	must(signal(SIGUSR1, handler) != SIG_ERR, "signal");
	bench_report("entry/signal", bench(take_signal, (void *)(long)getpid()));
	return 0;
}
