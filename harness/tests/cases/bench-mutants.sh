# Cases of selfcheck (sourced by tests/run): benchmarks and mutants

# bench-report on two figures in two runs of each kernel; sed changes those of a run
case_bench() { # RUN SED
	for k in base series; do
		for n in 1 2; do
			mkdir -p "b/$k.$n"
			printf 'entry/syscall-exit %s 2.0\nunwind/tracers-1 null no such feature\n' \
				$([ $k = base ] && echo 400 || echo 300) >"b/$k.$n/figures"
		done
	done
	sed -i "$2" "b/$1/figures"
	harness/bench-report b b/out entry/syscall-exit unwind/tracers-1 && jq -c '.[]' b/out.json
}
want=0 mutant=
prints='"name":"entry/syscall-exit","unit":"instructions","base":400,"series":300,"ratio":0.750,'
mutant='harness/bench-report s,"%.3f"\, series / base,"%.3f"\, base / series,'
try 'bench: a ratio' case_bench base.1 ''
prints='"base":null,"series":null,"ratio":null,.*"reason":"base: no such feature; series: no such feature"'
mutant='harness/bench-report /^$2 == "null"/d'
try 'bench: a feature that a kernel lacks' case_bench base.1 ''
case_bench_spread() { export ACCEL=kvm; case_bench base.1 's/2.0/5.0/'; }
prints='"base_spread":5,"series_spread":2,' mutant='harness/bench-report s/if ($3 > spread\[$1, k\]) //'
try 'bench: the larger spread' case_bench_spread
case_bench_zero() { case_bench base.1 's/400/0/' >/dev/null 2>&1; cp b/base.1/figures b/base.2/figures; harness/bench-report b b/out entry/syscall-exit unwind/tracers-1; }
want=0 prints='^entry/syscall-exit .* 0 +300 +- .*the base is not above 0$' mutant='harness/bench-report s/reason = "the base is not above 0"/reason = ""/'
try 'bench: a base of nothing' case_bench_zero
case_bench_opposite() { case_bench base.1 's/400/50/' >/dev/null 2>&1; case_bench_zero >/dev/null 2>&1; sed -i 's/ 0 2/ -50 2/' b/base.1/figures; sed -i 's/ 0 2/ 50 2/' b/base.2/figures; harness/bench-report b b/out entry/syscall-exit unwind/tracers-1; }
want=1 prints='entry/syscall-exit: the two runs are ' mutant='harness/bench-report s/^\t\t\tmost = .*/\t\t\tmost = mean[b, k]/'
try 'bench: runs with opposite figures' case_bench_opposite
case_bench_gains() { case_bench "$1.1" 's/null.*/7 1/' >/dev/null 2>&1; cp b/$1.1/figures b/$1.2/figures; harness/bench-report b b/out entry/syscall-exit unwind/tracers-1; }
want=0 prints='^unwind/tracers-1 .* - +7 .*base: no such feature$' mutant='harness/bench-report s/ && mean\[name\[i\], "series"\] == ""//'
try 'bench: a feature that only the series has' case_bench_gains series
want=2 prints='tracers-1: the base has a figure, and the series has none: no such feature' mutant='harness/bench-report s/fail(name\[i\] ": the base has.*/;/'
try 'bench: a feature that the series has lost' case_bench_gains base
want=1 prints='entry/syscall-exit: the two runs are 0.2' mutant='harness/bench-report s/^\t\tif (exact && apart.*/\t\tif (0)/'
try 'bench: runs that do not agree' case_bench base.2 's/400/401/'
prints='entry/syscall-exit: the two runs are 0.12' mutant='harness/bench-report s/apart\[b\] > 0.001/apart[b] > 0.0019/'
try 'bench: runs that are 0.125 % apart' case_bench base.2 's/400/400.5/'
want=1 prints='entry/syscall-exit: the two runs are 0.2' mutant='harness/bench-report s/^\t\tif (exact && apart.*/\t\tif (0)/'
case_bench_leaves() { case_bench "$@" >/dev/null 2>&1; [ $? = 1 ] && ls b | paste -sd' '; }
want=0 prints='^base.1 base.2 series.1 series.2$' mutant='harness/bench-report s/^if \[ $rc != 0 \]; then/if [ $rc = 2 ]; then/'
try 'bench: runs that do not agree leave no result' case_bench_leaves base.2 's/400/401/'
mutant='harness/bench-report s/^\trm -f .*part"$/\t:/'
try 'bench: runs that do not agree leave no part of a result' case_bench_leaves base.2 's/400/401/'
want=2 prints='entry/syscall-exit: no figure in run 2 of the kernel "series"' mutant='harness/bench-report s/fail(b ": no figure in.*/;/'
try 'bench: a figure that is missing' case_bench series.2 1d
want=2 prints='a figure in one run of the kernel "series", and none' mutant='harness/bench-report s/fail(b ": a figure in one.*/;/'
try 'bench: a figure in one run only' case_bench series.2 's/300.*/null why/'
want=2 prints='entry/new is not in the list' mutant='harness/bench-report s/fail($1 " is not in.*/next }/'
try 'bench: a figure that no line names' case_bench series.2 '$aentry/new 3 0'
want=2 prints='entry/syscall-exit: nan is no number' mutant='harness/bench-report /is no number"); next/d'
try 'bench: a figure that is none' case_bench series.2 's/300/nan/'
case_bench_large() { case_bench base.1 's/400/5000000000/' >/dev/null 2>&1; case_bench base.2 's/400/5000000000/' >/dev/null 2>&1; cp b/base.2/figures b/base.1/; harness/bench-report b b/out entry/syscall-exit; }
want=0 prints='^entry/syscall-exit .* 5000000000 ' mutant='harness/bench-report s/sprintf("%.0f", v)/sprintf("%d", v > 2147483647 ? 2147483647 : v)/'
try 'bench: a figure of more than 31 bits' case_bench_large
# The bars, of one figure: 200 on the base
case_bars() { # SERIES [LINE-OF-BARS]
	printf '#!/bin/sh\nexec "$@"\n' >harness/in-toolbox
	printf '[{"name": "a/b", "base": 200, "series": %s}]\n' "$1" >figures.json
	printf '# a comment\n\narm64\t<= 0\tratio("a/b")\n%b\n' "${2-x86_64 arm64\t<= 0.5\tratio(\"a/b\")\t<= 0.6}" >selftests/bench/bars
	ARCH=x86_64 harness/bench-bars figures.json
}
want=0 prints='^ok      0.5 <= 0.5  ratio."a/b".$' mutant='harness/bench-bars s/^\tindex(.*/\t{/'
try 'bars: reached' case_bars 100
want=1 prints='^missed  0.605 <= 0.5 ' mutant="harness/bench-bars s/^! printf.*/:/"
try 'bars: missed' case_bars 121
want=0 prints='^known   0.6 <= 0.5 ' mutant='harness/bench-bars s/\$value | known/false/'
try 'bars: missed, as is known' case_bars 120
want=2 prints='no figure of series: a/b' mutant='harness/bench-bars s, // error(.*);$,;,'
try 'bars: no figure' case_bars null
want=2 prints='selftests/bench/bars has no line for x86_64' mutant='harness/bench-bars s/^\[ -n "$bars" \] || die.*/:/'
try 'bars: none for an architecture' case_bars 100 ''
want=2 prints='a line of selftests/bench/bars has too few fields' mutant='harness/bench-bars s/NF < 3 { exit 1 }/NF < 3 { next }/'
try 'bars: a line with blanks for tabs' case_bars 100 'x86_64 <= 0.5 ratio("a/b")'
case_bench_glob() { BENCH=$1 harness/bench; }
want=2 prints='BENCH=nosuch/\* matches no benchmark' mutant='harness/bench s/^\[ -n "$selected" \] || die.*/: \\/'
try 'bench: BENCH that matches nothing' case_bench_glob 'nosuch/*'

