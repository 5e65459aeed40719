// SPDX-License-Identifier: GPL-2.0
/* One program for each way to keep a user stack, and one that keeps none */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAX_FRAMES	64

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1024);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, MAX_FRAMES * sizeof(__u64));
} stacks SEC(".maps");

/* Read by probe.h */
struct {
	struct bpf_stack_build_id stack[MAX_FRAMES];
	long result;
} out;

SEC("uprobe.multi")
int nothing(void *ctx)
{
	out.result = 0;
	return 0;
}

SEC("uprobe.multi.s")
int nothing_sleepable(void *ctx)
{
	out.result = 0;
	return 0;
}

SEC("uprobe.multi")
int nofault(void *ctx)
{
	out.result = bpf_get_stack(ctx, out.stack, sizeof(out.stack),
				   BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	return 0;
}

extern void bpf_local_irq_save(unsigned long *flags) __ksym;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym;

SEC("uprobe.multi")
int nothing_irqs_off(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	out.result = 0;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("uprobe.multi")
int irqs_off(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	out.result = bpf_get_stack(ctx, out.stack, sizeof(out.stack),
				   BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("uprobe.multi.s")
int sleepable(void *ctx)
{
	out.result = bpf_get_stack(ctx, out.stack, sizeof(out.stack),
				   BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	return 0;
}

/* What the walk alone takes */
SEC("uprobe.multi")
int addresses(void *ctx)
{
	out.result = bpf_get_stack(ctx, out.stack, sizeof(out.stack) / 4, BPF_F_USER_STACK);
	return 0;
}

SEC("uprobe.multi")
int stackid(void *ctx)
{
	out.result = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	return 0;
}

char _license[] SEC("license") = "GPL";
