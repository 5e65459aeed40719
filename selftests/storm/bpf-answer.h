/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by bpf.c and bpf.bpf.c */
#ifndef _BPF_ANSWER_H
#define _BPF_ANSWER_H

#define FILES		12	/* of all file systems */
#define THREADS		9	/* whose stacks have frames in them */
#define FRAMES		32
#define STACK_IDS	16

/* The changes of each file: in between, it is being changed. */
struct changes {
	__u64 begun[FILES];
	__u64 done[FILES];
};

/* Where a thread was when it was asked for its stack; each can interrupt the one before. */
enum { IN_TASK, IN_PERF, IN_NMI, CONTEXTS };

/* Written by the program if it is not full, then read by the thread, which empties it. */
struct answer {
	__u64 done[FILES];		/* before the translation */
	__u64 begun[FILES];		/* after it */
	struct bpf_stack_build_id stack[FRAMES];
	__s64 result;
	__u64 full;
};

#endif /* _BPF_ANSWER_H */
