// SPDX-License-Identifier: GPL-2.0
/*
 * Build IDs of files that are changed, evicted, mapped and mounted meanwhile: in stacks, translated
 * where the program may sleep, where it may not, in interrupts, in NMI and for stack IDs, and from
 * PROCMAP_QUERY and mmap2 records
 *
 * The n-th change of a file puts n in its build ID, in a byte, so that no read is torn. Changes are
 * counted when they begin and when they are done. An answer lies between the changes that were done
 * before the question, and those that have begun when it is given. If these are the same, nobody
 * has interfered, and only one answer is right.
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf-answer.h"
#include "chain.h"
#include "storm.h"
#include "../nmi/ask-host.h"

#define PAGE		4096
#define ID_SIZE		BPF_BUILD_ID_SIZE
#define IPS		64	/* the return address in file n: IPS + 8 * n bytes after its start */
#define PER_FS		3
#define ASKERS		4
#define CHANGERS	(FILES / PER_FS)
#define CHILD_VISITS	20
#define CHILD_WRONG	99	/* as many as the exit code counts */

#define noinline	__attribute__((__noinline__, __noclone__))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* All is on the first page. */
struct elf_file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr nhdr;
	char name[4];
	uint8_t id[ID_SIZE];
	char pad[PAGE - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr) - sizeof(Elf64_Nhdr) - 4 - ID_SIZE];
} __attribute__((aligned(PAGE)));

static const struct fs {
	const char *name;
	const char *type;
	const char *mkfs;
	int size_mb;
	bool remount;
} file_systems[CHANGERS] = {
	{ "ext4", "ext4", "mkfs.ext4 -q -F -b 4096 -I 256", 64 },
	{ "xfs", "xfs", "mkfs.xfs -q -f", 320 },
	/* refused by the cache */
	{ "tmpfs", "tmpfs" },
	/* the image is changed while it is not mounted */
	{ "again", "ext4", "mkfs.ext4 -q -F -b 4096 -I 256", 16, .remount = true },
};

enum { NOFAULT, SLEEPABLE, STACKID, WINDOW, PROCMAP, MMAP2, PERF, NMI, WAYS };

static const char * const way_names[WAYS] = {
	"nofault", "sleepable", "stackid", "window", "procmap", "mmap2", "perf", "nmi",
};

struct thread {
	int number;
	unsigned int random;
	struct answer *answers;		/* one for each context */
	int maps;			/* /proc/self/maps */
	int mmap2;			/* an event of this thread */
	struct perf_event_mmap_page *ring;
	struct storm storm;
	__u64 ids[WAYS];
	__u64 addresses[WAYS];
};

static struct elf_file elfs[FILES];	/* written by the changer of the file */
static char paths[FILES][32];
static char others[CHANGERS][32];
static char *arena;			/* file n is mapped in page 2 * n */
static struct changes *changes;
static struct answer *answers;
static int files_map, threads_map, stacks_maps[2];
static struct {
	__u64 begun;
	__u64 done;
} deletes[2][STACK_IDS];
static struct thread all[THREADS];
static __u64 nmis, children, remounts, evictions;

static unsigned int random_below(struct thread *t, unsigned int n)
{
	t->random = t->random * 1103515245 + 12345;
	return (t->random >> 16) % n;
}

