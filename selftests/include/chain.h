/* SPDX-License-Identifier: GPL-2.0 */
/* A call on a user stack of chosen return addresses, for unwinders that follow frame pointers */
#ifndef _CHAIN_H
#define _CHAIN_H

#define MAX_FRAMES	64

/* What a frame pointer points to, on both architectures */
struct frame_record {
	unsigned long next;
	unsigned long ret;
};

/* The return addresses that the stack goes on with */
struct chain {
	int n;
	unsigned long rets[MAX_FRAMES];
};

static __attribute__((__noinline__, __noclone__)) void
call_on_records(const struct frame_record *records, void (*func)(void *), void *arg)
{
	struct frame_record *frame = __builtin_frame_address(0);
	unsigned long next = *(volatile unsigned long *)&frame->next;

	*(volatile unsigned long *)&frame->next = (unsigned long)records;
	func(arg);
	*(volatile unsigned long *)&frame->next = next;
}

/*
 * Call @func on a stack that goes on with @c behind this function. The records are above the frame
 * of the callee, as unwinders expect.
 */
static __attribute__((__noinline__, __noclone__)) void
call_on_chain(const struct chain *c, void (*func)(void *), void *arg)
{
	struct frame_record records[MAX_FRAMES];

	for (int i = 0; i < c->n; i++) {
		records[i].next = i + 1 < c->n ? (unsigned long)&records[i + 1] : 0;
		records[i].ret = c->rets[i];
	}
	asm volatile("" : : "r" (records) : "memory");
	call_on_records(c->n ? records : 0, func, arg);
	/* The call must not become a jump. */
	asm volatile("" : : "r" (__builtin_frame_address(0)) : "memory");
}

#endif /* _CHAIN_H */
