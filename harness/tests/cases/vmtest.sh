# Cases of selfcheck (sourced by tests/run): vmtest from the plan to the verdict, with a made guest

# The tool tree is this one; the guest passes all, but for the tests named in the file "bad".
case_whole() { # OPTION SETTINGS
	for s in doctor toolbox apply build-kernel; do printf '#!/bin/sh\n' >harness/$s; done
	printf '#!/bin/sh\necho rootfs.img\n' >harness/rootfs
	printf '#!/bin/sh\nmkdir -p $4\ncp inventory $4/inventory\n' >harness/build-selftests
	cat >harness/in-toolbox <<-'EOF'
		#!/bin/sh
		while :; do
			case $1 in
			-r | -o) shift 2 ;;
			-b)
				case $3 in /results) r=$2 ;; /dir) d=$2 ;; esac
				shift 3 ;;
			*) break ;;
			esac
		done
		case "$*" in
		*/accel*) echo tcg; exit ;;
		*/judge*) shift; eval "exec harness/judge $(for a; do echo "'$a'" | sed "s,/dir/,$d/,;s,/vmtest/,,"; done | tr '\n' ' ')" ;;
		esac
		printf '%s\n' 'KTAP version 1' "1..$(wc -l <$r/plan)" >$r/results.ktap
		while read -r s name rest; do
			nr=$((nr + 1)) not=
			! grep -qx "$s:$name" bad || not='not '
			printf '%s\n' "# start $s:$name" "${not}ok $nr $s:$name" "# time $s:$name 0.10"
		done <$r/plan >>$r/results.ktap
		[ ! -e skip ] || sed -i "s/^ok .* $(cat skip)\$/& # SKIP/" $r/results.ktap
		sed 's/ /:/;s/ .*//' $r/plan | grep -vxFf - bad >left
		mv left bad
		echo "guest: $(sed 's/^[^ ]* //;s/ .*//' $r/plan | paste -sd,)" >>guests
		echo '# DONE' >>$r/results.ktap
		echo 'vmtest: end' | cat $([ ! -e suites ] || echo suites) - >$r/console.log
		printf 'end off\nseconds 1\n' >$r/vm.status
	EOF
	inventory
	rm -rf selftests/lists selftests/full selftests/baseline
	mkdir -p selftests/lists selftests/full selftests/baseline out/tree-base
	echo '*' >selftests/lists/bpf
	printf '%s\n' 'base package sha256 b' 'passed bpf:build_id' "$OLD" >selftests/baseline/x86_64
	echo 'sha256 b' >>patches/BASE
	echo 'package sha256 b' >out/base.id
	git init -q out/tree
	mkdir -p out/tree/tools/testing/kunit
	git -C out/tree commit -q --allow-empty -m base
	git -C out/tree tag base
	git -C out/tree rev-parse base >out/tree-base/.base
	: >bad
	eval "$2"
	harness/vmtest $1
}
OLD=
want=0 prints='^vmtest: 2 passed, 0 failed, 0 skipped$' mutant=
try 'vmtest: all is well' case_whole '' :
want=1 prints='^FAILED bpf:build_id .flaky.$' mutant='harness/vmtest s/ $retry $compare/ $compare/'
try 'vmtest: a flaky test' case_whole '' 'echo bpf:build_id >bad'
want=1 prints='^vmtest: 1 passed, 1 failed, 0 skipped$' mutant='harness/vmtest s/^exit $rc/exit 0/'
try 'vmtest: a test fails' case_whole '' 'echo bpf:build_id >bad; export NO_RETRY=1'
case_whole_nmi() { # Both tests fail once, on arm64, where one has a guest of its own
	rc=0
	ARCH=arm64 case_whole '' 'printf "build_id\narena nmi\n" >selftests/lists/bpf; export BASELINE=none
		printf "bpf:build_id\nbpf:arena\n" >bad' || rc=$?
	paste -sd' ' guests
	grep '"flaky":' out/arm64-default/results/summary.json
	return $rc
}
want=1 prints='^guest: arena guest: build_id guest: arena guest: build_id$' mutant='harness/vmtest s/^\tguests "$results.retry"/\tboot "$results\/retry"/'
try 'vmtest: the retry has the same guests' case_whole_nmi
prints='"flaky": 2,' mutant='harness/vmtest s/ --retry-also $also//'
try 'vmtest: both guests of the retry are judged' case_whole_nmi
# What the kernel says at boot of suites of KUnit, of which the list has hlist
case_whole_kunit() { # LINE [SETTING]
	case_whole '' "echo hlist >selftests/lists/kunit; echo '[    0.900000] $1' >suites; ${2-}"
}
prints='^FAILED kunit:other$' mutant='harness/vmtest s, --suites /dir/results/suites,,'
try 'vmtest: a suite of KUnit that no list names' case_whole_kunit 'ok 1 other'
mutant='harness/vmtest s/^if \[ -z "${TESTS-}$again" \]/if [ -z "${TESTS-}${SHARD-}$again" ]/'
try 'vmtest: and in a part of a run' case_whole_kunit 'ok 1 other' 'export SHARD=2/2'
want=0 prints='^vmtest: 1 passed, 0 failed' mutant='harness/plan s/{ print $3 }. "$tmp.known"/{ print $3 }'"'"' \/dev\/null/'
try 'vmtest: a suite of KUnit of another part of the run' case_whole_kunit 'ok 1 hlist' 'export SHARD=2/2'
prints='^vmtest: 3 passed, 0 failed' mutant='harness/plan s/$2 == "kunit" {/$1 == "include" \&\& &/'
try 'vmtest: a suite of KUnit that is excluded' case_whole_kunit 'not ok 1 other' \
	'sed -i /^kunit/d inventory; echo "-other # fails, until it is mended" >>selftests/lists/kunit'