static __u64 load(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static void increment(__u64 *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

/* Is it right? */

/* Which file has this build ID, but for what changes? */
static int file_of(const uint8_t *id)
{
	for (int n = 0; n < FILES; n++)
		if (!memcmp(id + 1, elfs[n].id + 1, ID_SIZE - 1))
			return n;
	return -1;
}

static void check_id(struct thread *t, int way, int n, const uint8_t *id, __u64 done,
		     __u64 begun)
{
	bool same_file = file_of(id) == n;

	t->storm.attempts++;
	t->storm.contested += begun != done;
	t->ids[way]++;
	if (same_file && (uint8_t)(id[0] - done) <= begun - done)
		return;
	if (t->storm.wrong++ < 3)
		printf("# %s: %s: %s build ID, change %u and not %llu to %llu\n", way_names[way],
		       paths[n], same_file ? "its" : "another", id[0], done,
		       begun);
}

static void check_offset(struct thread *t, int way, const struct bpf_stack_build_id *frame)
{
	int n = file_of(frame->build_id);

	/* no file of the storm */
	if (n < 0)
		return;
	t->storm.attempts++;
	if (t->storm.wrong++ < 3)
		printf("# %s: %s: offset %llx\n", way_names[way], paths[n],
		       (unsigned long long)frame->offset);
}

static void check_stack(struct thread *t, int way, const struct bpf_stack_build_id *stack,
			int frames, const struct answer *a)
{
	for (int i = 0; i < frames; i++) {
		__u64 n = (stack[i].offset - IPS) / 8;

		if (stack[i].status == BPF_STACK_BUILD_ID_VALID && n < FILES &&
		    stack[i].offset == IPS + 8 * n)
			check_id(t, way, n, stack[i].build_id, a->done[n], a->begun[n]);
		else if (stack[i].status == BPF_STACK_BUILD_ID_VALID)
			check_offset(t, way, &stack[i]);
		else if (stack[i].status == BPF_STACK_BUILD_ID_IP &&
			 stack[i].ip - (__u64)arena < 2 * FILES * PAGE)
			t->addresses[way]++;
	}
}

static void check_answer(struct thread *t, int way, struct answer *a)
{
	if (!__atomic_load_n(&a->full, __ATOMIC_ACQUIRE))
		return;
	if (a->result > 0)
		check_stack(t, way, a->stack, a->result / sizeof(a->stack[0]), a);
	__atomic_store_n(&a->full, 0, __ATOMIC_RELEASE);
}

/* What has interrupted this thread meanwhile */
static void check_interrupts(struct thread *t)
{
	check_answer(t, PERF, &t->answers[IN_PERF]);
	check_answer(t, NMI, &t->answers[IN_NMI]);
}

/* Global, so that the symbols are found */
noinline void probed_nofault(void);
noinline void probed_sleepable(void);
noinline void probed_stackid(void);
noinline void probed_window(void);

noinline void probed_nofault(void)
{
	asm volatile("");
}

noinline void probed_sleepable(void)
{
	asm volatile("");
}

noinline void probed_stackid(void)
{
	asm volatile("");
}

noinline void probed_window(void)
{
	asm volatile("");
}

static void ask_stackid(struct thread *t, int way, void (*probed)(void))
{
	struct bpf_stack_build_id stack[FRAMES] = {};
	struct answer *a = &t->answers[IN_TASK];
	int map = way == WINDOW, err;
	__u64 before[STACK_IDS];
	uint32_t id;

	for (int i = 0; i < STACK_IDS; i++)
		before[i] = load(&deletes[map][i].done);
	probed();
	if (!__atomic_load_n(&a->full, __ATOMIC_ACQUIRE))
		return;
	if (a->result >= 0) {
		id = a->result;
		must(id < STACK_IDS, "the ID of a stack");
		err = bpf_map_lookup_elem(stacks_maps[map], &id, stack);
		/* Without a delete, the ID stands for this stack, with the build IDs of then. */
		if (load(&deletes[map][id].begun) == before[id]) {
			t->storm.attempts++;
			t->storm.wrong += !!err;
			if (!err)
				check_stack(t, way, stack, FRAMES, a);
		}
	}
	__atomic_store_n(&a->full, 0, __ATOMIC_RELEASE);

	id = random_below(t, STACK_IDS);
	increment(&deletes[map][id].begun);
	bpf_map_delete_elem(stacks_maps[map], &id);
	increment(&deletes[map][id].done);
}

static void ask_procmap(struct thread *t, int n, const char *addr, __u64 done)
{
	uint8_t id[ID_SIZE];
	struct procmap_query q = {
		.size = sizeof(q),
		.query_addr = (unsigned long)addr,
		.build_id_addr = (unsigned long)id,
		.build_id_size = sizeof(id),
	};
	int err = ioctl(t->maps, PROCMAP_QUERY, &q);
	__u64 begun = load(&changes->begun[n]);

	if (!err && q.build_id_size == sizeof(id)) {
		check_id(t, PROCMAP, n, id, done, begun);
	} else if (begun != done) {
		t->addresses[PROCMAP]++;
	} else {
		/* It waits for what it needs. */
		t->storm.wrong++;
		printf("# procmap: %s: no build ID\n", paths[n]);
	}
}

/* The build ID of the mapping at @addr */
static void ask_mmap2(struct thread *t, int n, const char *addr, __u64 done)
{
	const char *data = (const char *)t->ring + PAGE;
	__u64 head = __atomic_load_n(&t->ring->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = t->ring->data_tail;
	__u64 begun = load(&changes->begun[n]);
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		__u64 addr, len, pgoff;
		uint8_t id_size, reserved[3], id[20];
	} record;

	while (tail < head) {
		for (size_t i = 0; i < sizeof(record); i++)
			((char *)&record)[i] = data[(tail + i) % PAGE];
		tail += record.header.size;
		if (record.header.type != PERF_RECORD_MMAP2 || record.addr != (unsigned long)addr)
			continue;
		if (record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
		    record.id_size == ID_SIZE)
			check_id(t, MMAP2, n, record.id, done, begun);
		else
			t->addresses[MMAP2]++;
	}
	__atomic_store_n(&t->ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* Map a file that may be changed, replaced or gone. */
static void visit(struct thread *t)
{
	int n = random_below(t, FILES);
	__u64 done = load(&changes->done[n]);
	int fd = open(paths[n], O_RDONLY | O_CLOEXEC);
	char *map;

	if (fd < 0)
		return;
	ioctl(t->mmap2, PERF_EVENT_IOC_ENABLE);
	map = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ioctl(t->mmap2, PERF_EVENT_IOC_DISABLE);
	must(map != MAP_FAILED, paths[n]);
	close(fd);
	ask_mmap2(t, n, map, done);
	ask_procmap(t, n, map, done);
	munmap(map, PAGE);
}

static void init_thread(struct thread *t, int number)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
	};

	t->number = number;
	t->random = number * 2654435761u + getpid();
	t->maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	must(t->maps >= 0, "/proc/self/maps");
	t->mmap2 = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	must(t->mmap2 >= 0, "perf_event_open");
	t->ring = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, t->mmap2, 0);
	must(t->ring != MAP_FAILED, "perf_event_open");
}

/* The threads: what each does again and again, on a stack with frames in some of the files */

static void ask(void *arg)
{
	struct thread *t = arg;
	__u64 done;
	int n;

	for (int i = 0; i < 8; i++) {
		switch (random_below(t, 6)) {
		case NOFAULT:
			probed_nofault();
			check_answer(t, NOFAULT, &t->answers[IN_TASK]);
			break;
		case SLEEPABLE:
			probed_sleepable();
			check_answer(t, SLEEPABLE, &t->answers[IN_TASK]);
			break;
		case STACKID:
			ask_stackid(t, STACKID, probed_stackid);
			break;
		case WINDOW:
			ask_stackid(t, WINDOW, probed_window);
			break;
		case PROCMAP:
			n = random_below(t, FILES);
			done = load(&changes->done[n]);
			ask_procmap(t, n, arena + 2 * n * PAGE, done);
			break;
		case MMAP2:
			visit(t);
			break;
		}
		check_interrupts(t);
	}
}

/* Begin a change of file @n. Its build ID is to be the one in elfs[n]. */
static void begin(int n)
{
	increment(&changes->begun[n]);
	elfs[n].id[0] = changes->begun[n];
}

static void done(int n)
{
	increment(&changes->done[n]);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0700);

	must(fd >= 0, path);
	return fd;
}