# All of bench, with guests whose figures are made.
case_bench_run() { # GLOB [EXIT-CODE]
	series_setup
	mkdir -p out/bench
	echo instructions >out/bench/x86_64.json
	for s in doctor toolbox apply build-kernel; do printf '#!/bin/sh\n' >harness/$s; done
	printf '#!/bin/sh\ncase "$*" in */accel\ *) [ ! -e no-kvm ] || exit 2 ;; esac\n' >harness/in-toolbox
	printf '#!/bin/sh\necho "# bench entry/signal 5 1" >$4/results.ktap\n: >$4/report\nexit %s\n' "${2-0}" >harness/run-guest
	echo 'entry/signal cost' >selftests/bench/list
	ACCEL=kvm BENCH=$1 harness/bench && ls out/bench && head -n 1 out/bench/x86_64.json
}
case_bench_asked() { export "${1?}"; harness/bench; }
for setting in VARIANT=kasan APPEND=quiet; do
	want=2 prints="and ${setting%%=*} is set" mutant='harness/bench s/^v=.*/v=/'
	try "bench: $setting" case_bench_asked "$setting"
done
want=0 prints='^x86_64-kvm.json$' mutant='harness/bench s/^\[ "$ACCEL" = icount \] .*//'
try 'bench: ACCEL=kvm has a file of its own' case_bench_run ''
prints='^x86_64-kvm-part.json$' mutant='harness/bench s/^out=$out${BENCH:+-part}$//'
try 'bench: some benchmarks have a file of their own' case_bench_run 'entry/*'
case_bench_bars() { # What is built, and for a bar that 5 instructions miss
	case_bench_run '' >/dev/null 2>&1
	printf '#!/bin/sh\necho "built: $(basename "$3") in $4"\n' >harness/build-kernel
	printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift 2; done\n[ "$1" != jq ] || exec "$@"\n' >harness/in-toolbox
	printf 'x86_64\t<= 4\tseries("entry/signal")\n' >selftests/bench/bars
	ACCEL=icount harness/bench
}
want=1 prints='^missed +5 <= 4 +series' mutant='harness/bench /^"$H.bench-bars"/d'
try 'bench: a bar that is missed' case_bench_bars
prints='^built: tree-base in .*out/x86_64-default-base/kernel$' mutant='harness/bench s,tree=$OUT/tree-base kernel,tree=$TREE kernel,'
try 'bench: the base is the base' case_bench_bars
want=2 prints='KVM cannot be used' mutant='harness/bench s/^if \[ "$ACCEL" = kvm \]/if false/'
case_bench_no_kvm() { touch no-kvm; case_bench_run ''; }
try 'bench: ACCEL=kvm without KVM' case_bench_no_kvm
prints='a benchmark failed on the kernel "base" .exit code 1.: no figures' mutant='harness/bench s/^\t\tif \[ $rc != 0 \]; then/\t\tif false; then/'
try 'bench: a benchmark that crashes' case_bench_run '' 1
prints='a benchmark failed on the kernel "base" .exit code 3.: no figures' mutant='harness/bench s/^\t\tif \[ $rc != 0 \]; then/\t\tif [ $rc = 1 ]; then/'
try 'bench: a splat' case_bench_run '' 3

