// SPDX-License-Identifier: GPL-2.0
/*
 * procmap/ioctl, procmap/text: which file, at which offset, is behind each of 64 addresses? The
 * addresses are in 4 files, among 4000 mappings. procmap/ioctl-build-id, procmap/text-build-id: and
 * which build ID has it? The ioctl says that, too; else it is read from each file that the text
 * names.
 */
#include <elf.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "bench.h"
#include "files.h"

#define MAPPINGS	4000
#define ADDRS		64
#define FEW_SAMPLES	31

#ifndef PROCMAP_QUERY
#error "the headers are those of the kernel that was built, and have PROCMAP_QUERY"
#endif

static int maps;
static unsigned long addrs[ADDRS];
static unsigned long found;

static void by_ioctl(void *build_id)
{
	struct procmap_query q;
	char name[256], id[20];

	found = 0;
	for (int i = 0; i < ADDRS; i++) {
		memset(&q, 0, sizeof(q));
		q.size = sizeof(q);
		q.query_addr = addrs[i];
		q.vma_name_addr = (unsigned long)name;
		q.vma_name_size = sizeof(name);
		if (build_id) {
			q.build_id_addr = (unsigned long)id;
			q.build_id_size = sizeof(id);
		}
		if (!ioctl(maps, PROCMAP_QUERY, &q) && !build_id == !q.build_id_size)
			found++;
	}
}

static unsigned long hex(const char **p)
{
	unsigned long v = 0;

	for (;; (*p)++) {
		if (**p >= '0' && **p <= '9')
			v = v << 4 | (**p - '0');
		else if (**p >= 'a' && **p <= 'f')
			v = v << 4 | (**p - 'a' + 10);
		else
			return v;
	}
}

/* Returns the size of the build ID in a file, or 0 */
static int read_build_id_of(const char *path, size_t len, char *id)
{
	char name[256], notes[1024];
	Elf64_Phdr phdr[16];
	Elf64_Ehdr ehdr;
	Elf64_Nhdr *n;
	ssize_t size;
	int fd, i, pos;
	int ret = 0;

	must(len < sizeof(name), "a short path");
	memcpy(name, path, len);
	name[len] = 0;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	must(fd >= 0, name);
	must(pread(fd, &ehdr, sizeof(ehdr), 0) == sizeof(ehdr), name);
	must(ehdr.e_phnum <= ARRAY_SIZE(phdr), name);
	size = ehdr.e_phnum * sizeof(phdr[0]);
	must(pread(fd, phdr, size, ehdr.e_phoff) == size, name);
	for (i = 0; i < ehdr.e_phnum && !ret; i++) {
		size = phdr[i].p_filesz;
		if (phdr[i].p_type != PT_NOTE || size > (ssize_t)sizeof(notes))
			continue;
		must(pread(fd, notes, size, phdr[i].p_offset) == size, name);
		for (pos = 0; pos + (ssize_t)sizeof(*n) < size;
		     pos += sizeof(*n) + ((n->n_namesz + 3) & ~3) + ((n->n_descsz + 3) & ~3)) {
			n = (void *)(notes + pos);
			if (n->n_type != NT_GNU_BUILD_ID || n->n_namesz != 4)
				continue;
			memcpy(id, notes + pos + sizeof(*n) + 4, 20);
			ret = n->n_descsz;
			break;
		}
	}
	close(fd);
	return ret;
}

/*
 * The addresses are sorted, and so is the text: one pass. A file is read once, as it has its
 * mappings one behind the other.
 */
static void by_text(void *build_id)
{
	static char text[1 << 19];
	const char *p, *path;
	unsigned long start, end;
	size_t len = 0, path_len;
	char id[20];
	ssize_t n;
	int i = 0;

	must(!lseek(maps, 0, SEEK_SET), "lseek");
	while ((n = read(maps, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	must(len < sizeof(text) - 1, "space for the text");
	text[len] = 0;
	found = 0;
	for (p = text; *p; p = strchr(p, '\n') + 1) {
		start = hex(&p);
		p++;
		end = hex(&p);
		while (i < ADDRS && addrs[i] < start)
			i++;
		if (i == ADDRS || addrs[i] >= end)
			continue;
		if (build_id) {
			path = strchr(p, '/');
			path_len = strchr(path, '\n') - path;
			must(read_build_id_of(path, path_len, id) == sizeof(id), "a build ID");
		}
		for (; i < ADDRS && addrs[i] < end; i++)
			found++;
	}
}

/*
 * All of these take long, some longer than a tick: these are fewer samples, and the shortest one has
 * the fewest interrupts in it.
 */
static struct figure bench_shortest(void (*func)(void *), void *build_id)
{
	static uint64_t taken[FEW_SAMPLES];
	uint64_t t0;

	for (int i = -2; i < FEW_SAMPLES; i++) {
		t0 = bench_clock();
		func(build_id);
		if (i >= 0)
			taken[i] = bench_clock() - t0;
	}
	return bench_least(taken, FEW_SAMPLES);
}

static struct figure per_address(struct figure f)
{
	must(found == ADDRS, "not all addresses were found");
	f.median /= ADDRS;
	f.spread /= ADDRS;
	return f;
}

/*
 * Where a file finds place in its set of the cache depends on those that were asked about before, and
 * on where the inodes are in memory; how long it takes to find it there does, too. Only files of this
 * program are to be in the cache. The base has none.
 */
static void empty_cache(void)
{
	int fd = open("/sys/module/buildid_cache/parameters/enabled", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	must(write(fd, "N", 1) == 1 && write(fd, "Y", 1) == 1, "buildid_cache.enabled");
	close(fd);
}

int main(void)
{
	char *area, *files[FILES];
	int i, page = getpagesize();

	bench_init();

	/* Every second page, so that they stay mappings of their own */
	area = mmap(NULL, MAPPINGS * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(area != MAP_FAILED, "mmap");
	for (i = 0; i < MAPPINGS; i += 2)
		must(!mprotect(area + i * page, page, PROT_READ), "mprotect");
	map_files(files);
	for (i = 0; i < ADDRS; i++)
		addrs[i] = (unsigned long)files[i * FILES / ADDRS] + 64 * (i % (ADDRS / FILES));
	qsort(addrs, ADDRS, sizeof(addrs[0]), bench_compare);

	maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	must(maps >= 0, "/proc/self/maps");

	empty_cache();
	bench_report("procmap/ioctl", per_address(bench_shortest(by_ioctl, NULL)));
	bench_report("procmap/ioctl-build-id", per_address(bench_shortest(by_ioctl, &maps)));
	bench_report("procmap/text-build-id", per_address(bench_shortest(by_text, &maps)));
	bench_report("procmap/text", per_address(bench_shortest(by_text, NULL)));
	return 0;
}