static void write_elf(int n, const char *path, int flags)
{
	int fd = open_file(path, O_WRONLY | flags);

	must(pwrite(fd, &elfs[n], PAGE, 0) == PAGE, path);
	close(fd);
}

static void map_file(int n)
{
	char *addr = arena + 2 * n * PAGE;
	int fd = open_file(paths[n], O_RDONLY);

	must(mmap(addr, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) == addr,
	     paths[n]);
	close(fd);
}

/* Nobody else may take its place. */
static void unmap_file(int n)
{
	char *addr = arena + 2 * n * PAGE;

	must(mmap(addr, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == addr,
	     "mmap");
}

static void by_pwrite(struct thread *t, int n)
{
	int fd = open_file(paths[n], O_WRONLY);

	for (int i = random_below(t, 3); i >= 0; i--) {
		begin(n);
		must(pwrite(fd, elfs[n].id, 1, offsetof(struct elf_file, id)) == 1, paths[n]);
		done(n);
	}
	close(fd);
}

static void by_mmap(struct thread *t, int n)
{
	volatile struct elf_file *map;
	int fd = open_file(paths[n], O_RDWR);

	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, paths[n]);
	close(fd);
	/* The first store changes the ctime. */
	for (int i = random_below(t, 4); i >= 0; i--) {
		begin(n);
		map->id[0] = elfs[n].id[0];
		done(n);
		usleep(random_below(t, 1000));
	}
	munmap((void *)map, PAGE);
}

