#!/bin/sh
# The part of build-selftests that runs in the tool tree: /src and /kernel to
# /obj/tests.img and /obj/inventory.
set -eux

st=/src/tools/testing/selftests
image=/obj/image
rm -rf $image
mkdir -p $image /obj/bpf

make -s -C /src O=/kernel modules_install INSTALL_MOD_PATH=$image INSTALL_MOD_STRIP=1
rm -f $image/lib/modules/*/build

# Clang must see the libraries of the target, not of this machine.
export PKG_CONFIG_PATH=/usr/lib/$TRIPLET/pkgconfig
make -C $st/bpf -j"$JOBS" O=/kernel OUTPUT=/obj/bpf VMLINUX_BTF=/kernel/vmlinux BPF_STRICT_BUILD="$STRICT" CLANG='ccache clang' \
	KHDR_INCLUDES='-isystem /kernel/usr/include' test_progs
[ -x /obj/bpf/test_progs ] && [ -f /obj/bpf/bpf_testmod.ko ]

# Anew: their makefiles know neither that the flags, nor that the headers of the kernel have changed.
for suite in $KSELFTESTS; do
	rm -rf /obj/$suite
	mkdir /obj/$suite
	make -C $st/$suite -j"$JOBS" OUTPUT=/obj/$suite CC="${CROSS_COMPILE}gcc" \
		KHDR_INCLUDES='-isystem /kernel/usr/include' all
	make -s -C $st/$suite OUTPUT=/obj/$suite CC="${CROSS_COMPILE}gcc" \
		KHDR_INCLUDES='-isystem /kernel/usr/include' install INSTALL_PATH="$image/$suite"
done

# The guest programs of this project.
cp -R /vmtest/selftests/fault "$image/"
mkdir -p "$image/nmi" /obj/nmi
for p in ask-host delivered; do
	"${CROSS_COMPILE}gcc" -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -o "$image/nmi/$p" /vmtest/selftests/nmi/$p.c
done
make -C /src O=/kernel M=/vmtest/selftests/nmi MO=/obj/nmi modules
[ ! -e /obj/nmi/vmtest_nmi.ko ] || cp /obj/nmi/vmtest_nmi.ko "$image/nmi/"
rm -rf /obj/stackmap
mkdir -p /obj/stackmap "$image/bin" "$image/tools"
make -C /src/tools/tracing/stackmap OUTPUT=/obj/stackmap CC="${CROSS_COMPILE}gcc" all fixtures
cp /obj/stackmap/stackmap /obj/stackmap/stackmap-fixtures "$image/bin/"
cp /src/tools/tracing/stackmap/tests/run.sh "$image/tools/stackmap"

# test_progs looks for the bpftool of the tree in either place, and compares with some of its sources.
mkdir -p "$image/bpf/tools/sbin" "$image/bpf/progs"
cd /obj/bpf
cp tools/sbin/bpftool "$image/bpf/tools/sbin/"
ln -s tools/sbin/bpftool "$image/bpf/bpftool"
find . -maxdepth 1 -type f \( -perm -100 -o -name '*.ko' -o -name '*.so' -o -name '*.bpf.o' -o -name '*.BTF' \) \
	-exec cp -t "$image/bpf" {} +
cp -R $st/bpf/*.sh "$image/bpf/"
cp $st/bpf/progs/btf_dump_test_case_*.c "$image/bpf/progs/"
"${CROSS_COMPILE}strip" --strip-debug "$image/bpf/test_progs" "$image/bpf/tools/sbin/bpftool"

{
	sed -n 's/^DEFINE_TEST(\(.*\))$/bpf \1/p' $st/bpf/prog_tests/tests.h
	(cd "$image/ftrace/test.d" && find . -name '*.tc') | sed 's,^\./,ftrace ,'
	echo nmi delivered
	for suite in $KSELFTESTS tools; do
		[ $suite = ftrace ] || (cd "$image/$suite" && find . -type f -perm -100) | sed "s,^\./,$suite ,"
	done
} | sort >/obj/inventory.new
mv /obj/inventory.new /obj/inventory

/vmtest/harness/mkimage $image /obj/tests.img 2G
rm -rf $image
