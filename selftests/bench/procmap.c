// SPDX-License-Identifier: GPL-2.0
/*
 * procmap/ioctl-build-id, procmap/text: which file, at which offset, is behind each of 64
 * addresses? The addresses are in 4 files, among 200 mappings. The ioctl also says the build ID,
 * which a reader of the text would still have to look up in the file.
 */
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "bench.h"
#include "files.h"

#define MAPPINGS	200
#define ADDRS		64

#ifndef PROCMAP_QUERY
#error "the headers are those of the kernel that was built, and have PROCMAP_QUERY"
#endif

static int maps;
static unsigned long addrs[ADDRS];
static unsigned long found;

static void by_ioctl(void *unused)
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
		q.build_id_addr = (unsigned long)id;
		q.build_id_size = sizeof(id);
		if (!ioctl(maps, PROCMAP_QUERY, &q) && q.build_id_size)
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

/* The addresses are sorted, and so is the text: one pass. */
static void by_text(void *unused)
{
	static char text[1 << 17];
	unsigned long start, end;
	size_t len = 0;
	const char *p;
	ssize_t n;
	int i = 0;

	must(!lseek(maps, 0, SEEK_SET), "lseek");
	while ((n = read(maps, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	text[len] = 0;
	found = 0;
	for (p = text; *p; p = strchr(p, '\n') + 1) {
		start = hex(&p);
		p++;
		end = hex(&p);
		while (i < ADDRS && addrs[i] < start)
			i++;
		for (; i < ADDRS && addrs[i] < end; i++)
			found++;
	}
}

static struct figure per_address(struct figure f)
{
	must(found == ADDRS, "not all addresses were found");
	f.median /= ADDRS;
	f.spread /= ADDRS;
	return f;
}

int main(void)
{
	char *area, *files[FILES];
	int i, page = getpagesize();

	bench_init();

	/* Every second page, so that they stay mappings of their own */
	area = mmap(NULL, 2 * MAPPINGS * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(area != MAP_FAILED, "mmap");
	for (i = 0; i < MAPPINGS; i++)
		must(!mprotect(area + 2 * i * page, page, PROT_READ), "mprotect");
	map_files(files);
	for (i = 0; i < ADDRS; i++)
		addrs[i] = (unsigned long)files[i * FILES / ADDRS] + 64 * (i % (ADDRS / FILES));
	qsort(addrs, ADDRS, sizeof(addrs[0]), bench_compare);

	maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	must(maps >= 0, "/proc/self/maps");

	bench_report("procmap/ioctl-build-id", per_address(bench(by_ioctl, NULL)));
	bench_report("procmap/text", per_address(bench(by_text, NULL)));
	return 0;
}
