/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What events have recorded when they asked for a stack, and the stacks: do they match?
 *
 * There is one stack for each kernel entry, also if a signal or a sigreturn changes the registers
 * in the middle of it. What events behind that record is not compared: their stack may have been
 * asked for before. Those that come after the notice, but before the change, are. And a cookie from
 * before it is not that of an event behind it.
 */
#ifndef _UNWIND_CHECK_H
#define _UNWIND_CHECK_H

#include "storm.h"

#define MAX_RECORDS	65536
#define MAX_PRINTED	8

/* What asks for stacks */
struct kind {
	const char *name;
	bool contested;
	bool enters;		/* comes first in a system call */
	bool changes;		/* the registers, behind it */
	bool used;
	unsigned long seen;	/* samples with a stack */
	unsigned long wrong;
};

static struct storm total;
static unsigned long cut, empty, wrong_alone;

#define add(counter, n)	__atomic_add_fetch(&(counter), n, __ATOMIC_RELAXED)

/* @counter: of wrong answers of that sort, of which some are printed */
#define wrong(counter, fmt, ...)						\
({										\
	add(total.wrong, 1);							\
	if (add(counter, 1) <= MAX_PRINTED)					\
		printf("wrong: " fmt "\n", ##__VA_ARGS__);			\
})

struct sample {
	uint64_t cookie;	/* 0 if it did not ask, but enters or changes */
	uint64_t time;
	uint64_t ip;		/* 0 if it is not known */
	uint32_t number;	/* 0 if there is none */
	uint32_t tid;
	struct kind *kind;
	/* Of the kernel's stack, from the entry code of an interrupt on, as far as it was taken */
	uint64_t kernel[4];
};

struct stack {
	uint64_t cookie;
	uint64_t top;
	uint64_t nr;
	uint32_t number;
	uint32_t tid;
	bool checked, contested;
};

struct book {
	struct sample samples[MAX_RECORDS];
	struct stack stacks[MAX_RECORDS];
	int nr_samples, nr_stacks;
	uint64_t start, end;	/* between which all events are on */
	bool whole;		/* nothing was lost, no work was cancelled */
};

static struct book *new_book(void)
{
	struct book *book = malloc(sizeof(*book));

	must(book, "malloc");
	return book;
}

static struct sample *new_sample(struct book *book)
{
	if (book->nr_samples == MAX_RECORDS) {
		book->whole = false;
		book->nr_samples--;
	}
	return memset(&book->samples[book->nr_samples++], 0, sizeof(struct sample));
}

static struct stack *new_stack(struct book *book)
{
	if (book->nr_stacks == MAX_RECORDS) {
		book->whole = false;
		book->nr_stacks--;
	}
	return memset(&book->stacks[book->nr_stacks++], 0, sizeof(struct stack));
}

static int by_cookie(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

static int by_time(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* A restarted system call begins with its instruction once more. */
static bool same_ip(uint64_t a, uint64_t b)
{
	return a - b + 4 <= 8;
}

static void check_sample(struct sample *sample, struct stack *stack)
{
	if (!stack->nr) {
		add(empty, 1);
		return;
	}
	if (sample->tid != stack->tid)
		wrong(sample->kind->wrong, "%s: cookie %lx of thread %u has a stack of thread %u",
		      sample->kind->name, sample->cookie, sample->tid, stack->tid);
	else if (sample->ip && !same_ip(sample->ip, stack->top))
		wrong(sample->kind->wrong,
		      "%s: cookie %lx of thread %u at %lx (number %u) has a stack from %lx (%u); it was at %lx %lx %lx %lx",
		      sample->kind->name, sample->cookie, sample->tid, sample->ip, sample->number,
		      stack->top, stack->number, sample->kernel[0], sample->kernel[1],
		      sample->kernel[2], sample->kernel[3]);
	else if (sample->number && sample->number != stack->number)
		wrong(sample->kind->wrong,
		      "%s: cookie %lx of thread %u with number %u has the stack of %u",
		      sample->kind->name, sample->cookie, sample->tid, sample->number,
		      stack->number);
	add(sample->kind->seen, 1);
	stack->checked |= sample->ip || sample->number;
	stack->contested |= sample->kind->contested;
}

/* Has the thread got to user space, and been in the kernel again? */
static bool gone_on(struct book *book, struct sample *sample)
{
	struct sample *end = book->samples + book->nr_samples, *s;

	for (s = sample + 1; s < end && s->tid == sample->tid; s++)
		if (s->cookie && s->cookie != sample->cookie)
			return true;
	return false;
}

static void check_stacks(struct book *book)
{
	qsort(book->stacks, book->nr_stacks, sizeof(struct stack), by_cookie);
	for (int i = 0; i < book->nr_stacks; i++) {
		struct stack *s = &book->stacks[i], *before = s - 1;

		if (!s->cookie)
			wrong(wrong_alone, "cookie 0 for a stack of thread %u", s->tid);
		if (!i || s->cookie != before->cookie)
			continue;
		if (book->whole)
			wrong(wrong_alone, "two stacks for cookie %lx", s->cookie);
		else if (s->number != before->number)
			wrong(wrong_alone, "cookie %lx for numbers %u and %u", s->cookie,
			      before->number, s->number);
	}
}

/* What is known of the kernel entry that a thread is in */
struct entry {
	uint64_t cookie;	/* 0 if none was seen */
	uint64_t from;		/* where the thread was before the change, 0 behind a second one */
	uint64_t old;		/* the cookie that it had there */
	bool known;		/* from the beginning */
	bool changed;		/* or about to */
};

static void check_samples(struct book *book)
{
	struct entry entry = {};

	qsort(book->samples, book->nr_samples, sizeof(struct sample), by_time);
	for (int i = 0; i < book->nr_samples; i++) {
		struct sample *s = &book->samples[i];
		struct stack key = { .cookie = s->cookie }, *stack;
		uint64_t ip = s->ip;

		if (!i || s->tid != s[-1].tid)
			entry = (struct entry) {};
		if (s->kind->enters || (s->cookie && entry.cookie && s->cookie != entry.cookie))
			entry = (struct entry) { .known = true };
		if (s->cookie)
			entry.cookie = s->cookie;
		if (s->cookie && s->cookie == entry.old && ip && entry.from &&
		    !same_ip(ip, entry.from))
			wrong(s->kind->wrong,
			      "%s: thread %u at %lx has cookie %lx from %lx, before a change",
			      s->kind->name, s->tid, ip, s->cookie, entry.from);
		if (!entry.known || (entry.changed && ip != entry.from)) {
			s->ip = 0;
			s->number = 0;
		}
		if (s->kind->changes) {
			entry.from = entry.changed ? 0 : ip;
			entry.old = entry.cookie;
			entry.changed = true;
		}
		if (!s->cookie)
			continue;

		stack = bsearch(&key, book->stacks, book->nr_stacks, sizeof(key), by_cookie);
		if (stack)
			check_sample(s, stack);
		else if (book->whole && gone_on(book, s))
			wrong(s->kind->wrong, "%s: no stack for cookie %lx of thread %u",
			      s->kind->name, s->cookie, s->tid);
		else
			add(cut, 1);
	}
}

/* A storm without what is contested is none */
static void report_kind(struct kind *kind)
{
	printf("storm %s: %lu, %lu wrong\n", kind->name, kind->seen, kind->wrong);
	if (kind->contested && kind->used && !kind->seen)
		total.contested = 0;
}

static void check_book(struct book *book)
{
	check_stacks(book);
	check_samples(book);
	for (int i = 0; i < book->nr_stacks; i++) {
		add(total.attempts, book->stacks[i].checked);
		add(total.contested, book->stacks[i].checked && book->stacks[i].contested);
	}
}

#endif /* _UNWIND_CHECK_H */
