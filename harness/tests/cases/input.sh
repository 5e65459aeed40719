# Cases of selfcheck (sourced by tests/run): bad input

case_clean_cache() {
	mkdir -p out "$CACHE/ccache"
	touch "$CACHE/base.lock" "$CACHE/herd.lock" "$CACHE/host.lock" "$CACHE/rootfs-x.tar" ${1-}
	printf '#!/bin/sh\n' >harness/apply
	harness/clean --all && { [ -e "$CACHE" ] || echo gone; }
}
want=2 prints='has files of others, too: mine' mutant='harness/clean s/^\t\[ -z "$others" \] || die.*/:/;/^\t\t"remove there/d'
try 'clean: what others have in CACHE stays' case_clean_cache "$CACHE/mine"
want=0 prints='^gone$' mutant='harness/clean s/ ccache checks / checks /'
try 'clean: what was made in CACHE goes' case_clean_cache
case_clean_busy() { mkdir -p out/x && exec 9>out/x/lock && flock 9 && harness/clean ${1-}; }
want=2 prints='a run works in out/x' mutant='harness/clean s/^idle$/:/'
try 'clean: what a run works in' case_clean_busy
mutant='harness/clean s/^\tidle .*/\t:/'
try 'clean: all, and what a run works in' case_clean_busy --all
case_clean_toolbox() { # Of another clone, in which something runs
	mkdir -p ../u "$(. harness/lib.sh; toolbox_dir)"
	cp -R harness patches ../u
	mkdir bin
	printf '#!/bin/sh\ntouch running\nexec sleep 20\n' >bin/bwrap
	chmod +x bin/bwrap
	touch "$(. harness/lib.sh; toolbox_dir)/.complete"
	PATH=$PWD/bin:$PATH harness/in-toolbox true &
	until_there running
	rc=0
	../u/harness/clean --all || rc=$?
	kill $!
	return $rc
}
prints='a run works in .*/in-use$' mutant='harness/in-toolbox s/^flock -s 5$//'
try 'clean: all, and the tool tree in which another clone runs something' case_clean_toolbox
case_clean_held() { mkdir -p out/x && exec 9>"$1" && flock -s 9 && harness/clean; }
prints='a run works in out/x/run$' mutant='harness/clean s, "$OUT"/\*/\*.lock,,'
try 'clean: the results of a guest that runs' case_clean_held out/x/run.lock
prints='a run works in out/tree$' mutant='harness/clean s,in "$OUT"/\*.lock,in,'
try 'clean: out/tree is in use' case_clean_held out/tree.lock
case_held() { mkdir -p out && exec 9>out/$1.lock && flock 9 && timeout 5 harness/$1 9>&-; }
for s in fuzz interrupts check; do
	prints="a run works in out/$s\$" mutant="harness/$s /^lock /d"
	try "input: make $s, twice at a time" case_held $s
done
prints='a run works in out/tree$'
case_clean_versions() { series_setup && git -C out/tree tag lib-v1 && harness/clean --all; }
prints='has versions .*: lib-v1' mutant='harness/clean s/^\tversions=.*/\tversions=/'
try 'clean: all, and versions that were sent' case_clean_versions
want=2 prints='Usage: clean' mutant='harness/clean s/^\*) usage.*/*) ;;/'
case_clean_option() { harness/clean --al; }
try 'clean: an unknown option' case_clean_option
case_check_all() { # SETTING
	printf '#!/bin/sh\necho begun\n' >harness/selfcheck
	cp harness/selfcheck harness/check-series
	cp harness/selfcheck harness/check-quilt
	cp harness/selfcheck harness/sanitize
	cp harness/selfcheck harness/vmtest
	cp harness/selfcheck harness/run
	cp harness/selfcheck harness/check-consoles
	cp harness/selfcheck harness/check-alone
	env "$1" harness/check
}
for setting in TESTS=kunit:x LIST=full SHARD=1/2 VARIANT=debug BASELINE=none KDIR=kdir APPEND=quiet SMP=1; do
	want=2 prints="check runs all, on the pinned base, and ${setting%%=*} is set" mutant="harness/check s/^v=.*/v=/"
	try "check: $setting is less than all" case_check_all $setting
