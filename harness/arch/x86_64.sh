# x86_64: data for the harness (sourced).
DEBARCH=amd64
TRIPLET=x86_64-linux-gnu
CROSS=
IMAGE=arch/x86/boot/bzImage
CONSOLE=ttyS0
QEMU='qemu-system-x86_64 -M q35 -cpu max'
# An NMI that QEMU injects reaches every CPU.  And the watchdog of the TSC can hang the boot: until
# the first switch of the clocksource, the timeout of its check of another CPU is told by jiffies.
# Where its timer comes while that stops the machine, CPU 0 waits with interrupts disabled for a CPU
# that does the same, and jiffies stand still.  Until the base is mended.
CMDLINE='apic_extnmi=all tsc=nowatchdog'
CMDLINE_NMI=
# Until alternatives are applied, identify_cpu() has the boot CPU forget for a moment that it has five
# levels, and KASAN takes what an interrupt accesses meanwhile for wild.  Until the base is mended.
CMDLINE_kasan=no5lvl
# Has no FSRM and no ERMS (rep movsb counts a byte at a time), and no RDRAND.
ICOUNT_QEMU='-cpu Nehalem'