case_mutants() { # [FILE TEXT]
	rm -rf selftests/mutants
	mkdir selftests/mutants
	printf '# breaks: a promise\n# tests: bpf:build_id\ndiff --git a/x b/x\n+++ b/x\n' >selftests/mutants/bpf-good.patch
	[ $# = 0 ] || printf '%b' "$2" >"selftests/mutants/$1"
	CHECK_ONLY=1 harness/mutants
}
want=0 prints= mutant=
try 'mutants: well-formed' case_mutants
want=2 prints='there is no suite nosuch' mutant='harness/mutants s/^\tTESTS="$(tests_of $list)" "$H.plan".*//'
try 'mutants: one whose test there cannot be' case_mutants bpf-bad.patch '# breaks: a\n# tests: nosuch:x\ndiff --git a/x b/x\n'
want=2 prints='bpf-bad.patch has no line "# tests:"' mutant='harness/mutants s/die "$m has no line/: "/'
try 'mutants: one that names no test' case_mutants bpf-bad.patch '# breaks: a promise\ndiff --git a/x b/x\n'
want=2 prints='bpf-bad.patch changes a test' mutant='harness/mutants s/die "$m changes/: "/'
try 'mutants: one that changes the test' case_mutants bpf-bad.patch \
	'# breaks: a\n# tests: bpf:a\ndiff --git a/x b/x\n+++ b/tools/testing/selftests/bpf/x.c\n'
for key in arch variant; do
	want=2 prints="bpf-bad.patch is for no $key" mutant="harness/mutants s/die \"\$m is for no $key/: \"/"
	try "mutants: one for an unknown $key" case_mutants bpf-bad.patch "# breaks: a\n# tests: bpf:a\n# $key: nosuch\ndiff --git a/x b/x\n"
done
# What is said of a mutant whose guest leaves a stream and a console; without it, all is well.
case_verdict() { # RC-OF-JUDGE STREAM CONSOLE [SETTING]
	series_setup
	for s in doctor toolbox apply build-kernel build-selftests plan; do printf '#!/bin/sh\n' >harness/$s; done
	mkdir -p out/x86_64-default/kernel out/x86_64-default/selftests
	touch out/x86_64-default/kernel/vmlinux out/x86_64-default/selftests/inventory
	printf '%s\n' '#!/bin/sh' "case \$4 in */none) rc=0 s='# start x' c= ;; *) rc=$1 s='$2' c='$3' ;; esac" \
		'echo "$s" >$4/results.ktap; echo "$c" >$4/console.log; echo FAILED x >$4/report; exit $rc' >harness/run-guest
	rm -rf selftests/mutants
	mkdir selftests/mutants
	printf '%s\n' '# breaks: a promise' '# tests: x' 'diff --git a/file b/file' '--- a/file' '+++ b/file' \
		'@@ -1,2 +1,2 @@' '-1' '+one' ' 2' >selftests/mutants/lib-one.patch
	eval "${4-}"
	harness/mutants
}
try_verdict() { # NAME WANT PRINTS SED-SCRIPT RC STREAM CONSOLE [SETTING]
	name=$1 want=$2 prints=$3 mutant="harness/mutants $4"
	shift 4
	try "mutants: $name" case_verdict "$@"
}
try_verdict 'caught' 0 '^mutants: 1 caught, 0 survived$' 's/^\t\tcaught=$((.*//' 1 '# start x' ''
try_verdict 'a splat' 0 '^mutants: 1 caught, 0 survived$' 's/one_of $rc 1 3 124/one_of $rc 1 124/' 3 '# start x' ''
try_verdict 'a splat, and all tests pass' 0 'caught, though no test failed .x.: lib-one' "s/how='caught, though.*/:/" 3 '# start x' ''
try_verdict 'two, one at a time' 0 '^mutants: 2 caught, 0 survived$' 's/^\trestore$/\t:/' 1 '# start x' '' \
	'sed "s/-1,2/-59,2/;s/+1,2/+59,2/;s/^-1$/-59/;s/^+one/+ninety/;s/^ 2$/ 60/" selftests/mutants/lib-one.patch >selftests/mutants/lib-two.patch
	printf "#!/bin/sh\ncase \$3 in */mutants/tree) git -C \$3 diff --numstat | grep -q ^1 ;; esac\n" >harness/build-kernel'
try_verdict 'one of another architecture' 2 'no mutant for ARCH=x86_64' 's/^list=$(those arch .*/:/' 1 '# start x' '' \
	'sed -i "1i# arch: arm64" selftests/mutants/*'
try_verdict 'those of a topic, and not of one whose name begins with it' 0 '^mutants: 1 caught, 0 survived$' \
	's/^if \[ -n "${TOPIC-}" \] && .*/if false; then/' 1 '# start x' '' \
	'cp selftests/mutants/lib-one.patch selftests/mutants/lib-more-two.patch; printf "lib-more\tlib\tPATCH\t^$\n" >>harness/topics; export TOPIC=lib'
try_verdict 'no place to work in' 2 'ended with 1, before there was a verdict' 's/^at_exit no_verdict$//' 1 '# start x' '' \
	'mkdir -p out/mutants; : >out/mutants/x86_64-default'
case_verdict_again() { # SED-SCRIPT, of the judge: what a second run knows of the first
	case_verdict 1 '# start x' '' >/dev/null 2>&1 && sed -i "$1" harness/judge && harness/mutants | grep -c '^  caught, in an earlier run'
}
want=0 prints='^1$' mutant='harness/mutants s/^\t\techo "$key" >.*/\t\t:/'
try 'mutants: caught in an earlier run' case_verdict_again ''
want=1 prints='^0$' mutant='harness/mutants s/echo "$judged_by"; //'
try 'mutants: caught in an earlier run, by another judge' case_verdict_again 's/^SPLAT_LINES = .*/SPLAT_LINES = 3/'
for setting in SHARD=1/2 LIST=full APPEND=quiet SMP=1 MEM=1G; do
	try_verdict "$setting" 2 "default guest, and ${setting%%=*} is set" 's/^v=$(is_set.*/v=/' 1 '# start x' '' "export $setting"
done
try_verdict 'a hang that a busy host is the cause of' 1 '^mutants: 0 caught, 1 survived$' 's/^\tif \[ $rc = 124 \]; then/\tif false; then/' 124 '# start x' '' \
	'sed -i "s/^echo ./[ ! -e twice ] || rc=0; case \$4 in *none) ;; *) touch twice ;; esac\n&/" harness/run-guest'
try_verdict 'a hang' 0 '^mutants: 1 caught, 0 survived$' 's/one_of $rc 1 3 124/one_of $rc 1 3/' 124 '# start x' ''
try_verdict 'one that one of its tests does not notice' 1 '^  SURVIVED in bpf:b: ' 's/\[ $rc = 1 \] && passed=/false \&\& passed=/' 1 '# start x
not ok 1 bpf:a
ok 2 bpf:b' ''
try_verdict 'one of whose tests is skipped' 0 '^mutants: 1 caught, 0 survived$' 's/.# SKIP.d; //' 1 '# start x
not ok 1 bpf:a
ok 2 bpf:b # SKIP no' ''
try_verdict 'one that survives' 1 '^mutants: 0 caught, 1 survived$' '/^\[ $survived = 0 \]$/d' 0 '# start x' ''
try_verdict 'no whole result' 2 'no whole result: lib-one' 's/elif ! one_of $rc 1 3 124/elif false/' 2 '# start x' ''
try_verdict 'a judge that was killed' 2 'no whole result: lib-one' 's/elif ! one_of $rc 1 3 124/elif [ $rc = 2 ]/' 137 '# start x' ''
try_verdict 'a kernel that does not boot' 2 'does not boot: lib-one' "s/if ! grep -q '^# start.*; then/if false; then/" 124 '' ''
try_verdict 'modules that do not fit' 2 'changes types that the modules' 's/elif grep -q .failed to validate.*; then/elif false; then/' 1 '# start x' \
	'failed to validate module [x] BTF: -22'
try_verdict 'one that does not apply' 2 'does not apply: lib-one' 's/if ! VMTEST_GIT=$tree tgit apply/if false \&\& tgit apply/' 1 '# start x' '' \
	'sed -i s/^-1$/-one/ selftests/mutants/*'
try_verdict 'one that does not build' 2 'does not build: lib-one' 's/if ! wait_part env VMTEST_TREE=.*; then/if false; then/' 1 '# start x' '' \
	'printf "#!/bin/sh\n! grep -q ^one \$3/file\n" >harness/build-kernel'
# The tests that fail without a mutant prove nothing.
try_verdict 'tests that fail without a mutant' 2 'the tests do not pass without a mutant' 's/^if \[ $rc != 0 \]; then/if false; then/' 1 '# start x' '' \
	'sed -i "s/rc=0 s=/rc=1 s=/" harness/run-guest'
try_verdict 'a tree with changes' 2 'out/tree has uncommitted changes: M file' 's/^need_committed$/:/' 1 '# start x' '' \
	'echo x >>out/tree/file'
try_verdict 'FORCE=1 throws no work away' 0 '^mutants: 1 caught, 0 survived$' 's/env -u FORCE //' 1 '# start x' '' \
	'printf "#!/bin/sh\n[ -z \"\${FORCE-}\" ]\n" >harness/apply; export FORCE=1'
try_verdict 'one for another variant' 2 'matches no mutant for ARCH=x86_64 VARIANT=default' 's/^list=$(those variant.*//' 1 '# start x' '' \
	'sed -i "1i# variant: debug" selftests/mutants/*'
try_verdict 'its own variant' 0 '^built debug$' 's/build-kernel" "$ARCH" "$VARIANT" "$tree/build-kernel" "$ARCH" default "$tree/' 1 '# start x' '' \
	'sed -i "1i# variant: debug" selftests/mutants/*; export VARIANT=debug; cp -r out/x86_64-default out/x86_64-debug
	printf "#!/bin/sh\\n[ \$3 = \$VMTEST_TREE ] && echo built \$2\\n:" >harness/build-kernel'
case_half_copied() { case_verdict 1 '# start x' '' 'mkdir -p out/mutants/x86_64-default/kernel.part' >/dev/null && ls out/mutants/x86_64-default/kernel; }
want=0 prints='^vmlinux$' mutant='harness/mutants s/ "$work.kernel.part"$//'
try 'mutants: a copy of the build that was interrupted' case_half_copied
# A signal to a script alone, that has a guest (or a run, or a build) for a while
case_told() { # CASE SCRIPT [WHAT-IT-CALLS [WITH-WHAT]]
	$1 >/dev/null 2>&1 || :
	sed -i "1a case \"\$*\" in ${4-*}) echo \$\$ >guest; sleep 5; echo >over; exit ;; esac" "harness/${3-run-guest}"
	TOPIC=${TOPIC-} "$2" >said 2>&1 &
	told=$!
	until [ -s guest ]; do
		sleep 0.1
		kill -0 $told || { cat said; return 1; }
	done
	rc=0
	kill -TERM $told
	wait $told || rc=$?
	[ ! -e over ] || { echo 'it waited for its guest'; return; }
	sleep 0.2
	if kill "$(cat guest)" 2>/dev/null; then echo 'its guest goes on'; else echo "ended with $rc, and its guest"; fi
}
case_told_all() { case_told 'case_all 0' harness/vmtest-all vmtest; }
case_told_whole() { case_whole '' :; }
case_told_vmtest() { case_told case_told_whole harness/vmtest "$@"; }
case_told_run() { CMD=true case_told case_told_whole harness/run in-toolbox '*run-vm*'; }
case_told_verdict() { case_verdict 1 '# start x' ''; }
case_told_mutants() { case_told case_told_verdict harness/mutants; }
case_told_storm() { TOPIC=bpf case_told "case_storm_said ok $fine off" harness/storm; }
case_told_bench() { ACCEL=icount case_told "case_bench_run *" harness/bench; }
want=0 prints='^ended with 143, and its guest$' mutant='harness/mutants s/wait_part env VMTEST_TREE/env VMTEST_TREE/'
try 'mutants: told to end, it takes its guest along' case_told_mutants
mutant='harness/vm.sh s/wait_part "$@"/part "$@"/'
try 'vmtest: told to end, it takes its guest along' case_told_vmtest in-toolbox '*run-vm*'
try 'run: told to end, it takes its guest along' case_told_run
mutant='harness/vm.sh s/wait_part "$H.build-kernel"/part "$H\/build-kernel"/'
try 'vmtest: told to end, it takes the build of the kernel along' case_told_vmtest build-kernel
mutant='harness/vm.sh s/wait_part "$H.build-selftests"/part "$H\/build-selftests"/'
try 'vmtest: told to end, it takes the build of the selftests along' case_told_vmtest build-selftests
# A storm that is asked for what cannot be: it ends before it looks at the host.
case_storm() { # SETTING
	printf '#!/bin/sh\nexit 9\n' >harness/doctor
	export TOPIC=bpf-stackid "${1?}"
	harness/storm
}
want=2 prints='TOPIC=nosuch has no driver' mutant='harness/storm s/|| die "TOPIC=/|| : "/'
try 'storm: an unknown topic' case_storm TOPIC=nosuch
want=2 prints='MINUTES=x is no number' mutant='harness/storm /^numbers MINUTES/d'
try 'storm: bad minutes' case_storm MINUTES=x
prints='ended with 9, before there was a verdict' mutant='harness/storm s/^at_exit no_verdict$//'
try 'storm: a tool that fails' case_storm MINUTES=1
want=2 prints='ACCEL=auto is unknown' mutant='harness/storm s/^need_accel.*/ACCEL=${ACCEL:-tcg}/'
try 'storm: ACCEL=auto' case_storm ACCEL=auto
want=2 prints='APPEND is set, and the driver says' mutant='harness/storm s/^v=.*/v=/'
try 'storm: APPEND' case_storm APPEND=quiet
want=2 prints='SMP=0 is no number' mutant='harness/storm /^need_size/d'
try 'storm: SMP=0' case_storm SMP=0

want=2 prints='ACCEL=kvm: no /nosuch that may be written to' mutant='harness/storm /accel" "$ARCH"$/d'
case_storm_kvm() { KVM=/nosuch case_storm ACCEL=kvm; }
try 'storm: ACCEL=kvm without the device' case_storm_kvm

# A storm from the guest to the verdict.  The driver says WORD LINE..., and then the guest ends.
case_storm_said() { # "ok"|"not ok"|"skip"|"nothing" CONSOLE END LINE...
	for s in doctor toolbox apply build-kernel in-toolbox; do printf '#!/bin/sh\n' >harness/$s; done
	mkdir -p made out/storm out/tree/tools/testing/kunit
	printf '[ 1.0] vmtest: start storm:bpf\n%s\n[ 2.0] vmtest: end\n' "$2" >made/console.log
	printf 'end %s\nseconds 1\n' "$3" >made/vm.status
	end=$1
	shift 3
	{
		printf '%s\n' 'KTAP version 1' '1..1' '# start storm:bpf'
		for line; do echo "# $line"; done
		case $end in
		ok | 'not ok') printf '%s\n' "$end 1 storm:bpf" '# time storm:bpf 1.00' '# DONE' ;;
		skip) printf '%s\n' 'ok 1 storm:bpf # SKIP exit code 4' '# time storm:bpf 1.00' '# DONE' ;;
		esac
	} >made/results.ktap
	printf '#!/bin/sh\ncp made/* $4\nexec harness/judge $4 >$4/report\n' >harness/run-guest
	echo old >out/storm/bpf-x86_64-default.json
	rc=0
	TOPIC=bpf MINUTES=1 harness/storm || rc=$?
	echo "left: $(cat out/storm/bpf-x86_64-default.json)"
	return $rc
}
try_storm() { # NAME WANT PRINTS SED-SCRIPT ARGUMENT...
	name=$1 want=$2 prints=$3 mutant="harness/storm $4"
	shift 4
	try "storm: $name" case_storm_said "$@"
}
fine='all is well'
nine='storm attempts 9' two='storm contested 2' none='storm wrong 0'
try_storm 'all is well' 0 '^left: .*"attempts": 9, "contested": 2, "wrong": 0, "splats": 0, "exit": 0}$' 's/NR == 1/NR == 2/' \
	ok "$fine" off "$nine" "$two" "$none"
