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

/*
 * @nr of them, @name-0 and on. The first access that finds the atime not behind the mtime changes it.
 * And a read compares the two, down to the nanosecond where they are in the same second, which takes
 * longer. Whether they are would depend on the host's disk and clock.
 */
static inline void make_copies(const char *name, int nr)
{
	char path[32];

	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s-%d", name, i);
		make_copy(path);
	}
	sleep(1);
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
	char name[16], path[32];

	snprintf(name, sizeof(name), "file-%d", getpid());
	make_copies(name, FILES);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s-%d", name, i);
		files[i] = map_file(path);
	}
}

#endif /* _BENCH_FILES_H */
