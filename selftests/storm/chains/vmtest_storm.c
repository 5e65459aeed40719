// SPDX-License-Identifier: GPL-2.0
/*
 * Numbered call chains: at the end of each is the event vmtest:storm_chain with its number, so that
 * a stack can be told to be the right one
 *
 * The number is 1 and up to four octal digits, and the chain has a frame for each digit:
 * storm_call() calls storm_3(), which calls storm_7(), is chain 0173. ioctl(fd, 0, r) of
 * /dev/vmtest_storm takes a chain that @r selects; so does each NMI that nobody else claims.
 * ioctl(fd, 1, e) sets what the events have as epoch, from then on.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif

static unsigned int storm_epoch;

#define CREATE_TRACE_POINTS
#include "vmtest_storm_trace.h"

#define MAX_DIGITS	4

static void storm_next(unsigned int rest, unsigned int n);

/* What differs keeps the compiler from taking them for one function; the last thing is no jump. */
#define STORM_DIGIT(digit)							\
static noinline __noclone void storm_##digit(unsigned int rest, unsigned int n)	\
{										\
	storm_next(rest, n);							\
	asm volatile("" : : "i"(digit));					\
}

STORM_DIGIT(0)
STORM_DIGIT(1)
STORM_DIGIT(2)
STORM_DIGIT(3)
STORM_DIGIT(4)
STORM_DIGIT(5)
STORM_DIGIT(6)
STORM_DIGIT(7)

static void (* const storm_digits[8])(unsigned int rest, unsigned int n) = {
	storm_0, storm_1, storm_2, storm_3, storm_4, storm_5, storm_6, storm_7,
};

static __always_inline void storm_next(unsigned int rest, unsigned int n)
{
	if (rest == 1)
		trace_storm_chain(n, in_nmi());
	else
		storm_digits[rest & 7](rest >> 3, n);
}

static noinline __noclone void storm_call(u32 r)
{
	unsigned int bits = 3 * (1 + r % MAX_DIGITS);
	unsigned int n = 1U << bits | hash_32(r, bits);

	storm_digits[n & 7](n >> 3, n);
	barrier();
}

static long storm_ioctl(struct file *file, unsigned int cmd, unsigned long r)
{
	switch (cmd) {
	case 0:
		storm_call(r);
		return 0;
	case 1:
		WRITE_ONCE(storm_epoch, r);
		return 0;
	default:
		return -EINVAL;
	}
}

static const struct file_operations storm_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = storm_ioctl,
};

static struct miscdevice storm_dev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vmtest_storm",
	.fops = &storm_fops,
};

#ifdef CONFIG_X86
static int storm_nmi(unsigned int type, struct pt_regs *regs)
{
	static atomic_t r;

	storm_call(atomic_inc_return(&r));
	return NMI_HANDLED;
}

static int storm_claim_nmis(void)
{
	return register_nmi_handler(NMI_UNKNOWN, storm_nmi, 0, "vmtest_storm");
}

static void storm_release_nmis(void)
{
	unregister_nmi_handler(NMI_UNKNOWN, "vmtest_storm");
}
#else
static int storm_claim_nmis(void)
{
	return 0;
}

static void storm_release_nmis(void)
{
}
#endif

static int __init storm_init(void)
{
	int ret = storm_claim_nmis();

	if (ret)
		return ret;
	ret = misc_register(&storm_dev);
	if (ret)
		storm_release_nmis();
	return ret;
}

static void __exit storm_exit(void)
{
	misc_deregister(&storm_dev);
	storm_release_nmis();
}

module_init(storm_init);
module_exit(storm_exit);
MODULE_DESCRIPTION("Numbered call chains");
MODULE_LICENSE("GPL");
