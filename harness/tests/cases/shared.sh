# Cases of selfcheck (sourced by tests/run): what runs share: out/tree, out/tree-base and the cache

# A run on the base "b" that says what it builds from, and what a run on a clone has made of out/tree after it
shared_setup() {
	user_clone
	echo 'sha256 b' >>patches/BASE
	echo 'package sha256 b' >out/base.id
	git -C out/tree update-ref refs/vmtest/saved HEAD
	for s in doctor toolbox; do printf '#!/bin/sh\n' >harness/$s; done
	printf '%s\n' '#!/bin/sh' 'touch "building.$1"' "$1" \
		'echo "$1 was built from $(git -C out/tree log -1 --format=%s base)"' \
		'rm "building.$1"; exit 9' >harness/build-kernel
	export BASELINE=none
}
case_shared() {
	shared_setup 'for i in $(seq 80); do [ "$(git -C out/tree log -1 --format=%s base)" = base ] || break; sleep 0.1; done' >/dev/null
	harness/vmtest >first 2>&1 &
	until_there building.x86_64 && KDIR=kdir harness/apply
	wait
	cat first
	echo "then: $(git -C out/tree log -1 --format=%s base)"
}
want=0 prints='^x86_64 was built from base$' mutant='harness/lib.sh s/^\t-x) hold 7 .*/\t-x) ;;/'
try 'shared: out/tree is not changed while it is built from' case_shared
prints='^then: commit ' mutant='harness/apply s/^\tapplied || apply$/\texit 0/;s/^\t! applied || exit 0$/\texit 0/;/"$H.fetch-base"/d'
try 'shared: the run that waits for out/tree gets it' case_shared
prints='waiting for another run, which works with out/tree' mutant='harness/lib.sh s/^\tnote "waiting for another run.*//'
try 'shared: who waits is told' case_shared
case_apply_alone() {
	series_setup
	echo 'sha256 b' >>patches/BASE
	echo 'package sha256 b' >out/base.id
	git -C out/tree update-ref refs/vmtest/saved HEAD
	rm -f out/tree/.git/vmtest-key
	sed -i '2i flock -n -s "${0%/*}/../out/tree.lock" true || echo held alone' harness/am
	harness/apply
}
want=0 prints='^held alone$' mutant='harness/fetch-base s/^\[ "${TREE_LOCK-}" = .* || hold_tree$/hold_tree/'
try 'shared: out/tree is not read while it is changed' case_apply_alone
want=0
case_shared_archs() {
	shared_setup '[ ! -e first ] || exit 9; mkdir first || exit 9; for i in 1 2 3 4 5 6 7 8; do
			[ ! -e building.x86_64 ] || [ ! -e building.arm64 ] || { echo side by side; break; }; sleep 0.5; done' >/dev/null
	harness/apply >/dev/null
	ARCH=arm64 harness/vmtest >other 2>&1 &
	harness/vmtest || :
	wait
	cat other
}
prints='^side by side$' mutant='harness/lib.sh s/^\t\*) hold 7 \(.*\) -s ;;/\t*) hold 7 \1 ;;/'
try 'shared: two architectures are built at a time' case_shared_archs
case_shared_end() { # A run that waits is told to end
	shared_setup : >/dev/null
	flock out/tree.lock sh -c 'touch held; sleep 5; rm held' &
	until_there held
	KDIR=kdir harness/apply >said 2>&1 &
	until grep -q waiting said; do sleep 0.1; done
	kill -TERM $!
	rc=0
	wait $! || rc=$?
	[ ! -e held ] || echo "ended with $rc"
}
prints='^ended with 143$' mutant='harness/lib.sh s/^\tpart flock \(.*\) &$/\tflock \1; return/'
try 'shared: who waits can be ended' case_shared_end
case_shared_base() { # Two runs want out/tree-base; a tar that takes a while says when it begins
	series_setup
	mkdir bin
	printf '#!/bin/sh\necho begun >>tars\nsleep 1\nexec /usr/bin/tar "$@"\n' >bin/tar
	chmod +x bin/tar
	printf '#!/bin/sh\n. "${0%%/*}/lib.sh"\n. "$H/git.sh"\nhold_tree\nbase_tree\n' >harness/wants
	PATH=$PWD/bin:$PATH
	sh harness/wants &
	sleep 0.3
	sh harness/wants && wait $! && echo "$(wc -l <tars) made, $(wc -l <out/tree-base/file) lines"
}
prints='^1 made, 60 lines$' mutant='harness/git.sh s/^\thold 6 .*//'
try 'shared: one of two runs checks the base out' case_shared_base