done
want=1 prints='^  not ok: no more than 75 minutes' mutant='harness/check s/ -le $((60 \* minutes))/ -le 9999/'
case_check_late() { sed -i 's/^if \[ $((_now - begun))/_now=$((_now + 4501)); &/' harness/check && case_check_all CHECK_MINUTES=75; }
try 'check: late' case_check_late
want=2 prints='out/check/1.log, or what is printed here, was not written' mutant='harness/lib.sh s/^\t\*) die "$2 was not written".*/\t*) ;;/'
try 'check: a disk that is full' bad_tee 1 case_check_all CHECK_MINUTES=75
want=141 prints= mutant='harness/lib.sh s/^\t141) exit 141 ;;$//'
try 'check: nobody reads it any more' bad_tee 141 case_check_all CHECK_MINUTES=75
want=2 prints='CHECK_MINUTES=soon is no number' mutant='harness/check /^numbers CHECK_MINUTES/d'
try 'check: CHECK_MINUTES=soon' case_check_all CHECK_MINUTES=soon
# What apt says on Debian's cloud images
case_mirror() { # FILE-WITH-ADDRESSES
	mkdir bin
	printf '#!/bin/sh\necho "mirror+file:%s/"\n' "$PWD/debian.list" >bin/apt-get
	chmod +x bin/apt-get
	printf '%b' "$1" >debian.list
	printf '#!/bin/sh\n. "${0%%/*}/lib.sh"\n. "$H/debian.sh"\nmirror\n' >harness/mirror
	env -u MIRROR PATH="$PWD/bin:$PATH" sh harness/mirror
}
want=0 prints='^http://archive.example/debian$' mutant='harness/debian.sh s/^\tmirror+file:\*)/\tnever)/'
try 'mirror: a file with addresses' case_mirror '# mine\n\nhttp://archive.example/debian\tpriority:1\nhttp://other.example/debian\n'
want=2 prints='names no Debian archive' mutant='harness/debian.sh s/^\t\[ -n "$_m" \] || die.*/\t:/'
try 'mirror: none' case_mirror '# empty\n'
case_no_network() {
	printf 'package linux-source-7.3\nversion 1\nsuite experimental\nsha256 0\n' >patches/BASE
	MIRROR=http://127.0.0.1:9/debian harness/fetch-base
}
want=2 prints='cannot get linux-source-7.3 from http://127.0.0.1:9/debian' mutant='harness/fetch-base s/^\t\tdie "cannot get.*/\t\texit 2 \\/'
try 'input: no network' case_no_network
# An archive, whose apt-get download runs ARCHIVE with the name and version that is asked for as $1
case_archive() { # ARCHIVE
	printf 'package linux-source-7.3\nversion 1\nsuite experimental\nsha256 0\n' >patches/BASE
	mkdir -p bin deb/DEBIAN deb/usr/src
	echo source | tee Kbuild >.gitignore
	tar -cJf deb/usr/src/linux-source-7.3.tar.xz --transform 's,^,linux-source-7.3/,' Kbuild .gitignore
	printf 'Package: linux-source-7.3\nVersion: 2\nArchitecture: all\nMaintainer: t <t@localhost>\nDescription: t\n' >deb/DEBIAN/control
	dpkg-deb -b deb "$PWD/newest.deb" >/dev/null
	printf '#!/bin/sh\nfor last; do :; done\nset -- "$last"\ncase $1 in update) ;; *) %s ;; esac\n' "$1" >bin/apt-get
	chmod +x bin/apt-get
	rm -rf out/tree
	export DEBS="$PWD"
	MIRROR=http://archive.example/debian PATH="$PWD/bin:$PATH" harness/fetch-base && git -C out/tree show base:Kbuild
}
want=2 prints='linux-source-7.3 1 has another sha256 than patches/BASE says' mutant='harness/fetch-base s/^\t\t\[ "$(sum "$deb")" = "$sha256" \] || {/\t\tfalse \&\& {/'
try 'input: a package that is not the pinned one' case_archive 'cp "$DEBS/newest.deb" .'
want=0 prints='WARNING: the archive has no linux-source-7.3 1 any more; taking newest.deb' mutant='harness/fetch-base s/^\telif .*fetch .*; then/\telif false; then/'
try 'input: an archive that has only a newer package' case_archive '[ "$1" = linux-source-7.3 ] && cp "$DEBS/newest.deb" .'
case_archive_later() { case_archive '[ "$1" = linux-source-7.3 ] && cp "$DEBS/newest.deb" .' >/dev/null && harness/fetch-base; }
want=0 prints='WARNING: out/tree is not the base that patches/BASE pins' mutant='harness/fetch-base s/^\tnote "WARNING: ${TREE#.*/\t:/'
try 'input: a newer package, and the next run' case_archive_later
want=2 prints='ARCH=mips is not supported' mutant='harness/lib.sh s/|| die "ARCH=$ARCH is not.*/|| : \\/'
case_arch() { ARCH=mips harness/vmtest; }
try 'input: ARCH=mips' case_arch
want=2 prints='ARCH=mips is not supported' mutant='harness/vmtest-all s/^(default_arch; /(ARCH=x86_64 /'
case_arch_all() { ARCH=mips harness/vmtest-all; }
try 'input: ARCH=mips, all variants' case_arch_all
case_variant() { VARIANT=$1 ARCH=${2-x86_64} harness/vmtest; }
want=2 prints='VARIANT=.* is unknown' mutant='harness/lib.sh s/|| die "VARIANT=$VARIANT is unknown.*/|| : \\/'
try 'input: VARIANT=nosuch' case_variant nosuch
try 'input: VARIANT=x86_64, a fragment that is no variant' case_variant x86_64
case_variant_boot() {
	TOP=$PWD VARIANT=full ARCH=$1 BOOT_SECONDS=$2
	. harness/lib.sh
	need_variant
	echo "boot $BOOT_SECONDS"
}
want=0 prints='^boot 900$' mutant='harness/lib.sh s/${5:-120}/120/'
try 'variant: the suites of KUnit take longer to boot' case_variant_boot x86_64 ''
want=0 prints='^boot 60$' mutant='harness/lib.sh s/${BOOT_SECONDS:-${5:-120}}/$5/'
try 'variant: BOOT_SECONDS' case_variant_boot x86_64 60
case_lacks() { sed -i 's/^kcsan\t[^\t]*/kcsan\tx86_64/' config/variants; case_variant kcsan arm64; }
want=2 prints='VARIANT=kcsan does not exist for ARCH=arm64' mutant='harness/lib.sh s/\*) die "VARIANT=.*does not exist.* ;; esac/*) ;; esac/'
try 'input: a variant that the architecture lacks' case_lacks

