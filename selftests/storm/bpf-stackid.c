// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_get_stackid() from several threads, with lookups and deletes: while nobody deletes it, the id
 * that it returns stands for the stack that it was given for
 *
 * A stack is known by the return addresses that were put there: those of stack n begin with
 * MARK + n. Deletes of an id are counted before and after: without one under way or begun since,
 * the answer must be right. In the end all are deleted, and there is room for each again.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "chain.h"
#include "storm.h"

#define THREADS		4
#define STACKS		32
#define BUCKETS		8
#define VALUE		32
#define DELETE_EVERY	16
#define MARK		0x10000UL

static int prog, map;
static unsigned long begun[BUCKETS], done[BUCKETS];	/* deletes */
static struct storm total;

struct request {
	int id;
};

/* Without the help of libbpf, which may be built without frame pointers */
static __attribute__((__noinline__, __noclone__)) void get_stackid(void *arg)
{
	union bpf_attr attr = { .test.prog_fd = prog };
	struct request *r = arg;

	if (syscall(__NR_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
		r->id = -errno;
	else
		r->id = (int)attr.test.retval;
	asm volatile("" : : "r" (__builtin_frame_address(0)) : "memory");
}

/* Stacks of different depth, too */
static void chain_of(struct chain *c, int n)
{
	c->n = 1 + n % 8;
	c->rets[0] = MARK + n;
	for (int i = 1; i < c->n; i++)
		c->rets[i] = 0x400000UL + 16 * i;
}

/* Is the end of the stack that chain? */
static bool ends_with(const uint64_t *ips, const struct chain *c)
{
	int i = 0, n = 0;

	while (i < VALUE && ips[i] != c->rets[0])
		i++;
	while (i < VALUE && n < c->n && ips[i] == c->rets[n]) {
		i++;
		n++;
	}
	return n == c->n && i < VALUE && !ips[i];
}

static void *run(void *arg)
{
	unsigned int random = (unsigned long)arg * 2654435761u + 1;
	struct storm s = {};
	unsigned long before[BUCKETS];
	bool quiet[BUCKETS];
	uint64_t ips[VALUE];
	struct request r;
	struct chain c;
	uint32_t id;
	int n, err;

	while (!storm_over()) {
		random = random * 1103515245 + 12345;
		n = random >> 16 & (STACKS - 1);
		chain_of(&c, n);

		for (int i = 0; i < BUCKETS; i++) {
			before[i] = __atomic_load_n(&done[i], __ATOMIC_SEQ_CST);
			quiet[i] = before[i] == __atomic_load_n(&begun[i], __ATOMIC_SEQ_CST);
		}
		call_on_chain(&c, get_stackid, &r);
		if (r.id < 0) {
			must(r.id == -EEXIST || r.id == -ENOMEM, "bpf_get_stackid");
			s.contested++;
			continue;
		}

		id = r.id;
		must(id < BUCKETS, "the ID of a stack");
		memset(ips, 0, sizeof(ips));
		err = bpf_map_lookup_elem(map, &id, ips);
		if (!quiet[id] || __atomic_load_n(&begun[id], __ATOMIC_SEQ_CST) != before[id]) {
			s.contested++;
		} else {
			s.attempts++;
			s.wrong += err || !ends_with(ips, &c);
		}

		if (!(random >> 8 & (DELETE_EVERY - 1))) {
			__atomic_add_fetch(&begun[id], 1, __ATOMIC_SEQ_CST);
			bpf_map_delete_elem(map, &id);
			__atomic_add_fetch(&done[id], 1, __ATOMIC_SEQ_CST);
		}
	}

	__atomic_add_fetch(&total.attempts, s.attempts, __ATOMIC_RELAXED);
	__atomic_add_fetch(&total.contested, s.contested, __ATOMIC_RELAXED);
	__atomic_add_fetch(&total.wrong, s.wrong, __ATOMIC_RELAXED);
	return NULL;
}

/* With all IDs deleted there is room for each of them: nothing was leaked */
static void fill(void)
{
	struct request r;
	struct chain c;

	for (uint32_t id = 0; id < BUCKETS; id++)
		bpf_map_delete_elem(map, &id);
	for (int n = 0; n < STACKS; n++) {
		chain_of(&c, n);
		call_on_chain(&c, get_stackid, &r);
		total.attempts++;
		total.wrong += r.id < 0 && r.id != -EEXIST;
	}
}

int main(void)
{
	struct bpf_object *obj = bpf_object__open_file("bpf-stackid.bpf.o", NULL);
	pthread_t threads[THREADS];

	must(obj && !bpf_object__load(obj), "bpf-stackid.bpf.o");
	prog = bpf_program__fd(bpf_object__find_program_by_name(obj, "get_stackid"));
	map = bpf_map__fd(bpf_object__find_map_by_name(obj, "stacks"));

	storm_over();
	for (long i = 0; i < THREADS; i++)
		must(!pthread_create(&threads[i], NULL, run, (void *)(i + 1)), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	fill();
	return storm_report("bpf-stackid", &total, 1000);
}