prints='^vmtest: 3 passed, 0 failed' mutant='harness/vmtest s/^if \[ "$recorded" = "selftests.*/if true; then/'
try 'vmtest: a suite of KUnit that another tree has' case_whole_kunit 'ok 1 other' 'echo commit 1 >out/base.id'
case_whole_last() { case_whole '' "$1" | tail -n 2; }
want=0 prints='not compared with a baseline: this base is not the one that' mutant='harness/vmtest /^judged=y$/,${/^\[ -z "$alone" \]/d}'
try 'vmtest: no baseline, said again at the end' case_whole_last 'echo commit 1 >out/base.id'
want=0 prints='vmtest: 1 tests have no line in selftests/baseline/x86_64, .*: bpf:arena; make vmtest-baseline UPDATE=1 ARCH=x86_64$' \
	mutant='harness/vmtest s/^\tnote "vmtest: $n tests have.*/\t: \\/'
try 'vmtest: a test that the baseline does not have' case_whole_last :
prints='vmtest: 12 tests have no line .* bpf:t10 and 2 more; ' mutant='harness/vmtest s/head -n 10/head -n 12/'
try 'vmtest: many tests that the baseline does not have' case_whole_last \
	'for i in 10 11 12 13 14 15 16 17 18 19 20; do echo "bpf t$i"; done >>inventory; sed -i "/arena/{h;d};\$G" inventory; sed -i s/t10/t09/\;s/t19/t10/ inventory'
case_whole_base() { case_whole_last "$1" | grep -c 'have no line'; }
want=1 prints='^0$' mutant='harness/vmtest s/^\tby_default base/\tby_default series/'
try 'vmtest: a test that does not run on the base needs no baseline' case_whole_base \
	'echo "-arena kernel=base # hangs there, until it is fixed" >>selftests/lists/bpf'
mutant='harness/vmtest s/VARIANT=default TESTS=/TESTS=/'
try 'vmtest: a test of another variant needs no baseline' case_whole_base \
	'printf "build_id\narena variant=full\n" >selftests/lists/bpf; export VARIANT=full'
