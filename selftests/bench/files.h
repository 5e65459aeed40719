/* SPDX-License-Identifier: GPL-2.0 */
/* Files of their own inodes, with a build ID, mapped and resident */
#ifndef _BENCH_FILES_H
#define _BENCH_FILES_H

#include <sys/mman.h>
#include <sys/sendfile.h>

#include "bench.h"

#define FILES		4
#define FILE_PAGES	4

/* The program's own file, copied: the copies have its build ID, and inodes of their own. */
static char *map_copy(const char *path)
{
	int in, out;
	ssize_t n;
	char *p;

	in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	must(in >= 0 && out >= 0, path);
	do {
		n = sendfile(out, in, NULL, 1 << 20);
	} while (n > 0);
	must(!n && !fsync(out), path);
	close(in);
	close(out);

	in = open(path, O_RDONLY | O_CLOEXEC);
	p = mmap(NULL, FILE_PAGES * getpagesize(), PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_POPULATE, in, 0);
	must(p != MAP_FAILED, path);
	close(in);
	return p;
}

static inline void map_files(char **files)
{
	char path[32];

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "file-%d-%d", getpid(), i);
		files[i] = map_copy(path);
	}
}

#endif /* _BENCH_FILES_H */
