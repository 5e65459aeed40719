/* SPDX-License-Identifier: GPL-2.0 */
/* Files of their own inodes, with a build ID, mapped where they are resident */
#ifndef _BENCH_FILES_H
#define _BENCH_FILES_H

#include <sys/mman.h>
#include <sys/sendfile.h>

#include "bench.h"

#define FILES		4
#define FILE_PAGES	4

/* The program's own file, copied: the copies have its build ID, and inodes of their own. */
static inline void make_copy(const char *path)
{
	int in, out;
	ssize_t n;

	in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	must(in >= 0 && out >= 0, path);
	do {
		n = sendfile(out, in, NULL, 1 << 20);
	} while (n > 0);
	must(!n && !fsync(out), path);
	close(in);
	close(out);
}

static inline char *map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *p = mmap(NULL, FILE_PAGES * getpagesize(), PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_POPULATE, fd, 0);

	must(p != MAP_FAILED, path);
	close(fd);
	return p;
}

static inline void unmap_file(char *p)
{
	munmap(p, FILE_PAGES * getpagesize());
}

static inline void map_files(char **files)
{
	char path[32];

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "file-%d-%d", getpid(), i);
		make_copy(path);
		files[i] = map_file(path);
	}
}

#endif /* _BENCH_FILES_H */