mutant='harness/vmtest s/LIST=.. "$H.plan"/"$H\/plan"/'
try 'vmtest: a test of LIST=full needs no baseline' case_whole_base \
	'echo build_id >selftests/lists/bpf; echo "*" >selftests/full/bpf; export LIST=full'
OLD='passed bpf:old'
want=1 prints='^FAILED bpf:old$' mutant='harness/vmtest s/{compare:+"$TOP.$baseline" "$results.gone"}/{compare:+}/'
for setting in LIST=default SHARD=2/2 'TESTS=bpf:*'; do
	try "vmtest: a test of the baseline is gone, $setting" case_whole '' "export $setting"
done
want=0 prints='^vmtest: 1 passed, 0 failed' mutant='harness/vmtest s,^.*{compare:+.*,${compare:+"$TOP/$baseline" "$results/gone"} >"$results/plan"; echo bpf:old >"$results/gone",'
try 'vmtest: a test of the baseline that was not asked for' case_whole '' 'export TESTS=bpf:build_id'
want=1 prints='the test is skipped, and selftests/skipped/x86_64 does not allow it' mutant='harness/vmtest s, --skipped /vmtest/selftests/skipped/$ARCH,,'
try 'vmtest: a test that the series adds is skipped' case_whole '' 'echo bpf:arena >skip; echo "skipped bpf:arena" >>selftests/baseline/x86_64; export TESTS="bpf:[ab]*"'
want=0 prints='^    bpf:old .not planned.$' mutant='harness/vmtest s/|| compare="--reference.*/|| :/'
try 'vmtest: a variant is compared with what passes with the default' case_whole '' 'export VARIANT=debug'
want=1 prints='^FAILED bpf:old$' mutant='harness/vmtest s/one_of "$VARIANT" default full || compare/one_of "$VARIANT" default || compare/'
try 'vmtest: the kernel of the wide lists is held against the baseline' case_whole '' 'export VARIANT=full'
want=0 prints='^    bpf:arena part$' mutant='harness/vmtest s, --reference /dir/results/default.json,,'
try 'vmtest: a variant is compared with the last run of the default' case_whole '' 'export VARIANT=debug
	mkdir -p out/x86_64-default/results
	echo "{\"tests\": [{\"name\": \"bpf:arena\", \"status\": \"passed\", \"subtests\": [{\"name\": \"part\", \"status\": \"passed\"}]}]}" \
		>out/x86_64-default/results/summary.json'
want=0 prints='^passed bpf:arena,passed bpf:build_id$' mutant='harness/vmtest s/ || expect=--whole$/ || :/'
case_whole_update() { case_whole --baseline 'export UPDATE=1' && grep ^passed selftests/baseline/x86_64 | paste -sd,; }
try 'vmtest-baseline: UPDATE=1' case_whole_update
prints='^passed bpf:arena$' mutant='harness/vmtest s,$(dirname "$TOP/$baseline"),$TOP/${baseline%/*},'
case_whole_update_here() { case_whole --baseline 'export UPDATE=1 BASELINE=mine' && cat mine; }
try 'vmtest-baseline: UPDATE=1, and a file beside README.md' case_whole_update_here
# bwrap ends with 1 when it can make no sandbox.
want=2 prints='there is no verdict: judge ended with 1' mutant='harness/vmtest /die "there is no verdict/d'
try 'vmtest: the judge cannot be run' case_whole '' 'sed -i "s,\*/judge\*),&exit 1;," harness/in-toolbox'
mutant='harness/vmtest s/^\trm -f "$results.summary.json"$//'
try 'vmtest: the judge cannot be run again' case_whole '' 'echo bpf:build_id >bad
	sed -i "s,\*/judge\*),&[ ! -e judged ] || exit 1; touch judged;," harness/in-toolbox'