# Two clones that want the same of the cache: CMD in each, and how often TOOL was run for both
case_cache() { # TOOL CMD...
	tool=$1
	shift
	mkdir -p bin ../u
	printf '%s\n' '#!/bin/sh' 'echo begun >>"$CACHE/begun"; sleep 1' \
		'for a; do case $a in *.part) tar -cf "$a" -C "$CACHE" begun; exit ;; download) cp "$DEBS/newest.deb" . ;; esac; done' >"bin/$tool"
	chmod +x "bin/$tool"
	mkdir -p "$CACHE"
	cp -R . ../u
	export MIRROR=http://archive.example/debian DEBS="$PWD"
	PATH=$PWD/bin:$PATH
	(cd ../u && "$@") >other 2>&1 &
	sleep 0.3
	rc=0
	"$@" || rc=$?
	wait $! || rc="$rc, $?"
	cat other
	echo "ended with $rc, $(wc -l <"$CACHE/begun") begun"
}
prints='^ended with 0, 1 begun$' mutant='harness/lib.sh s/^toolbox) .*/toolbox) ;;/'
try 'shared: one of two clones makes the tool tree' case_cache mmdebstrap harness/toolbox
case_cache_rootfs() {
	printf '#!/bin/sh\nwhile [ $# -gt 3 ]; do shift; done\ntouch "$CACHE/${2##*/}"\n' >harness/in-toolbox
	case_cache mmdebstrap harness/rootfs x86_64
}
mutant='harness/lib.sh s/^rootfs) .*/rootfs) ;;/'
try 'shared: one of two clones makes the root file system' case_cache_rootfs
case_cache_base() {
	case_archive false >/dev/null 2>&1 || :
	printf 'package linux-source-7.3\nversion 1\nsuite experimental\nsha256 %s\n' "$(sha256sum newest.deb | cut -d' ' -f1)" >patches/BASE
	rm -rf out
	case_cache apt-get harness/fetch-base
}
prints='^ended with 0, 2 begun$' mutant='harness/fetch-base s/^hold_cache .*//'
try 'shared: one of two clones fetches the base' case_cache_base