try_storm 'wrong answers' 1 '"wrong": 3, "splats": 0, "exit": 1}$' 's/"$H.run-guest" \(.*\) || rc=$?/"$H\/run-guest" \1 || :/;s/^0-\*) rc=1; /0-*) /' \
	'not ok' "$fine" off "$nine" "$two" 'storm wrong 3'
unseen='s/^0-\*null\* |.*/0-never) ;;/'
try_storm 'no attempt, and the driver says ok' 1 '"attempts": 0, .*"exit": 1}$' "$unseen" ok "$fine" off 'storm attempts 0' "$two" "$none"
try_storm 'nothing contested, and the driver says ok' 1 '"contested": 0, .*"exit": 1}$' "$unseen" ok "$fine" off "$nine" 'storm contested 0' "$none"
try_storm 'wrong answers, and the driver says ok' 1 '^error: wrong answers$' 's/^0-\*) rc=1;.*/0-*) ;;/' ok "$fine" off "$nine" "$two" 'storm wrong 3'
try_storm 'no figures, and the driver says ok' 1 '"attempts": null, .*"exit": 1}$' "$unseen;s/^0-\*) rc=1;.*/0-*) ;;/" ok "$fine" off "$fine"
try_storm 'a figure that is none' 1 '"wrong": null, .*"exit": 1}$' 's/ && v ~ [^?]*?/ ?/;s/^0-\*) rc=1;.*/0-*) ;;/' ok "$fine" off "$nine" "$two" 'storm wrong few'
try_storm 'a figure that is said twice' 1 '"wrong": null, .*"exit": 1}$' 's/NR == 1/NR/' ok "$fine" off "$nine" "$two" 'storm wrong 3' "$none"
try_storm 'a driver that skips itself' 1 '"attempts": null, .*"exit": 1}$' "$unseen;s/^0-\*) rc=1;.*/0-*) ;;/" skip "$fine" off
try_storm 'a driver that died' 1 '"attempts": null, "contested": null, "wrong": null, "splats": 0, "exit": 1}$' 's/ || rc=$?/ || :/;s/"exit": %d/"exit": 0/' \
	'not ok' "$fine" off 'signal 11'