static void by_direct(struct thread *t, int n)
{
	begin(n);
	write_elf(n, paths[n], O_DIRECT);
	done(n);
}

static void by_truncate(struct thread *t, int n)
{
	begin(n);
	write_elf(n, paths[n], O_TRUNC);
	done(n);
}

/* Blocks of another file, shared or copied */
static void by_clone(struct thread *t, int n)
{
	const char *other = others[n / PER_FS];
	loff_t from = 0, to = 0;
	int in, out;

	begin(n);
	write_elf(n, other, O_CREAT | O_TRUNC);
	in = open_file(other, O_RDONLY);
	out = open_file(paths[n], O_WRONLY);
	must(!ioctl(out, FICLONE, in) || copy_file_range(in, &from, out, &to, PAGE, 0) == PAGE,
	     other);
	close(in);
	close(out);
	done(n);
}

static void by_rename(struct thread *t, int n)
{
	const char *other = others[n / PER_FS];

	begin(n);
	write_elf(n, other, O_CREAT | O_TRUNC);
	must(!rename(other, paths[n]), other);
	map_file(n);
	done(n);
}

static void drop_caches(const char *what)
{
	int fd = open_file("/proc/sys/vm/drop_caches", O_WRONLY);

	must(write(fd, what, 1) == 1, "drop_caches");
	close(fd);
}

/* The memory and the number of the inode may be used again. */
static void by_unlink(struct thread *t, int n)
{
	begin(n);
	unmap_file(n);
	must(!unlink(paths[n]), paths[n]);
	if (!random_below(t, 8))
		drop_caches("2");
	write_elf(n, paths[n], O_CREAT);
	map_file(n);
	done(n);
}

static void mount_fs(int i)
{
	const struct fs *fs = &file_systems[i];
	char device[32];

	snprintf(device, sizeof(device), "/dev/loop%d", i);
	must(!mount(device, fs->name, fs->type, 0, NULL), fs->name);
}

