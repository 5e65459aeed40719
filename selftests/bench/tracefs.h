/* SPDX-License-Identifier: GPL-2.0 */
/* Files of tracefs, by their path in it */
#ifndef _BENCH_TRACEFS_H
#define _BENCH_TRACEFS_H

#include "bench.h"

#define TRACING		"/sys/kernel/tracing/"

static inline void set(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", file);
	must(bench_write(path, text), path);
}

/* The number behind "key: " */
static inline double number_in(const char *file, const char *key)
{
	char path[128], text[4096], *p;

	snprintf(path, sizeof(path), TRACING "%s", file);
	must(bench_read(path, text, sizeof(text)) > 0, path);
	p = strstr(text, key);
	must(p, key);
	return atof(p + strlen(key));
}

#endif /* _BENCH_TRACEFS_H */