prints='the baseline was not recorded' mutant='harness/vmtest s/^\t\tdie "the baseline was not recorded.*/\t\texit 1/'
try 'vmtest-baseline: the judge cannot record' case_whole --baseline 'export UPDATE=1; sed -i "s,\*/judge\*),*--record*) exit 1 ;; &," harness/in-toolbox'
OLD=
case_whole_said() { case_whole '' "$1" && grep '"whole"' out/x86_64-default/results/summary.json; }
want=0 prints='^ "whole": true,$' mutant='harness/vmtest s/ || expect=--whole$/ || :/'
try 'vmtest: a whole run' case_whole_said :
want=0 prints='^ "whole": false,$' mutant='harness/vmtest s/^expect=$/expect=--whole/'
for setting in TESTS=bpf:build_id SHARD=1/2; do
	try "vmtest: no whole run, $setting" case_whole_said "export $setting"
done
case_whole_failed_said() { case_whole_failed && grep '"whole"' out/x86_64-default/results/summary.json; }
want=0 prints='^vmtest: 1 passed, 0 failed' mutant='harness/vmtest s/\[ -n "$again" \]/false/'
case_whole_failed() { case_whole '' 'echo bpf:build_id >bad; export NO_RETRY=1'; harness/vmtest --failed; }
try 'vmtest-failed: what failed, and nothing else' case_whole_failed
case_whole_failed_seconds() { case_whole '' 'echo bpf:build_id >bad; export NO_RETRY=1' >/dev/null || :; TEST_SECONDS=900 harness/vmtest --failed >/dev/null && cat out/x86_64-default/results/plan; }
want=0 prints='^bpf build_id 900$' mutant='harness/vmtest s/$3 < least { $3 = least } 1/1/'
try 'vmtest-failed: with more time' case_whole_failed_seconds
want=0 prints='^ "whole": false,$' mutant='harness/vmtest s/${TESTS-}$again" \]/${TESTS-}" ]/'
try 'vmtest-failed: no whole run' case_whole_failed_said
case_whole_failed_gone() {
	OLD='passed bpf:old'
	case_whole_failed
}
want=1 prints='^vmtest: 1 passed, 1 failed' mutant='harness/vmtest s, ! -path "${again:+\./gone}",,'
try 'vmtest-failed: a test that is gone stays gone' case_whole_failed_gone
case_whole_failed_path() { # With what find has a meaning for; and a run between that does not come to a verdict
	cp -R . '../t[x]'
	cd '../t[x]' || return
	case_whole '' 'echo bpf:build_id >bad; export NO_RETRY=1' || :
	printf '#!/bin/sh\nexit 9\n' >harness/build-kernel
	harness/vmtest || :
	printf '#!/bin/sh\n' >harness/build-kernel
	rc=0
	harness/vmtest --failed || rc=$?
	rm -rf "$PWD"
	return $rc
}
want=0 prints='^vmtest: 1 passed, 0 failed' mutant='harness/vmtest s,(cd "$results" && find \. -mindepth 1 ! -path .\./failed\*. ,(find "$results" -mindepth 1 ! -path "$results/failed*" ,'
try 'vmtest-failed: a checkout whose path has a bracket' case_whole_failed_path
case_whole_failed_base() { case_whole '' 'echo bpf:build_id >bad; export NO_RETRY=1'; echo 'commit 1' >out/base.id; harness/vmtest --failed; }
want=2 prints='what failed is of another base: package sha256 b, and this is commit 1' mutant='harness/vmtest s/|| die "what failed is of another base.*/|| : \\/'
try 'vmtest-failed: of another base' case_whole_failed_base

# A shell on a terminal, in a guest that ends by itself; what its stream says last
case_shell_guest() { # LINE
	case_whole '' : >/dev/null
	cat >harness/in-toolbox <<-EOF
		#!/bin/sh
		case "\$*" in */accel*) echo tcg; exit ;; esac
		cd out/x86_64-default/shell
		echo '$1' >results.ktap
		echo 'all of it' >console.log
		echo 'end off' >vm.status
	EOF
	script -qec harness/shell /dev/null </dev/null
}
want=0 prints= mutant=
try 'shell: one that ends' case_shell_guest '# DONE'
want=2 prints='the guest ended before the shell did: off' mutant='harness/shell s/^if \[ "$(tail .*/if false; then/'
try 'shell: a guest that ends before it' case_shell_guest '# user space'
prints='^    all of it' mutant='harness/shell /^\ttail -n/d'
try 'shell: the console of a guest that ends before it' case_shell_guest '# user space'

