// SPDX-License-Identifier: GPL-2.0
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* As many buckets as 32 stacks fight about */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 8);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 32 * sizeof(__u64));
} stacks SEC(".maps");

SEC("raw_tp")
int get_stackid(void *ctx)
{
	return bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
}

char _license[] SEC("license") = "GPL";