/* Change the image behind the file system's back: inodes that differ in nothing */
static void by_image(struct thread *t, int n)
{
	int i = n / PER_FS, first = i * PER_FS, fd, tries = 0;
	char image[32];
	int blocks[PER_FS];

	if (!file_systems[i].remount) {
		by_pwrite(t, n);
		return;
	}
	for (n = first; n < first + PER_FS; n++) {
		begin(n);
		unmap_file(n);
		fd = open_file(paths[n], O_RDONLY);
		blocks[n - first] = 0;
		must(!fsync(fd) && !ioctl(fd, FIBMAP, &blocks[n - first]) && blocks[n - first],
		     "FIBMAP");
		close(fd);
	}
	/* Others visit the files, or evict them. */
	while (umount(file_systems[i].name)) {
		must(errno == EBUSY && tries++ < 10000, "umount");
		usleep(1000);
	}
	snprintf(image, sizeof(image), "image-%s", file_systems[i].name);
	fd = open_file(image, O_WRONLY);
	for (n = first; n < first + PER_FS; n++)
		must(pwrite(fd, elfs[n].id, 1, (off_t)blocks[n - first] * PAGE +
			    offsetof(struct elf_file, id)) == 1, image);
	close(fd);
	mount_fs(i);
	for (n = first; n < first + PER_FS; n++) {
		map_file(n);
		done(n);
	}
	remounts++;
}

static void (* const change_by[])(struct thread *t, int n) = {
	by_pwrite, by_mmap, by_direct, by_truncate, by_clone, by_rename, by_unlink, by_image,
};

static void change(void *arg)
{
	struct thread *t = arg;

	for (int i = 0; i < 8; i++) {
		change_by[random_below(t, ARRAY_SIZE(change_by))]
			(t, (t->number - ASKERS) * PER_FS + random_below(t, PER_FS));
		check_interrupts(t);
		usleep(random_below(t, 16000));
	}
}

static void enable_cache(const char *value)
{
	int fd = open_file("/sys/module/buildid_cache/parameters/enabled", O_WRONLY);

	must(write(fd, value, 1) == 1, "enabled");
	close(fd);
}

/* A program that maps files, and ends */
static void start_child(struct thread *t)
{
	char map[16], *argv[] = { "bpf", map, NULL }, *env[] = { NULL };
	int fd = dup(files_map), status;
	pid_t pid;

	snprintf(map, sizeof(map), "%d", fd);
	must(fd >= 0 && !posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, env), "posix_spawn");
	close(fd);
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "waitpid");
	t->storm.wrong += WEXITSTATUS(status);
	children++;
}

/* What changes no file, but what is in memory */
static void evict(void *arg)
{
	struct thread *t = arg;
	int n, fd;

	for (int i = 0; i < 8; i++) {
		n = random_below(t, FILES);
		switch (random_below(t, 32)) {
		case 0 ... 9:
			fd = open(paths[n], O_RDONLY | O_CLOEXEC);
			if (fd < 0)
				break;
			fsync(fd);
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			close(fd);
			break;
		case 10 ... 19:
			madvise(arena + 2 * n * PAGE, PAGE, MADV_PAGEOUT);
			break;
		case 20 ... 28:
			madvise(arena + 2 * n * PAGE, PAGE, MADV_POPULATE_READ);
			break;
		case 29:
			drop_caches("3");
			break;
		case 30:
			start_child(t);
			break;
		case 31:
			enable_cache("0");
			enable_cache("1");
			break;
		}
		evictions++;
		check_interrupts(t);
		usleep(random_below(t, 10000));
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;
	uint32_t tid = syscall(__NR_gettid), number = t->number;
	void (*act)(void *) = evict;
	struct chain c;
	int n;

	if (t->number < ASKERS)
		act = ask;
	else if (t->number < ASKERS + CHANGERS)
		act = change;
	init_thread(t, t->number);
	t->answers = &answers[t->number * CONTEXTS];
	must(!bpf_map_update_elem(threads_map, &tid, &number, BPF_ANY), "threads");
	while (!storm_over()) {
		c.n = 1 + random_below(t, FILES);
		for (int i = 0; i < c.n; i++) {
			n = random_below(t, FILES);
			c.rets[i] = (unsigned long)arena + 2 * n * PAGE + IPS + 8 * n;
		}
		call_on_chain(&c, act, t);
	}
	return NULL;
}

/* NMIs on all CPUs, if the host has any */
static void *ask_for_nmis(void *unused)
{
	while (!storm_over() && !ask_host("nmi", 10))
		nmis += 10;
	must(!nmis || storm_over(), "NMIs");
	return NULL;
}

static bool insert_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool inserted = fd >= 0 && (!syscall(__NR_finit_module, fd, "", 0) || errno == EEXIST);

	if (!inserted)
		printf("# %s: %s\n", path, strerror(errno));
	close(fd);
	return inserted;
}

