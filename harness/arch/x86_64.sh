# x86_64: data for the harness (sourced).
DEBARCH=amd64
TRIPLET=x86_64-linux-gnu
CROSS=
IMAGE=arch/x86/boot/bzImage
CONSOLE=ttyS0
QEMU='qemu-system-x86_64 -M q35 -cpu max'
# An NMI that QEMU injects reaches every CPU.
CMDLINE='apic_extnmi=all'
CMDLINE_NMI=
# Until alternatives are applied, identify_cpu() has the boot CPU forget for a moment that it has five
# levels, and KASAN takes what an interrupt accesses meanwhile for wild.  Until the base is mended.
CMDLINE_kasan=no5lvl
# Has no FSRM and no ERMS (rep movsb counts a byte at a time), and no RDRAND.
ICOUNT_QEMU='-cpu Nehalem'