try_storm 'a kind of event that did not come' 1 '^ *error: tracing.c:589: hotplug' 's/^cat "$run.report"$//' \
	'not ok' "$fine" off 'error: tracing.c:589: hotplug: Success'
try_storm 'a splat' 3 '"wrong": 0, "splats": 1, "exit": 3}$' 's/^exit $rc$/exit 0/' ok 'WARNING: CPU: 0 PID: 1 at x.c:1' off "$nine" "$two" "$none"
try_storm 'a guest that hangs' 124 '"attempts": 9, .*"exit": 124}$' 's/^exit $rc$/exit 1/' nothing "$fine" silence "$nine"
try_storm 'a stream that is cut off' 2 '^left: $' 's/^\[ $rc != 2 \] || die.*/:/' nothing "$fine" off "$nine" "$two" "$none"
try_storm 'a stream that is cut off, and an older result' 2 '^left: $' 's/^rm -f "$out"$/:/' nothing "$fine" off "$nine" "$two" "$none"
want=0 prints='^ended with 143, and its guest$' mutant='harness/storm s/wait_part env APPEND/env APPEND/'
try 'storm: told to end, it takes its guest along' case_told_storm
mutant='harness/bench s/wait_part env VMTEST_TREE/env VMTEST_TREE/'
try 'bench: told to end, it takes its guest along' case_told_bench
mutant='harness/vmtest-all s/^\t\twait_part env ARCH/\t\tenv ARCH/'
try 'vmtest-all: told to end, it takes its run along' case_told_all
# The other side of it: what a driver says of these figures, and how it ends.
case_storm_report() { # ATTEMPTS CONTESTED WRONG KIND
	printf '%s\n' '#include "storm.h"' 'int main(int n, char **v)' '{' \
		'struct storm s = { atoll(v[1]), atoll(v[2]), atoll(v[3]) }; must(atoi(v[4]), "hotplug"); return storm_report("x", &s, 9);' '}' >x.c
	gcc -D_GNU_SOURCE -Wall -Werror -Iselftests/storm -o x x.c && ./x "$@"
}
want=0 prints='^ok - x$' mutant='selftests/storm/storm.h s/return good ? 0 : 1/return 1/'
try 'storm: a driver that is content' case_storm_report 9 2 0 1
want=1 prints='^not ok - x$' mutant='selftests/storm/storm.h s/bool good = s->attempts >= least \&\&/bool good =/'
try 'storm: a driver with too few attempts' case_storm_report 8 2 0 1
prints='^error: 8 attempts, and at least 9 are needed' mutant='selftests/storm/storm.h s/s->attempts < least/0/'
try 'storm: a driver with too few attempts says so' case_storm_report 8 2 0 1
prints='^not ok - x$'
mutant='selftests/storm/storm.h s/ \&\& s->contested//'
try 'storm: a driver without a contested case' case_storm_report 9 0 0 1
mutant='selftests/storm/storm.h s/ \&\& !s->wrong//'
try 'storm: a driver with wrong answers' case_storm_report 9 2 1 1
prints='^error: x.c:4: hotplug' mutant='selftests/storm/storm.h s/^\t\texit(1);\(.*\)/\t\t(void)0;\1/'
try 'storm: a driver that lacks a kind of event' case_storm_report 9 2 0 0