static void make_fs(int i)
{
	const struct fs *fs = &file_systems[i];
	char cmd[256], device[32], image[32];
	int fd, loop;

	must(!mkdir(fs->name, 0700), fs->name);
	if (fs->mkfs) {
		snprintf(image, sizeof(image), "image-%s", fs->name);
		snprintf(cmd, sizeof(cmd), "truncate -s %dM %s && %s %s >/dev/null", fs->size_mb,
			 image, fs->mkfs, image);
		must(!system(cmd), cmd);
		snprintf(device, sizeof(device), "/dev/loop%d", i);
		fd = open_file(image, O_RDWR);
		loop = open_file(device, O_RDWR);
		must(!ioctl(loop, LOOP_SET_FD, fd), device);
		close(fd);
		close(loop);
	}
	mount_fs(i);
}

static void init_files(void)
{
	for (int n = 0; n < FILES; n++) {
		elfs[n] = (struct elf_file) {
			.ehdr = {
				.e_ident = { 0x7f, 'E', 'L', 'F', [EI_CLASS] = ELFCLASS64 },
				.e_type = ET_DYN,
				.e_phoff = offsetof(struct elf_file, phdr),
				.e_phnum = 1,
			},
			.phdr = {
				.p_type = PT_NOTE,
				.p_offset = offsetof(struct elf_file, nhdr),
				.p_filesz = offsetof(struct elf_file, pad) -
					    offsetof(struct elf_file, nhdr),
			},
			.nhdr = { .n_namesz = 4, .n_descsz = ID_SIZE, .n_type = NT_GNU_BUILD_ID },
			.name = "GNU",
		};
		memset(elfs[n].id + 1, 0xa0 + n, ID_SIZE - 1);
		snprintf(paths[n], sizeof(paths[n]), "%s/%d", file_systems[n / PER_FS].name, n);
	}
	for (int i = 0; i < CHANGERS; i++)
		snprintf(others[i], sizeof(others[i]), "%s/other", file_systems[i].name);
}

static void *map_of(struct bpf_object *obj, const char *name, size_t size, int *fd)
{
	void *map;

	*fd = bpf_map__fd(bpf_object__find_map_by_name(obj, name));
	map = mmap(NULL, (size + PAGE - 1) & -PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	must(map != MAP_FAILED, name);
	return map;
}

static void attach_uprobe(struct bpf_object *obj, const char *name)
{
	char func[32];

	snprintf(func, sizeof(func), "probed_%s", name);
	must(bpf_program__attach_uprobe_multi(bpf_object__find_program_by_name(obj, name), 0,
					      "/proc/self/exe", func, NULL), name);
}

/* Where there are no hardware events: a timer, which is an interrupt, but no NMI */
static void attach_perf(struct bpf_object *obj)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, "perf");
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.freq = 1,
		.sample_freq = 200,
	};
	int cpu = 0, fd;

	while (cpu < libbpf_num_possible_cpus()) {
		fd = syscall(__NR_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && attr.type == PERF_TYPE_HARDWARE) {
			attr.type = PERF_TYPE_SOFTWARE;
			attr.config = PERF_COUNT_SW_CPU_CLOCK;
			continue;
		}
		must(fd >= 0 && bpf_program__attach_perf_event(prog, fd), "perf");
		cpu++;
	}
}

