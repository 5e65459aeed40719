/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the stress drivers: for how long, and the report */
#ifndef _STORM_H
#define _STORM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define must(ok, what)								\
({										\
	if (!(ok)) {								\
		printf("error: %s:%d: %s: %s\n", __FILE__, __LINE__, what, strerror(errno)); \
		exit(1);							\
	}									\
})

/*
 * @attempts: answers that were checked
 * @contested: those that met somebody else on the way: a run without them proves nothing
 * @wrong: wrong answers
 */
struct storm {
	uint64_t attempts;
	uint64_t contested;
	uint64_t wrong;
};

/* What to run, in each thread, until storm_over(). */
static inline bool storm_over(void)
{
	static time_t end;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	/* The threads that begin together set the same end. */
	if (!__atomic_load_n(&end, __ATOMIC_RELAXED))
		__atomic_store_n(&end, now.tv_sec + atoi(getenv("storm_seconds") ?: "60"),
				 __ATOMIC_RELAXED);
	return now.tv_sec >= __atomic_load_n(&end, __ATOMIC_RELAXED);
}

/* @least: fewer attempts show too little */
static inline int storm_report(const char *name, const struct storm *s, uint64_t least)
{
	bool good = s->attempts >= least && s->contested && !s->wrong;

	printf("storm attempts %llu\nstorm contested %llu\nstorm wrong %llu\n",
	       (unsigned long long)s->attempts, (unsigned long long)s->contested,
	       (unsigned long long)s->wrong);
	if (s->attempts < least)
		printf("error: %llu attempts, and at least %llu are needed: MINUTES= makes it longer\n",
		       (unsigned long long)s->attempts, (unsigned long long)least);
	if (!s->contested)
		printf("nothing was contested: this run proves nothing\n");
	printf("%s - %s\n", good ? "ok" : "not ok", name);
	return good ? 0 : 1;
}

#endif /* _STORM_H */