# The image of the storms, with a make that takes each module for built
case_image() {
	sed -i "s,/obj,$PWD/obj,g" selftests/Makefile
	mkdir bin obj
	touch obj/program
	printf '%s\n' '#!/bin/sh' 'for a; do case $a in M=*) cd "${a#M=}" ;; esac; done' \
		'sed -n "s/^obj-.* := \(.*\)\.o$/\1.ko/p" Kbuild | xargs touch' >bin/kmake
	printf '#!/bin/sh\nls ../obj/storm/image/storm\ntouch ../obj/storm.img.part\n' >bin/mke2fs
	chmod +x bin/*
	PATH=$PWD/bin:$PATH make -C selftests SUITE=storm NAME=storm MAKE=kmake PROGRAMS="$PWD/obj/program" OBJECTS= KERNEL_MODULE= image
}
want=0 prints='^vmtest_nmi.ko$' mutant='selftests/Makefile s,modules/$${m##\*/},modules/m,'
try 'storm: two modules in the image' case_image

# What libFuzzer writes, and its exit code
case_fuzz() { # MINUTES EXIT LINE...
	for s in doctor toolbox apply; do printf '#!/bin/sh\n' >harness/$s; done
	minutes=$1 code=$2
	shift 2
	printf '%s\n' "$@" >said
	printf '#!/bin/sh\ncase "$*" in *" make "*) exit ;; esac\ncat said\nexit %s\n' "$code" >harness/in-toolbox
	MINUTES=$minutes harness/fuzz
}
executed='stat::number_of_executed_units: '
want=0 prints='^fuzz: 1000000 inputs, no finding' mutant=
try 'fuzz: no finding' case_fuzz 10 0 "${executed}1000000"
want=1 prints='a finding after 77 inputs: out/fuzz/crash-1234' mutant='harness/fuzz s/^found=.*/found=/'
try 'fuzz: a finding' case_fuzz 10 1 "artifact_prefix='./'; Test unit written to ./crash-1234" "${executed}77"
case_fuzz_before() { # What was found yesterday
	mkdir -p out/fuzz && echo x >out/fuzz/crash-old && case_fuzz "$@"
}
want=1 prints='earlier run is still one: out/fuzz/crash-old' mutant='harness/fuzz s,^for f in .*,for f in; do,'
try 'fuzz: the finding of an earlier run' case_fuzz_before 10 1 'SUMMARY: libFuzzer: timeout' "artifact_prefix='./'; Test unit written to ./crash-1234" "${executed}77"
want=2 prints='libFuzzer ended with 137' mutant='harness/fuzz s/^\tgrep -q .*|| die.*//'
try 'fuzz: an input of an earlier run, and no sandbox' case_fuzz_before 10 137 "${executed}77"
want=2 prints='libFuzzer ended with 137' mutant='harness/fuzz s/^\[ $rc = 0 \] || die.*/:/'
try 'fuzz: killed' case_fuzz 10 137 "${executed}1000000"
want=2 prints='only 999999 inputs were tried' mutant='harness/fuzz s/^\[ "${inputs:-0}" -ge .*/:/'
try 'fuzz: hardly any input' case_fuzz 10 0 "${executed}999999"
want=2 prints='MINUTES=x is no number' mutant='harness/fuzz s/^numbers MINUTES/MINUTES=1/'
try 'fuzz: bad minutes' case_fuzz x 0 "${executed}1000000"