/* Returns whether there are NMIs. */
static bool init_programs(void)
{
	struct bpf_object *obj = bpf_object__open_file("bpf.bpf.o", NULL);
	struct bpf_program *prog;
	bool has_nmis = false;
	int fd;

	must(obj, "bpf.bpf.o");
	prog = bpf_object__find_program_by_name(obj, "nmi");
#if defined(__x86_64__)
	has_nmis = true;
	must(insert_module("vmtest_nmi.ko"), "vmtest_nmi.ko");
#endif
	bpf_program__set_autoload(prog, has_nmis);
	must(!bpf_object__load(obj), "bpf.bpf.o");
	changes = map_of(obj, "files", sizeof(*changes), &files_map);
	answers = map_of(obj, "answers", THREADS * CONTEXTS * sizeof(*answers), &fd);
	threads_map = bpf_map__fd(bpf_object__find_map_by_name(obj, "threads"));
	stacks_maps[0] = bpf_map__fd(bpf_object__find_map_by_name(obj, "stacks"));
	stacks_maps[1] = bpf_map__fd(bpf_object__find_map_by_name(obj, "window_stacks"));
	attach_uprobe(obj, "nofault");
	attach_uprobe(obj, "sleepable");
	attach_uprobe(obj, "stackid");
	attach_uprobe(obj, "window");
	attach_perf(obj);
	must(!has_nmis || bpf_program__attach(prog), "nmi");
	return has_nmis;
}

/* The program that start_child() starts; returns the number of wrong answers. */
static int child(int map)
{
	struct thread t = {};

	changes = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, map, 0);
	must(changes != MAP_FAILED, "files");
	init_files();
	init_thread(&t, 0);
	for (int i = 0; i < CHILD_VISITS; i++)
		visit(&t);
	return t.storm.wrong < CHILD_WRONG ? t.storm.wrong : CHILD_WRONG;
}

static long stat_of(const char *name)
{
	FILE *f = fopen("/sys/kernel/debug/build_id_cache/stats", "re");
	char line[64];
	size_t len = strlen(name);
	long value = -1;

	must(f, "build_id_cache/stats");
	while (value < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':')
			value = atol(line + len + 1);
	fclose(f);
	return value;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS + 1];
	struct storm total = {};
	bool has_nmis, idle = false;
	__u64 ids, addresses;
	long hits;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2)
		return child(atoi(argv[1]));

	init_files();
	has_nmis = init_programs();
	insert_module("xfs.ko");
	must(!chdir("/tmp"), "/tmp");
	for (int i = 0; i < CHANGERS; i++)
		make_fs(i);
	arena = mmap(NULL, 2 * FILES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(arena != MAP_FAILED, "mmap");
	for (int n = 0; n < FILES; n++) {
		write_elf(n, paths[n], O_CREAT);
		map_file(n);
	}

	hits = stat_of("hit");
	storm_over();
	for (int i = 0; i < THREADS; i++) {
		all[i].number = i;
		must(!pthread_create(&threads[i], NULL, run, &all[i]), "pthread_create");
	}
	must(!has_nmis || !pthread_create(&threads[THREADS], NULL, ask_for_nmis, NULL),
	     "pthread_create");
	for (int i = 0; i < THREADS + has_nmis; i++)
		pthread_join(threads[i], NULL);

	hits = stat_of("hit") - hits;
	for (int way = 0; way < WAYS; way++) {
		ids = 0;
		addresses = 0;
		for (int i = 0; i < THREADS; i++) {
			ids += all[i].ids[way];
			addresses += all[i].addresses[way];
		}
		printf("# %s: %llu build IDs, %llu addresses\n", way_names[way],
		       ids, addresses);
		idle |= !ids && (way != NMI || has_nmis);
	}
	for (int i = 0; i < THREADS; i++) {
		total.attempts += all[i].storm.attempts;
		total.contested += all[i].storm.contested;
		total.wrong += all[i].storm.wrong;
	}
	ids = 0;
	for (int n = 0; n < FILES; n++)
		ids += changes->done[n];
	printf("# %llu changes, %llu remounts, %llu evictions, %llu children, %llu NMIs\n", ids,
	       remounts, evictions, children, nmis);
	printf("# cache: %ld hits\n", hits);
	if (idle || hits <= 0)
		printf("a way had no build IDs, or the cache no hits: this run proves nothing\n");
	return storm_report("bpf", &total, 100000) || idle || hits <= 0;
}