# vmtest up to where it looks for the baseline, on the base "b".
case_vmtest() { # OPTION SETTINGS
	mkdir -p out selftests/baseline
	rm -f selftests/baseline/*
	echo 'sha256 b' >>patches/BASE
	echo 'package sha256 b' >out/base.id
	for s in doctor toolbox apply; do printf '#!/bin/sh\n' >harness/$s; done
	printf '#!/bin/sh\necho built; exit 9\n' >harness/build-kernel
	echo 'built_from() { :; }' >>harness/git.sh
	eval "$2"
	harness/vmtest $1
}
want=2 prints='^built$' mutant='harness/vmtest s/grep -qxF "base $base"/grep -qxF "base x"/'
try 'input: a baseline of this base' case_vmtest '' 'echo "base package sha256 b" >selftests/baseline/x86_64'
want=2 prints='x86_64 is of another base: package sha256 a, and this is package sha256 b' mutant='harness/vmtest s/^\t\tdie "$baseline is of another.*/: \\/'
try 'input: a baseline of another base' case_vmtest '' 'echo "base package sha256 a" >selftests/baseline/x86_64'
want=2 prints='selftests/baseline/x86_64 is not there' mutant='harness/vmtest s/^\tdie "$recorded is not there.*/\t: \\/'
try 'input: no baseline' case_vmtest '' :
want=2 prints='BASELINE=out/mine: no such file' mutant='harness/vmtest s/^\t\tdie "BASELINE=$BASELINE: no such.*/\t\t:/'
try 'input: a baseline that is not there' case_vmtest '' 'export BASELINE=out/mine'
want=2 prints='not compared with a baseline: BASELINE=none' mutant='harness/vmtest s/^elif \[ "$baseline" = none \]; then/elif false; then/'
try 'input: BASELINE=none' case_vmtest '' 'export BASELINE=none'
want=2 prints='not compared with a baseline: .* there is no out/baseline/x86_64' mutant='harness/vmtest s,recorded=out/baseline/,recorded=selftests/baseline/,'
try 'input: no baseline of a base that is not the pinned one' case_vmtest '' 'echo "commit 1" >out/base.id'
want=2 prints='BASELINE=/etc/passwd is outside' mutant='harness/vmtest s/^\t\*) die "BASELINE=$BASELINE is outside.*/\t*) ;;/'
try 'input: a baseline outside of the checkout' case_vmtest '' 'export BASELINE=/etc/passwd'
want=2 prints='BASELINE=../other/x86_64 is outside' mutant='harness/vmtest s,realpath -m -- "$BASELINE",echo "$TOP/$BASELINE",'
try 'input: a baseline in another checkout' case_vmtest '' 'mkdir -p ../other; echo "base package sha256 b" >../other/x86_64; export BASELINE=../other/x86_64'
want=2 prints='BASELINE=none is no file to record in' mutant='harness/vmtest /die "BASELINE=none/d'
try 'input: a baseline that is recorded in none' case_vmtest --baseline 'export UPDATE=1 BASELINE=none'
want=2 prints='UPDATE=1 writes the results of the base' mutant='harness/vmtest /die "UPDATE=1 writes/d'
try 'input: UPDATE=1 without --baseline' case_vmtest '' 'export UPDATE=1 BASELINE=none'
for setting in TESTS=bpf:x LIST=full SHARD=1/2; do
	want=2 prints="vmtest-failed runs what failed, and ${setting%%=*} is set" mutant='harness/vmtest s/^\tv=$(is_set.*/\tv=/'
	try "input: vmtest-failed, and $setting" case_vmtest --failed "export $setting"
done
want=2 prints='a baseline is recorded with VARIANT=default and LIST=default' mutant='harness/vmtest s/^\t\tdie "a baseline is recorded.*/\t\t:/'
try 'input: a baseline of LIST=full' case_vmtest --baseline 'export UPDATE=1 LIST=full'
want=2 prints='no results of a run before' mutant='harness/vmtest s/|| die "no results of a run before.*/||:/'
try 'input: vmtest-failed without a run before' case_vmtest --failed :
want=2 prints='nothing failed in the run before' mutant='harness/vmtest s/^\t\tdie "nothing failed.*/\t\t:/'
no_test='mkdir -p out/x86_64-default/results; : >out/x86_64-default/results/failed'
try 'input: vmtest-failed, and nothing failed' case_vmtest --failed "$no_test"
prints='there is no test to run again: SPLAT in console.log' mutant='harness/vmtest s/(FAILED|SPLAT|/(FAILED|/'
try 'input: vmtest-failed behind a splat' case_vmtest --failed "$no_test; echo 'SPLAT in console.log, line 7, test bpf:x:' >out/x86_64-default/results/report"
prints='there is no test to run again: FAILED bpf:old' mutant='harness/vmtest s/(FAILED|SPLAT|/(SPLAT|/'
try 'input: vmtest-failed behind a test that is gone' case_vmtest --failed "$no_test; echo 'FAILED bpf:old' >out/x86_64-default/results/report"
want=2 prints='ended with 9, before there was a verdict' mutant='harness/vmtest /^at_exit unjudged/d'
try 'vmtest: what goes wrong before the verdict is no failed test' case_vmtest '' 'export BASELINE=none'
# As far as the sources tell
sources='export BASELINE=none; st=out/tree/tools/testing/selftests; mkdir -p $st/bpf/prog_tests $st/ftrace/test.d/x
	printf "void serial_test_build_id(void)\\nvoid test_other(void)\\n" >$st/bpf/prog_tests/x.c; touch $st/ftrace/test.d/x/y.tc
	mkdir $st/unwind; echo "TEST_GEN_PROGS := walk cancel" >$st/unwind/Makefile
	rm -rf selftests/lists selftests/full; mkdir selftests/lists selftests/full; echo "b*" >selftests/lists/bpf; echo "x/*" >selftests/lists/ftrace
	echo "*" >selftests/lists/unwind'
for t in bpf:nosuch 'bpf:build_*x' ftrace:x/nosuch.tc unwind:cancels; do
	want=2 prints="TESTS: .* matches no test" mutant='harness/vm.sh /plan" --check "$TREE"/d'
	try "input: TESTS=$t is refused before the kernel is built" case_vmtest '' "$sources; export TESTS='$t'"
done
want=2 prints='lists/bpf:1: nosuch matches no test' mutant='harness/vm.sh /plan" --check "$TREE"/d'
try 'input: a list names what the sources do not have' case_vmtest '' "$sources; echo nosuch >selftests/lists/bpf"
want=2 prints='^built$' mutant='harness/plan s/(serial_)?test_/test_/'
try 'input: TESTS name what the sources have' case_vmtest '' "$sources; export TESTS='bpf:build_id ftrace:x/* unwind:cancel'"
# Results that are there when the run begins, or come up in it
case_results() { # SETTINGS
	mkdir -p out/x86_64-default/results
	echo plan >out/x86_64-default/results/plan
	rc=0
	case_vmtest '' "$1" || rc=$?
	ls out/x86_64-default/results
	return $rc
}
want=2 prints='^plan$' mutant='harness/vmtest s,^place $which$,find out/x86_64-default/results -mindepth 1 -delete; &,'
try 'input: a KDIR that is no kernel tree takes no results away' case_results 'export KDIR=harness'
try 'input: a package that is not there takes no results away' case_results 'export BASE_DEB=nosuch.deb'
try 'input: a BASELINE that is not there takes no results away' case_results 'export BASELINE=nosuch'
case_interrupted() { # SIGNAL EXIT-CODE
	case_results 'export BASELINE=none
		r=out/x86_64-default/results
		printf "#!/bin/sh\ntouch $r/results.ktap $r/console.log $r/qmp.sock $r/gone; kill -'"$1"' \$PPID; exec sleep 2\n" >harness/build-kernel' ||
		[ $? = "$2" ] && echo "left: $(ls out/x86_64-default/results | paste -sd' ')"
}
want=0 prints='^left: console.log$' mutant='harness/vmtest s/\] || empty ! -type d.*/] || : ;;/'
try 'vmtest: an interrupted run leaves the logs alone' case_interrupted TERM 143
mutant='harness/vmtest s/none-141 | //'
try 'vmtest: so does one whose output nobody reads' case_interrupted PIPE 141
case_interrupted_early() {
	case_results 'export BASELINE=none
		printf "#!/bin/sh\nkill -TERM \$PPID; exec sleep 2\n" >harness/doctor' ||
		[ $? = 143 ] && echo "left: $(ls out/x86_64-default/results | paste -sd' ')"
}
want=0 prints='^left: plan$' mutant='harness/vmtest s/^judged= begun=/&y results=out\/x86_64-default\/results/'
try 'vmtest: a run that is interrupted before it begins leaves what was there' case_interrupted_early
want=2 prints='CMD is not set' mutant='harness/run s/^\[ -n "${CMD-}" \] || die/: ||/'
case_run() { harness/run; }
try 'input: make run without CMD' case_run
want=2 prints='CMD has 70001 bytes' mutant='harness/run s/^\[ "$bytes" .*/exit 0/'
case_long_cmd() { CMD=$(head -c 70000 /dev/zero | tr '\0' x) harness/run; }
try 'input: make run with a CMD that a guest does not take whole' case_long_cmd
want=2 prints='make shell needs a terminal' mutant='harness/shell s/^\[ -t 0 \] || die .*/exit 0/'
case_shell() { harness/shell </dev/null; }
try 'input: make shell without a terminal' case_shell
want=2 prints='^Usage: in-toolbox' mutant='harness/in-toolbox /^\[ $# -gt 0 \] || { usage/d'
case_in_toolbox() { harness/in-toolbox -b x y; }
try 'input: in-toolbox without a command' case_in_toolbox
want=2 prints='make room for 6 GB' mutant='harness/doctor s/ || here=5$/ || :/'
case_doctor_room() {
	mkdir -p out/tree bin "$CACHE"
	for s in mmdebstrap bwrap newuidmap; do printf '#!/bin/sh\n' >bin/$s; done
	printf '#!/bin/sh\nprintf "Filesystem\\nx 9 9 3145728 9%%%% /\\n"\n' >bin/df
	chmod +x bin/*
	sed -i "s,^/usr/share/keyrings.*'$,xz xz-utils'," harness/doctor
	sed -i 's,^\[ -e "$(toolbox_dir)/.complete" \].*,:,' harness/doctor
	PATH="$PWD/bin:$PATH" harness/doctor --install kernel
}
try 'doctor: room for a kernel that is not built' case_doctor_room
want=2 prints='the cache .*/file/x cannot be made' mutant='harness/doctor s/ 2>.dev.null || die "the cache.*//'
case_no_cache() { touch file; CACHE=$PWD/file/x harness/doctor; }
try 'input: a cache that cannot be made' case_no_cache
want=0 prints=' said$' mutant='harness/lib.sh s/^case ${START-} in.*/START=${START:-$_now}/'
case_start() { printf '. harness/lib.sh\nnote said\n' >harness/say; START=junk sh harness/say; }
try 'input: START=junk' case_start
want=2 prints='TOPIC=nosuch is unknown' mutant='harness/bisect-check /^\[ -z "${TOPIC-}" \] || need_topic$/d'
case_topic_locked() { mkdir -p out; exec 5>out/tree.lock; flock 5; TOPIC=nosuch timeout 3 harness/bisect-check; }
try 'input: TOPIC=nosuch is refused before the tree is waited for' case_topic_locked