case_list_variant() { # COMMAND
	printf '#!/bin/sh\necho "a guest of $VARIANT"; exit 9\n' >harness/accel
	eval "$1"
	LIST=full harness/vmtest
}
want=2 prints='^a guest of full$' mutant='harness/vm.sh s/^\t\[ "${LIST-}" != full \].*/\t:/'
try 'input: LIST=full has a kernel of its own' case_list_variant :
want=2 prints='^a guest of debug$' mutant='harness/vm.sh s/VARIANT=${VARIANT:-full}/VARIANT=full/'
try 'input: LIST=full on the kernel that is named' case_list_variant 'export VARIANT=debug'
case_full_fragments() { # VARIANT
	mkdir -p tree/tools/testing/selftests/bpf tree/tools/testing/kunit/configs obj
	touch tree/tools/testing/selftests/bpf/config ${NO_KUNIT-tree/tools/testing/kunit/configs/all_tests.config}
	printf '#!/bin/sh\necho "$* " | grep -c /selftests/bpf/config; exit 9\n' >harness/in-toolbox
	harness/build-kernel x86_64 "$1" "$PWD/tree" "$PWD/obj"
}
want=9 prints='^1$' mutant='harness/build-kernel s/^\tbpf=bpf /\t/'
try 'input: VARIANT=full has what the tests of BPF want' case_full_fragments full
want=9 prints='^0$' mutant='harness/build-kernel s/^if \[ "$variant" = full \]/if true/'
try 'input: another variant is small' case_full_fragments debug
case_full_kunit() { NO_KUNIT= case_full_fragments full; }
want=2 prints='the tree has no tools/testing/kunit/configs/all' mutant='harness/build-kernel s/^\t\[ -e "$tree.$all" \] || die.*/\t:/'
try 'input: VARIANT=full, and a tree without the suites of KUnit' case_full_kunit

