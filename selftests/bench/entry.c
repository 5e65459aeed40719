// SPDX-License-Identifier: GPL-2.0
/* entry/syscall-exit: a system call that does nothing, with no tracer on */
#include "bench.h"

static void call(void *arg)
{
	syscall((long)arg);
}

int main(void)
{
	bench_init();
	bench_report("entry/syscall-exit", bench(call, (void *)SYS_getppid));
	return 0;
}