# What vmtest says of each variant, and how it ends.
case_all() { # EXIT-CODE
	printf '%s\n' '#!/bin/sh' 'echo "of $VARIANT"' 'echo "vmtest: 7 passed, 1 failed, 2 skipped"' "exit $1" >harness/vmtest
	ARCH=x86_64 harness/vmtest-all
}
want=0 prints='^  ok: default on x86_64, 7 passed, 1 failed, 2 skipped$' mutant='harness/vmtest-all s/on $a$counts"$/on $a"/'
try 'vmtest-all: counts' case_all 0
want=2 prints='there is no suite nosuch' mutant='harness/vmtest-all /plan" --check)$/d'
case_all_asked() { printf '#!/bin/sh\nexit 1\n' >harness/vmtest; TESTS=nosuch:x harness/vmtest-all; }
try 'vmtest-all: a suite that there is not' case_all_asked
case_all_lists() {
	printf '%s\n' '#!/bin/sh' 'echo "$VARIANT with the list ${LIST:-default}"' >harness/vmtest
	ARCH=x86_64 harness/vmtest-all
}
want=0 prints='^full with the list full$' mutant='harness/vmtest-all s/^\t\t\[ -n "$list" \].*/\t\t:/'
try 'vmtest-all: all tests on the kernel for them' case_all_lists
want=0 prints='^debug with the list default$' mutant='harness/vmtest-all s/ || \[ $v != full \] / /'
try 'vmtest-all: the default list on another kernel' case_all_lists
want=1 prints='^  not ok .exit code 3.: default on x86_64' mutant='harness/vmtest-all s/"$tmp.pipe" || rc=$?/"$tmp\/pipe" || :/'
try 'vmtest-all: a variant fails' case_all 3
want=2 prints='what vmtest prints was not written' mutant='harness/lib.sh s/^\t\*) die "$2 was not written".*/\t*) ;;/'
try 'vmtest-all: a disk that is full' bad_tee 1 case_all 0
want=141 prints= mutant='harness/lib.sh s/^\t141) exit 141 ;;$//'
try 'vmtest-all: nobody reads it any more' bad_tee 141 case_all 0
case_all_variant() { export VARIANT=kasan; case_all 0; }
want=2 prints='VARIANT=kasan: vmtest-all runs every variant' mutant='harness/vmtest-all s/^.*die "VARIANT=.*//'
try 'vmtest-all: one variant' case_all_variant

# A guest for others than vmtest
case_run_guest() { # EXIT-CODE [WHAT-JUDGE-DOES]
	printf '#!/bin/sh\necho /cache/rootfs.img\n' >harness/rootfs
	printf '#!/bin/sh\necho "$@" >&2\ncase "$*" in */judge*) %s ;; esac\nexit %s\n' "${2-: >d/summary.json}" "$1" >harness/in-toolbox
	mkdir d
	rc=0
	VARIANT=kasan harness/run-guest x86_64 kernel image d || rc=$?
	ls d
	return $rc
}
want=0 prints='VARIANT=kasan .*run-vm' mutant='harness/run-guest s/ VARIANT="${VARIANT-}"//'
try 'run-guest: the variant reaches the guest' case_run_guest 0
want=2 prints='^report$' mutant='harness/run-guest s/^: >"$dir.report"$//'
try 'run-guest: a guest that could not be run leaves a report' case_run_guest 1
prints='there is no verdict .exit code 1.' mutant='harness/run-guest s/^.*die "there is no verdict.*//'
try 'run-guest: a sandbox that fails is no failed test' case_run_guest 0 'exit 1'