case_fragment() { # FILE
	rm config/kasan.config
	touch "config/$1"
	harness/build-kernel x86_64 kasan "$PWD/out" "$PWD/obj"
}
want=2 prints='VARIANT=kasan adds nothing: there is no config/kasan.config' mutant='harness/build-kernel s/^\tdie "VARIANT=$variant adds.*/\t: \\/'
try 'input: a variant without its fragment' case_fragment kasan-arm64.config
want=2 prints='no tool tree' mutant='harness/build-kernel s/ || \[ -e "$TOP.config.$variant-$ARCH.config" \] ||/ ||/'
try 'input: a variant with a fragment for the architecture alone' case_fragment kasan-x86_64.config

# A run that is asked for what cannot be: it ends before it looks at the host.
case_asked() { # SETTING
	printf '#!/bin/sh\necho begun\nexit 9\n' >harness/doctor
	export "${1?}"
	harness/vmtest
}
try_asked() { # SETTING WHAT-IT-SAYS MUTANT
	want=2 prints=$2 mutant=$3
	try "input: $1 is refused before anything is built" case_asked "$1"
}
want=2 prints='^begun$' mutant='harness/vm.sh s/^\tpart "$H.accel" .*/\tfalse/'
try 'input: all is well' case_asked TESTS=bpf:build_id
case_asked_kvm() { KVM=/nosuch case_asked ACCEL=kvm; }
want=2 prints='ACCEL=kvm: no /nosuch that may be written to' mutant='harness/vm.sh /accel" "$ARCH"$/d'
try 'input: ACCEL=kvm without the device is refused before anything is built' case_asked_kvm
try_asked SMP=9 'SMP=9: the kernel is for 8 CPUs' 'harness/lib.sh s/ || die "SMP=$SMP: the kernel.*/ || :/'
try_asked TOTAL_SECONDS=99999999999999999999 'is no number above 0, or too large' 'harness/lib.sh s/ | ??????????\*)/)/'
try_asked UPDATE=0 'UPDATE=0 is neither 1 nor empty' 'harness/lib.sh s/^switches FORCE UPDATE/switches FORCE/'
try_asked BASELINE=out/nosuch 'BASELINE=out/nosuch: no such file' 'harness/vmtest s/^\t\tdie "BASELINE=$BASELINE: no such.*/\t\t:/'
unchecked='harness/vm.sh /plan" --check/d'
try_asked SHARD=5/3 'SHARD=5/3 is not I/N' "$unchecked"
try_asked SHARD=x 'SHARD=x is not I/N' "$unchecked"
try_asked LIST=nosuch 'LIST=nosuch is unknown' "$unchecked"
try_asked TESTS=build_id 'TESTS: build_id has no suite' "$unchecked"
try_asked TESTS=bpf: 'TESTS: bpf: names no test of the suite' 'harness/plan s/^\t\*?:) die .*/\t*?:) ;;/'
try_asked 'TESTS= ' 'TESTS is blank' 'harness/plan s/^\*) die "TESTS is blank.*/*) ;;/'
try_asked TESTS=nosuch:x 'TESTS: nosuch:x: there is no suite nosuch' 'harness/plan s/^\tcase " $suites " in .*/\t:/'
try_asked TESTS=fault:typo 'TESTS: there is no fault typo' "$unchecked"
try_asked 'TESTS=fault:*' 'use one of: panic .* pass$' 'harness/plan s/^\t\[ "${t%%:\*}" != fault \] ||/:||/'
no_match='harness/plan s/^\t\t\tdie "TESTS: $t matches no test.*/\t\t\t: ;;/'
try_asked 'TESTS=bpf:nosuch*' 'TESTS: bpf:nosuch. matches no test' "$no_match"
try_asked TESTS=kunit:nosuch 'TESTS: kunit:nosuch matches no test' "$no_match"
try_asked TESTS=tools:typo 'TESTS: tools:typo matches no test' "$no_match"
try_asked TESTS=bpf:nosuch '^.* TESTS: bpf:nosuch is in no list and no baseline' 'harness/plan s/^\t\t\*) note "TESTS: $t is in no.*/\t\t*) ;;/'
case_asked_quiet() { echo mine >>selftests/lists/bpf; case_asked "$1" 2>&1 | grep -c TESTS; }
want=1 prints='^0$' mutant='harness/plan s/^\t\t$2) return 0 ;;/\t\t$2) ;;/'
try 'input: a test that a list names' case_asked_quiet TESTS=bpf:mine
mutant='harness/plan s/^\t\t! sed .*selftests.baseline.*/\t\t:/'
case_asked_recorded() { echo 'passed bpf:recorded' >>selftests/baseline/x86_64; case_asked_quiet TESTS=bpf:recorded; }
try 'input: a test that the baseline names' case_asked_recorded
mutant='harness/plan s/_said=2/_said=1/g'
for setting in 'TESTS=bpf:uprobe_m*' 'TESTS=bpf:up*' 'TESTS=unwind:nosuch*'; do
	try "input: $setting, which a wildcard of a list can have" case_asked_quiet "$setting"
