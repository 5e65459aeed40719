// SPDX-License-Identifier: GPL-2.0
/* A kernel stack of a chosen depth: ioctl(fd, 0, n) of /dev/vmtest_chain calls vmtest_leaf() on top
 * of n frames, and ioctl(fd, 1, n | number << 8) as well, in a stack of its own for each number.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#define MAX_DEPTH	200

static noinline __noclone long vmtest_leaf(void)
{
	long ret = 0;

	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone long vmtest_chain(unsigned long n)
{
	long ret = n > 1 ? vmtest_chain(n - 1) : vmtest_leaf();

	/* The call must not become a jump. */
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

/* Each bit of @number chooses the place of a call */
static noinline __noclone long vmtest_path(unsigned long n, unsigned long number)
{
	long ret;

	if (n <= 1) {
		ret = vmtest_leaf();
	} else if (number & 1) {
		ret = vmtest_path(n - 1, number >> 1);
		OPTIMIZER_HIDE_VAR(ret);
		ret++;
	} else {
		ret = vmtest_path(n - 1, number >> 1);
	}
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static long vmtest_ioctl(struct file *file, unsigned int cmd, unsigned long n)
{
	long ret;

	if (cmd == 1 && (n & 0xff)) {
		ret = vmtest_path(n & 0xff, n >> 8);
	} else if (!cmd && n <= MAX_DEPTH) {
		ret = n ? vmtest_chain(n) : vmtest_leaf();
	} else {
		return -EINVAL;
	}
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static const struct file_operations vmtest_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = vmtest_ioctl,
};

static struct miscdevice vmtest_dev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vmtest_chain",
	.fops = &vmtest_fops,
};

module_misc_device(vmtest_dev);
MODULE_DESCRIPTION("A kernel stack of a chosen depth");
MODULE_LICENSE("GPL");
