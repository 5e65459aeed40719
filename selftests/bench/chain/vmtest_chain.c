// SPDX-License-Identifier: GPL-2.0
/* A kernel stack of a chosen depth: ioctl(fd, 0, n) of /dev/vmtest_chain calls vmtest_leaf() on top
 * of n frames.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#define MAX_DEPTH	64

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

static long vmtest_ioctl(struct file *file, unsigned int cmd, unsigned long n)
{
	long ret;

	if (cmd || n > MAX_DEPTH)
		return -EINVAL;
	ret = n ? vmtest_chain(n) : vmtest_leaf();
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