done
want=2 prints='^begun$' mutant='harness/plan s,"$H/guest/runner.c",/dev/null,'
try 'input: a fault in the runner' case_asked TESTS=fault:panic
mutant='harness/plan s,^\tls "$TOP/selftests/fault",\t:,'
try 'input: a fault that is a program' case_asked TESTS=fault:chatter
try_asked ACCEL=xen 'ACCEL=xen is unknown' 'harness/vm.sh /accel" "$ARCH"$/d'
for setting in SMP=0 BOOT_SECONDS=1m; do
	try_asked $setting 'is no number above 0' 'harness/lib.sh s/) die "$_v=$_n is no.*/) ;; esac/'
done
try_asked JOBS=many 'JOBS=many is no number' 'harness/lib.sh /^numbers JOBS/d'
for setting in MEM=much MEM=2GB; do
	try_asked $setting 'is no size of memory' 'harness/lib.sh s/|| die "MEM=.*/|| :/'
done
case_bench_accel() { ACCEL=tcg harness/bench; }
want=2 prints='ACCEL=tcg is unknown' mutant='harness/bench /^need_accel/d'
try 'input: ACCEL=tcg of the benchmarks' case_bench_accel

case_kdir() {
	mkdir -p kdir/kernel/bpf
	touch kdir/Kbuild kdir/kernel/bpf/core.c
	git init -q kdir
	git -C kdir add .
	git -C kdir commit -qm base
	eval "$1"
	KDIR=${KDIR-kdir} ${RUN-harness/fetch-base}
}
want=0 prints='base: commit ' mutant=
try 'input: KDIR' case_kdir :
case_kdir_unchanged() {
	case_kdir 'find kdir | sort | xargs stat -c "%n %Y %s %i" >before; find kdir -type f | sort | xargs sha256sum >>before'
	{ find kdir | sort | xargs stat -c "%n %Y %s %i"; find kdir -type f | sort | xargs sha256sum; } | cmp - before && echo untouched
}
want=0 prints='^untouched$' mutant='harness/fetch-base s/^\tVMTEST_GIT=$KDIR archive HEAD/\ttouch "$KDIR\/new"; &/'
try 'input: KDIR is only read' case_kdir_unchanged
case_kdir_now() { # What was built from the base before is older than all of this one
	case_kdir 'touch built; sleep 0.1' && find out/tree/Kbuild -newer built
}
want=0 prints='^out/tree/Kbuild$' mutant='harness/git.sh s/| tar -C "$2" -xmf -/| tar -C "$2" -xf -/'
try 'input: the files of a KDIR are of now' case_kdir_now
case_base_now() {
	series_setup
	printf '. "${0%%/*}/lib.sh"\n. "$H/git.sh"\nbase_tree\n' >harness/check-out
	touch built
	sleep 0.1
	sh harness/check-out && find out/tree-base/file -newer built
}
want=0 prints='^out/tree-base/file$' mutant='harness/git.sh s/| tar -C "$2" -xmf -/| tar -C "$2" -xf -/'
try 'baseline: the files of its base are of now' case_base_now
# Called by a hook of the repository "other"
case_kdir_hook() {
	git init -q other
	git -C other commit -q --allow-empty -m theirs
	export GIT_DIR="$PWD/other/.git" GIT_INDEX_FILE="$PWD/other/.git/index"
	(unset GIT_DIR GIT_INDEX_FILE; case_kdir : >log 2>&1) # the clone
	rm -rf out
	KDIR=kdir harness/fetch-base >log 2>&1 || cat log
	unset GIT_DIR GIT_INDEX_FILE
	git -C other log --format=%s && git -C out/tree rev-parse base >/dev/null && echo apart
}
want=0 prints='^apart$' mutant='harness/lib.sh /^unset GIT_DIR/d'
try 'input: a KDIR, from a hook of another repository' case_kdir_hook
case_kdir_signs() { case_kdir "printf '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n' >signs; export GIT_CONFIG_GLOBAL=$PWD/signs"; }
want=0 prints='base: commit ' mutant='harness/fetch-base s/^\t\ttgit commit/\t\tgit -C "$VMTEST_GIT" commit/'
try 'input: a KDIR of a user who signs what they commit' case_kdir_signs
case_kdir_versions() { series_setup && git -C out/tree tag lib-v1 && git -C out/tree tag lib-v1-base base &&
	case_kdir 'seq 1 60 >kdir/file; git -C kdir add file; git -C kdir commit -qm file' && git -C out/tree log -1 --format=%s lib-v1-base..lib-v1; }
