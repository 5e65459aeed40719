// SPDX-License-Identifier: GPL-2.0
/*
 * Claims the NMIs that the host injects, which are "unknown" to the kernel and would
 * make it say "Dazed and confused".
 */
#include <linux/module.h>

#include <asm/nmi.h>

/* Not inlined, and traced: tests look for it in the trace. */
static noinline int vmtest_nmi_claim(unsigned int type, struct pt_regs *regs)
{
	return NMI_HANDLED;
}

static int __init vmtest_nmi_init(void)
{
	return register_nmi_handler(NMI_UNKNOWN, vmtest_nmi_claim, 0, "vmtest");
}

static void __exit vmtest_nmi_exit(void)
{
	unregister_nmi_handler(NMI_UNKNOWN, "vmtest");
}

module_init(vmtest_nmi_init);
module_exit(vmtest_nmi_exit);
MODULE_DESCRIPTION("Claims the NMIs that the test harness injects");
MODULE_LICENSE("GPL");
