# arm64: data for the harness (sourced).
DEBARCH=arm64
TRIPLET=aarch64-linux-gnu
CROSS=aarch64-linux-gnu-
IMAGE=arch/arm64/boot/Image
CONSOLE=ttyAMA0
# Slow to emulate: the architected pointer authentication; registers of SVE, and C libraries that
# copy by them (stackmap_tool.tc takes 18.1 and 18.8 s with them, 14.8 and 15.2 without).
QEMU='qemu-system-aarch64 -M virt,gic-version=3 -cpu max,pauth-impdef=on,sve=off,sme=off'
CMDLINE=
# Pseudo-NMI turns the emulated PMU's interrupt into an NMI.  It makes of each local_irq_disable() a
# call into QEMU: nothing for the tests that need no NMI.
CMDLINE_NMI='irqchip.gicv3_pseudo_nmi=1'
# Has no RNDR and no MOPS; at 1 GHz the counter counts single instructions.  No seeds in the device tree.
ICOUNT_QEMU='-cpu neoverse-n1,cntfrq=1000000000 -M dtb-randomness=off'