want=0 prints='^lib: Write thirty as a word$' mutant='harness/fetch-base s/^\t\[ -z "$versions" \] ||/\t:/'
try 'input: the versions of a topic stay when the base changes' case_kdir_versions
case_kdir_apart() { # A clone to which the series does not apply
	series_setup
	echo 'package sha256 b' >out/base.id
	rc=0
	case_kdir : || rc=$?
	git -C out/tree log -1 --format=%s
	cat out/base.id
	return $rc
}
case_kdir_hunk() { # The whole way to where a patch has another place
	series_setup
	echo 'package sha256 b' >out/base.id
	for s in doctor toolbox; do printf '#!/bin/sh\n' >harness/$s; done
	RUN=harness/vmtest case_kdir 'seq 1 60 | sed "s/^8$/eight/" >kdir/file; git -C kdir add file; git -C kdir commit -qm file'
}
want=2 prints='^    @@ -7,7' mutant='harness/am s/^\t\thunk .*//'
try 'input: a KDIR whose series does not apply, and the hunk' case_kdir_hunk
prints='patch lib/0001-lib-Write-ten-as-a-word.patch does not apply' mutant='harness/am s/^\tdie "patch $p does not apply.*/\texit 2/'
try 'input: a KDIR whose series does not apply, and the patch' case_kdir_hunk
want=2 prints='^lib: Write thirty as a word$' mutant='harness/fetch-base s/^\t\[ ! -e "$TREE.\.git" \] || .* || applies$//'
try 'input: a KDIR whose series does not apply leaves out/tree as it was' case_kdir_apart
prints='^package sha256 b$'
try 'input: a KDIR whose series does not apply, and the name of the base' case_kdir_apart
prints='out/tree is as it was; FORCE=1 make apply'
try 'input: a KDIR whose series does not apply, and what is next' case_kdir_apart
want=0 prints='^commit ' mutant='harness/fetch-base s/ || \[ -n "${FORCE-}" \] || applies$/ || applies/'
case_kdir_force() { FORCE=1 case_kdir_apart; }
try 'input: a KDIR whose series does not apply, FORCE=1' case_kdir_force
case_kdir_killed() { # behind the moment in which the tree is put in place
	series_setup
	seq 1 60 >file
	mkdir bin
	printf '#!/bin/sh\n/usr/bin/mv "$@"\ncase $2 in */out/tree) kill -9 $PPID ;; esac\n' >bin/mv
	chmod +x bin/mv
	echo 'sha256 b' >>patches/BASE
	echo 'package sha256 b' >out/base.id
	PATH=$PWD/bin:$PATH
	case_kdir 'cp file kdir; git -C kdir add file; git -C kdir commit -qm file' || :
	echo "base: $(git -C out/tree log -1 --format=%s base), said to be $(cat out/base.id 2>/dev/null)"
}
want=0 prints='^base: commit .*, said to be $' mutant='harness/fetch-base s/rm -rf "$OUT.base.id" "$TREE"/rm -rf "$TREE"/'
try 'input: a run that is killed leaves no base by the name of another' case_kdir_killed
case_no_name() { case_kdir_killed; (unset KDIR; harness/fetch-base); }
want=2 prints='cannot get none from' mutant='harness/fetch-base s/ \&\& \[ -n "$instead" \]//'
try 'input: a tree without a name is no base' case_no_name
case_kdir_late() { # Work in out/tree that came while the base was made
	series_setup
	mkdir bin
	printf '#!/bin/sh\n[ "$1" != -C ] || /usr/bin/git -C out/tree commit -q --allow-empty -m late\nexec /usr/bin/tar "$@"\n' >bin/tar
	chmod +x bin/tar
	echo 'package sha256 b' >out/base.id
	PATH=$PWD/bin:$PATH case_kdir 'seq 1 60 >kdir/file; git -C kdir add file; git -C kdir commit -qm file'
}
prints='has commits that are not in patches' mutant='harness/fetch-base /^\t# Again: somebody/,+1d'
try 'input: a KDIR, and work that came meanwhile' case_kdir_late
case_kdir_cut() { # git dies between two files
	mkdir bin
	printf '%s\n' '#!/bin/sh' 'case "$*" in *archive*) /usr/bin/git "$@"; exit 1 ;; esac' 'exec /usr/bin/git "$@"' >bin/git
	chmod +x bin/git
	PATH=$PWD/bin:$PATH case_kdir :
}
prints='git archive failed' mutant='harness/git.sh s/tgit archive "$1" \&\& touch/tgit archive "$1" || touch/'
try 'input: a KDIR that git stops to read' case_kdir_cut
want=2 prints='is not a kernel tree' mutant='harness/git.sh s/^\t\tdie "KDIR=$KDIR is not a kernel.*/: \\/'
try 'input: a KDIR that is no kernel tree' case_kdir 'KDIR=harness'
prints='next: KDIR=.HOME/kdir$' mutant='harness/git.sh s/^\tcase $KDIR in "~".*//'
try 'input: a KDIR with a ~ that is none of the shell' case_kdir 'KDIR="~/kdir"'
want=2 prints='has uncommitted changes: M Kbuild' mutant='harness/git.sh s/^\t\[ -z "$_dirty" \] || die.*/: \\/'
try 'input: a dirty KDIR' case_kdir 'echo x >>kdir/Kbuild'
want=2 prints='is not a git repository: fatal: not a git' mutant='harness/git.sh s/^\t\*) die "KDIR=$KDIR is not a git.*/*) ;;/'
try 'input: a KDIR without git' case_kdir 'rm -rf kdir/.git'
prints='is another user.s, and git refuses to read it$' mutant='harness/git.sh s/"dubious ownership"/"no such thing"/'
try 'input: a KDIR of another user' case_kdir 'export GIT_TEST_ASSUME_DIFFERENT_OWNER=1'
want=2 prints='is a part of another git repository' mutant='harness/git.sh s/^\t\[ -z "$(git -C "$KDIR" rev-parse --show-cdup)" \] ||/\t: ||/'
try 'input: a KDIR in the repository of another' case_kdir \
	'rm -rf kdir/.git; git init -q && git add kdir && git -c user.name=x -c user.email=x commit -qm x'

case_deb() {
	mkdir -p p/DEBIAN p/usr/src
	printf 'Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@localhost>\nDescription: x\n' >p/DEBIAN/control
	dpkg-deb -b p x.deb >/dev/null
	head -c 300 x.deb >short.deb
	BASE_DEB=$1 harness/fetch-base
	rc=$?
	[ ! -e out/tree.new ] || echo left behind
	return $rc
}
want=2 prints='is not a complete Debian package' mutant='harness/fetch-base s/^\t\tdie "$1 is not a complete.*/: \\/'
try 'input: a truncated package' case_deb short.deb
want=2 prints='holds no kernel source' mutant='harness/fetch-base s/^\t\tdie "$1 holds no.*/: \\/'
try 'input: a package without a kernel' case_deb x.deb
want=2 prints='no such file' mutant='harness/git.sh s/|| die "BASE_DEB=$BASE_DEB: no such.*/|| :/'
try 'input: a package that is not there' case_deb nosuch.deb
