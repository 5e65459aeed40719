/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the benchmarks: a clock, the median of many calls, the report
 *
 * Under -icount the cycle counter of the guest advances by one with each instruction, so that
 * counts repeat. Elsewhere (bench_clock=ns on the kernel's command line) it is time.
 *
 * A figure is the median of single calls, unless a benchmark says otherwise: a timer tick, a page of
 * the ring buffer that is full, or anything else that happens to few of the calls does not move it.
 */
#ifndef _BENCH_H
#define _BENCH_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WARMUP		64
#define SAMPLES		401

#define noinline	__attribute__((__noinline__, __noclone__))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Keeps the frame of a function whose last act is a call. */
#define keep_frame()	({ asm volatile("" : : "r" (__builtin_frame_address(0)) : "memory"); })

#define fatal(fmt, ...)								\
({										\
	printf("error: " fmt "\n", ##__VA_ARGS__);				\
	exit(1);								\
})

#define must(ok, what)								\
	((void)((ok) || (fatal("%s:%d: %s: %s", __FILE__, __LINE__, what, strerror(errno)), 0)))

static bool bench_ns;

static inline uint64_t bench_clock(void)
{
	struct timespec ts;
	uint64_t t;

	if (bench_ns) {
		clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
		return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	}
#if defined(__x86_64__)
	t = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	asm volatile("mrs %0, cntvct_el0" : "=r" (t) : : "memory");
#endif
	return t;
}

struct figure {
	double median;
	double spread;		/* from the first to the ninth decile */
};

static int bench_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct figure bench_median(uint64_t *taken, int n)
{
	qsort(taken, n, sizeof(*taken), bench_compare);
	return (struct figure) {
		.median = taken[n / 2],
		.spread = taken[n * 9 / 10] - taken[n / 10],
	};
}

/* The shortest, where each of a few calls has something more in it than it need have */
static inline struct figure bench_least(uint64_t *taken, int n)
{
	struct figure f = bench_median(taken, n);

	f.median = taken[0];
	return f;
}

static void bench_nothing(void *arg)
{
	asm volatile("" : : "r" (arg) : "memory");
}

static uint64_t bench_taken[SAMPLES];	/* sorted by bench_raw() */

static noinline struct figure bench_raw(void (*func)(void *), void *arg)
{
	uint64_t t0;
	int i;

	for (i = 0; i < WARMUP; i++)
		func(arg);
	for (i = 0; i < SAMPLES; i++) {
		t0 = bench_clock();
		func(arg);
		bench_taken[i] = bench_clock() - t0;
	}
	return bench_median(bench_taken, SAMPLES);
}

/*
 * Of what bench_raw() has measured, the mean of the middle half: where calls take one of two numbers
 * by chance, and each about half of the time, the median is either.
 */
static inline double bench_middle(void)
{
	double sum = 0;

	for (int i = SAMPLES / 4; i < SAMPLES - SAMPLES / 4; i++)
		sum += bench_taken[i];
	return sum / (SAMPLES - 2 * (SAMPLES / 4));
}

/* What @func takes beyond @less */
static struct figure bench_beyond(void (*func)(void *), void *arg, struct figure less)
{
	struct figure f = bench_raw(func, arg);

	f.median -= less.median;
	return f;
}

/* What @func takes, without reading the clock */
static inline struct figure bench(void (*func)(void *), void *arg)
{
	return bench_beyond(func, arg, bench_raw(bench_nothing, NULL));
}

static inline void bench_report(const char *name, struct figure f)
{
	printf("bench %s %.1f %.1f\nok - %s\n", name, f.median, f.spread, name);
	fflush(stdout);
}

/* For what is not an instruction or a nanosecond: bytes, events */
static inline void bench_number(const char *name, double value)
{
	bench_report(name, (struct figure) { .median = value });
}

static inline void bench_null(const char *name, const char *why)
{
	printf("bench %s null %s\nok - %s # SKIP %s\n", name, why, name, why);
	fflush(stdout);
}

/* Two instructions a turn */
static void bench_loop(void *arg)
{
	unsigned long n = (unsigned long)arg;

#if defined(__x86_64__)
	asm volatile("1: dec %0; jnz 1b" : "+r" (n) : : "cc");
#elif defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1; b.ne 1b" : "+r" (n) : : "cc");
#endif
}

static noinline void bench_calls(int depth)
{
	if (depth)
		bench_calls(depth - 1);
	else
		syscall(SYS_getppid);
	keep_frame();
}

/*
 * getppid() with a user stack of @frames frames, at least 3: the instruction, and the callers up to
 * that of this function, whose frame record ends the stack
 */
static noinline __attribute__((__unused__)) void bench_stack(int frames)
{
	void *volatile *frame = __builtin_frame_address(0);
	void *caller = frame[0];

	frame[0] = NULL;
	bench_calls(frames - 3);
	frame[0] = caller;
}

/* Choose the clock; refuse one that should count instructions and does not. */
static void bench_init(void)
{
	const char *clock = getenv("bench_clock");
	struct figure f;

	bench_ns = !clock || strcmp(clock, "instructions");
	if (bench_ns)
		return;
	f = bench((void *)bench_loop, (void *)10000);
	if (f.median < 20000 - 20 || f.median > 20000 + 20)
		fatal("a loop of 20000 instructions took %.0f: the clock counts something else",
		      f.median);
}

static inline ssize_t bench_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t ret;

	if (fd < 0)
		return -1;
	while (n < size - 1 && (ret = read(fd, buf + n, size - 1 - n)) > 0)
		n += ret;
	buf[n] = 0;
	close(fd);
	return n;
}

static inline bool bench_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

#endif /* _BENCH_H */
