// SPDX-License-Identifier: GPL-2.0
/* A program for each way to have a stack translated, and the changes of the files meanwhile */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>

#include "bpf-answer.h"

#define BUILD_IDS	(BPF_F_USER_STACK | BPF_F_USER_BUILD_ID)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct changes);
} files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, THREADS * CONTEXTS);
	__type(key, __u32);
	__type(value, struct answer);
} answers SEC(".maps");

/* From the ID of a thread to its number */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS);
	__type(key, __u32);
	__type(value, __u32);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(map_flags, BPF_F_STACK_BUILD_ID);
	__uint(max_entries, STACK_IDS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, FRAMES * sizeof(struct bpf_stack_build_id));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(map_flags, BPF_F_STACK_BUILD_ID | BPF_F_STACK_WINDOW);
	__uint(max_entries, STACK_IDS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, FRAMES * sizeof(struct bpf_stack_build_id));
} window_stacks SEC(".maps");

static __u64 barrier;

/* An atomic operation that returns a value is ordered against all others. */
static __always_inline void full_barrier(void)
{
	__u64 old = __sync_lock_test_and_set(&barrier, 0);

	asm volatile("" : : "r" (old) : "memory");
}

static __always_inline struct answer *begin(__u32 context)
{
	__u32 tid = bpf_get_current_pid_tgid(), zero = 0, *thread;
	volatile struct changes *changes;
	struct answer *answer;

	thread = bpf_map_lookup_elem(&threads, &tid);
	if (!thread)
		return NULL;
	context += *thread * CONTEXTS;
	answer = bpf_map_lookup_elem(&answers, &context);
	changes = bpf_map_lookup_elem(&files, &zero);
	if (!answer || !changes || *(volatile __u64 *)&answer->full)
		return NULL;
	for (int i = 0; i < FILES; i++)
		answer->done[i] = changes->done[i];
	full_barrier();
	return answer;
}

static __always_inline void end(struct answer *answer, long result)
{
	volatile struct changes *changes;
	__u32 zero = 0;

	full_barrier();
	changes = bpf_map_lookup_elem(&files, &zero);
	if (!changes)
		return;
	for (int i = 0; i < FILES; i++)
		answer->begun[i] = changes->begun[i];
	answer->result = result;
	full_barrier();
	*(volatile __u64 *)&answer->full = 1;
}

/* Returns whether there was room for the answer. */
static __always_inline bool get_stack(void *ctx, __u32 context)
{
	struct answer *answer = begin(context);

	if (!answer)
		return false;
	end(answer, bpf_get_stack(ctx, answer->stack, sizeof(answer->stack), BUILD_IDS));
	return true;
}

static __always_inline void get_stackid(void *ctx, void *map)
{
	struct answer *answer = begin(IN_TASK);

	if (answer)
		end(answer, bpf_get_stackid(ctx, map, BPF_F_USER_STACK));
}

SEC("uprobe.multi")
int nofault(void *ctx)
{
	get_stack(ctx, IN_TASK);
	return 0;
}

SEC("uprobe.multi.s")
int sleepable(void *ctx)
{
	get_stack(ctx, IN_TASK);
	return 0;
}

SEC("uprobe.multi")
int stackid(void *ctx)
{
	get_stackid(ctx, &stacks);
	return 0;
}

SEC("uprobe.multi")
int window(void *ctx)
{
	get_stackid(ctx, &window_stacks);
	return 0;
}

/*
 * The stacks that are inserted here are nobody's: they are in the way of the others. They come last:
 * where interrupts are disabled, the mmap lock is only to be had once.
 */
SEC("perf_event")
int perf(void *ctx)
{
	if (get_stack(ctx, IN_PERF)) {
		bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
		bpf_get_stackid(ctx, &window_stacks, BPF_F_USER_STACK);
	}
	return 0;
}

/* There is such a tracepoint on x86 only. */
SEC("?tp_btf/nmi_handler")
int nmi(void *ctx)
{
	get_stack(ctx, IN_NMI);
	return 0;
}

char _license[] SEC("license") = "GPL";
