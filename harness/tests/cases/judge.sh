# Cases of selfcheck (sourced by tests/run): what the judge says of a run

# make_run CASE DIR: the files of a case; what it does not have is that of "good"
make_run() {
	mkdir "$2"
	for part in plan vm.status phases results.ktap console.log; do
		from=$1
		grep -qx -e "--- $part" "$1" || from=$here/judge/good
		section "$from" $part >"$2/$part"
	done
}

judge_case() {
	make_run "$1" "$work/t/run"
	harness/judge "$work/t/run"
	rc=$?
	[ -s "$work/t/run/summary.json" ] || exit 99
	return $rc
}

for c in "$here"/judge/*; do
	want= prints= mutant=
	while read -r key value && [ "$key" != --- ]; do
		case $key in exit) want=$value ;; prints) prints=$value ;; mutant) mutant=$value ;; esac
	done <"$c"
	try "judge: ${c##*/}" judge_case "$c"
done

case_flaky() {
	make_run "$here/judge/failed" "$work/t/run"
	make_run "$here/judge/good" "$work/t/run2"
	rc=0
	harness/judge "$work/t/run" --retry "$work/t/run2" || rc=$?
	grep -q '"flaky": 1' "$work/t/run/summary.json" && return $rc
}
want=1 prints='^FAILED ftrace:00basic/basic1.tc \(flaky\)$' mutant="harness/judge s/get('status') == 'passed'/get('status') == 'x'/"
try 'judge: a failure that passes in a fresh guest' case_flaky

case_again() { # CASE: of the guest in which what failed is run again
	make_run "$here/judge/failed" run
	make_run "$here/judge/$1" run2
	harness/judge run --retry run2
}
want=1 prints='^RETRY the guest in which failures were run again ended with: silence$' mutant='harness/judge s/^    if again and .*/    if False:/'
try 'judge: the guest of the retry hangs' case_again hang
prints='^RETRY the result stream has no final record$' mutant='harness/judge s/^        for error in again.errors:/        for error in []:/'
try 'judge: the guest of the retry is cut off' case_again no-final-record

case_hang_junit() { make_run "$here/judge/hang" run; harness/judge run >/dev/null; cat run/junit.xml; }
want=0 prints='the deadline .*silence.* expired' mutant='harness/judge s/ + (\[f.the deadline .* else \[\])//'
try 'judge: a guest that hangs, in JUnit' case_hang_junit

case_carriage_return() { # A result in the output of the test that fails, the last one
	make_run "$here/judge/good" run
	sed -i 's/^ok 3 kunit:hlist.*/# \rok 3 kunit:hlist\nnot ok 3 kunit:hlist/' run/results.ktap
	harness/judge run
}
want=1 prints='^FAILED kunit:hlist$' mutant="harness/judge s/, newline='.n'//"
try 'judge: a carriage return is no end of a line' case_carriage_return
case_judge_lacks() { # OPTION
	make_run "$here/judge/good" run
	harness/judge run $1
}
want=2 prints="No such file or directory: 'nosuch" mutant='harness/judge s/^        if needed:/        if False:/'
try 'judge: a baseline that is not there' case_judge_lacks '--baseline nosuch'
try 'judge: what passes with the default is not there' case_judge_lacks '--reference nosuch.json'
prints="No such file or directory: .*SPLATS'"
case_judge_splats() { rm selftests/SPLATS; case_judge_lacks ''; }
try 'judge: the patterns of splats are not there' case_judge_splats

case_also() { # CASE SED-SCRIPT: "good", and another guest, with the names of its tests changed
	make_run "$here/judge/good" run
	make_run "$here/judge/$1" nmi
	sed -i "$2" nmi/*
	harness/judge run --also nmi
}
others='s/build_id/find_vma/;s/basic1/basic3/;s/hlist/list/'
want=1 prints='^FAILED ftrace:00basic/basic3.tc$' mutant='harness/judge s/self.tests |= other.tests/pass/'
try 'judge: a failure in the other guest' case_also failed "$others"
want=0 prints= mutant='harness/judge s/self.tests |= other.tests/pass/'
try 'judge: two good guests' case_also good "$others"
want=124 prints='^TIMEOUT' mutant='harness/judge s/self.end = other.end/pass/'
try 'judge: the other guest hangs' case_also hang "$others"
want=3 prints='^SPLAT in ../nmi/console.log, line [0-9]*, test' mutant='harness/judge s/self.splats += other.splats/pass/'
try 'judge: the other guest panics' case_also panic "$others"
mutant="harness/judge s/return Run(where, .*/return Run(where)/"
try 'judge: the file in which the other guest panics' case_also panic "$others"
want=124 prints='the end of ../nmi/console.log:$' mutant='harness/judge s/self.log = other.log/pass/'
try 'judge: the file in which the other guest hangs' case_also hang "$others"
want=2 prints='^ERROR nmi: the result stream has no final record' mutant="harness/judge s/self.errors += \[f'{name}.*/pass/"
try 'judge: no final record of the other guest' case_also no-final-record "$others"
want=2 prints='^ERROR planned for two guests: kunit:hlist' mutant="harness/judge s/self.errors += \[f'planned.*/pass/"
try 'judge: two guests with one plan' case_also good ''

case_retry_splat() { # In the second guest, or the one beside it
	make_run "$here/judge/failed" run
	mkdir run/retry
	make_run "$here/judge/good" run/retry/nmi
	make_run "$here/judge/$1" run/again
	mv run/again/* run/retry/
	sed -i "$others" "run/retry$2"/*.* "run/retry$2"/plan
	rc=0
	harness/judge run --retry run/retry --retry-also run/retry/nmi || rc=$?
	grep -c console.log run/junit.xml
	return $rc
}
want=3 prints='^SPLAT in retry/console.log, line ' mutant='harness/judge s/^        run.splats += again.splats/        pass/'
try 'judge: a splat in the retry names its file' case_retry_splat panic ''

# What a person reads of a run.
case_report() { # CASE
	make_run "$here/judge/$1" run
	sed -i '/start ftrace/a[    2.400000] trace: no such file' run/console.log
	harness/judge run || [ $? = 1 ]
}
want=0 prints='^slowest: bpf:build_id 1.2 s, ftrace:00basic/basic1.tc 0.4 s, kunit:hlist 0.1 s$'
mutant="harness/judge s/key=lambda t: -t/key=lambda t: t/"
try 'report: the slowest tests' case_report good
want=0 prints='^subtests: 1 passed, 1 failed, 0 skipped$' mutant="harness/judge s/('passed', 'failed', 'skipped'))/('failed', 'passed', 'skipped'))/"
try 'report: the subtests' case_report failed-subtest
case_report_console() { case_report "$@" | grep -A1 '^  meanwhile in the console:$'; }
want=0 prints='^    .*trace: no such file$' mutant="harness/judge s/{MARK}start {name}/{MARK}start/"
try 'report: what the kernel said meanwhile' case_report_console failed
case_report_silent() { ! case_report "$@" | grep 'Linux version'; }
want=0 prints= mutant="harness/judge s/on = line.endswith(.*)/on = True/;s/lines, on = \[\], False/lines, on = [], True/"
try 'report: and nothing else that it said' case_report_silent failed

# --- the recorded baseline

# The base passed what "good" has, kunit:hlist too; plus the lines that are given.
case_baseline() { # CASE LINE...
	make_run "$here/judge/$1" run
	shift
	printf '%s\n' 'base b' 'passed bpf:build_id' 'passed bpf:build_id nofault' 'failed bpf:build_id sleepable' \
		'passed ftrace:00basic/basic1.tc' "$@" >baseline
	harness/judge run --baseline baseline
}
want=0 prints= mutant="harness/judge s/now.get(subtest) != 'passed'/now.get(subtest) == 'passed'/"
try 'baseline: all that passed there passes' case_baseline good
want=1 prints='the test passed on the base, skipped now' mutant='harness/judge s/^        if worse:/        if False:/'
try 'baseline: a test is skipped now' case_baseline good 'passed kunit:hlist'
want=1 prints='planar passed on the base, gone now' mutant="harness/judge s/now.get(subtest) != 'passed'/now.get(subtest) == 'failed'/"
try 'baseline: a subtest is gone' case_baseline good 'passed bpf:build_id planar'
want=0 prints= mutant='harness/judge s/if not test or name in gone:/if False:/'
try 'baseline: a test that was not asked for' case_baseline good 'passed bpf:find_vma'
want=0 prints= mutant="harness/judge s/if status == 'passed' and now/if now/"
try 'baseline: a test that did not pass there either' case_baseline good 'failed kunit:hlist'
want=1 prints='^FAILED bpf:find_vma$' mutant='harness/judge s/^    for name in gone:/    for name in []:/'
case_baseline_gone() {
	make_run "$here/judge/good" run
	echo bpf:find_vma >run/gone
	echo 'passed bpf:find_vma' >baseline
	harness/judge run --baseline baseline
}
try 'baseline: a test is gone' case_baseline_gone

# What the series adds is skipped on the base.
case_skipped() { # ALLOWED BASELINE-LINE...
	make_run "$here/judge/good" run
	echo "$1" >allowed
	shift
	printf '%s\n' 'base b' "$@" >baseline
	[ -z "${PART-}" ] || sed -i 's/^    ok 2 sleepable/& # SKIP/' run/results.ktap
	harness/judge run --baseline baseline --skipped allowed
}
want=1 prints='    the test is skipped, and allowed does not allow it$' mutant='harness/judge s/^        if skipped:/        if False:/'
try 'skipped: a test of the series' case_skipped '# nothing' 'skipped kunit:hlist'
want=0 prints= mutant='harness/judge s/ or name in allowed:/:/'
try 'skipped: a test that may be' case_skipped 'kunit:hlist  # wants a PMU' 'skipped kunit:hlist'
mutant='harness/judge s/^    for name in names:/    for name in run.tests:/'
try 'skipped: a test that the baseline does not have' case_skipped '# nothing' 'skipped bpf:other'
want=1 prints='    the test is skipped, and allowed does not allow it$' mutant="harness/judge s/, .lines_of.f'{args.where}.listed')\]/]/"
case_skipped_new() { mkdir -p run && echo kunit:hlist >run/listed && case_skipped "$@"; }
try 'skipped: a test that the baseline does not have yet' case_skipped_new '# nothing' 'skipped bpf:other'
case_skipped_part() { PART=y case_skipped "$@"; }
want=1 prints='    sleepable is skipped, and allowed' mutant="harness/judge s/if s == 'skipped' and f/if not n and f/"
try 'skipped: a subtest of the series' case_skipped_part '# nothing' 'skipped bpf:build_id'
want=0 prints= mutant="harness/judge s/ and f'{name} {n}' not in allowed/ and n not in allowed/"
try 'skipped: a subtest that may be' case_skipped_part 'bpf:build_id sleepable # wants a PMU' 'skipped bpf:build_id'

case_unplanned_kunit() { # CONSOLE-LINE [OPTION]
	make_run "$here/judge/good" run
	sed -i "1a$1" run/console.log
	printf '%s\n' hlist list >suites
	harness/judge run --suites suites ${2-}
}
want=1 prints='^FAILED kunit:other$' mutant='harness/judge s/^        unplanned_kunit(run.*/        pass/'
try 'judge: a suite of KUnit that no list names failed' case_unplanned_kunit '[    0.900000] not ok 3 other'
prints='^FAILED kunit:other suite$'
mutant='harness/judge s/ \[0-9\]+ (\[^#\]+)/ [0-9]+ (\\S+)/'
try 'judge: a suite of KUnit with a blank in its name' case_unplanned_kunit '[    0.900000] not ok 3 other suite' --no-others
prints='^FAILED kunit:other$' mutant='harness/judge s/ or no_others)/)/'
try 'judge: a suite of KUnit that no list names passed' case_unplanned_kunit '[    0.900000] ok 3 other' --no-others
want=0 prints= mutant='harness/judge s/(ran.group(1) or no_others)/True/'
try 'judge: and the tree is not the pinned one' case_unplanned_kunit '[    0.900000] ok 3 other'
mutant='harness/judge s/\[^#\]+/.+/'
try 'judge: a suite of KUnit that has no case' case_unplanned_kunit '[    0.900000] ok 3 other # SKIP ' --no-others
mutant='harness/judge s/and ran.group(2) not in suites //'
try 'judge: a suite of KUnit of another part of the run failed' case_unplanned_kunit '[    0.900000] not ok 3 list' --no-others

case_built() { # OPTION
	make_run "$here/judge/good" run
	sed -i 's/^ok 3 kunit:hlist.*/ok 3 kunit:hlist # SKIP not built/' run/results.ktap
	harness/judge run $1
}
want=1 prints='^FAILED kunit:hlist$' mutant='harness/judge s/if args.built and/if False and/'
try 'judge: a test that did not compile' case_built --built
want=0 prints= mutant='harness/judge s/if args.built and/if/'
try 'judge: a test that did not compile on another base' case_built ''
case_judge_why() {
	make_run "$here/judge/good" run
	sed -i 's/^    ok 2 sleepable/& # SKIP no disk/' run/results.ktap
	harness/judge run >/dev/null; grep -o 'no disk' run/junit.xml
}
want=0 prints='^no disk$' mutant="harness/judge s/, reason=s.get(.*''))/)/"
try 'judge: why a part is skipped, in JUnit' case_judge_why

# --- a variant, and what passes with VARIANT=default

# The reference: bpf:build_id with two subtests, a test of ftrace, and the lines that are given.
case_reference() { # GONE LINE...
	make_run "$here/judge/good" run
	[ -z "$1" ] || echo "$1" >run/gone
	shift
	printf '%s\n' 'base b' 'passed bpf:build_id' 'passed bpf:build_id nofault' 'passed ftrace:00basic/basic1.tc' "$@" >baseline
	printf '%s\n' '{"tests": [{"name": "bpf:build_id", "status": "passed", "subtests": []},' \
		'{"name": "bpf:new", "status": "passed", "subtests": [{"name": "part", "status": "passed"}]}]}' >summary.json
	[ -z "${MORE-}" ] || more
	harness/judge run --reference baseline --reference summary.json ${WHOLE---whole}
}
# more: a test of KUnit that passes, besides the one that is skipped
more() {
	echo 'kunit list 240' >>run/plan
	sed -i 's/^1\.\.3$/1..4/;s/^# DONE$/# start kunit:list\nok 4 kunit:list\n&/' run/results.ktap
}
want=0 prints='^skipped here, and passed with VARIANT=default: 0$' mutant="harness/judge s/^    if skipped_here is not None:/    if False:/"
try 'variant: nothing is skipped' case_reference '' 'failed kunit:hlist'
want=0 prints='^    bpf:build_id planar$' mutant="harness/judge s/ if now.get(n) != 'passed'\]/ if not n]/"
try 'variant: a subtest is skipped' case_reference '' 'passed bpf:build_id planar'
want=0 prints='^skipped here, and passed with VARIANT=default: 1$' mutant="harness/judge s/^        if name in gone:/        if False:/"
try 'variant: a test is not planned' case_reference ftrace:00basic/basic2.tc 'passed ftrace:00basic/basic2.tc'
want=2 prints='^ERROR nothing of the suite kunit was tested' mutant="harness/judge s/run.errors.append(f'nothing of the suite.*/pass/"
try 'variant: all tests of a suite are skipped' case_reference '' 'passed kunit:hlist'
want=2 prints='^ERROR nothing of the suite proc was tested'
try 'variant: no test of a suite is planned' case_reference proc:maps 'passed proc:maps'
case_reference_part() { WHOLE='' case_reference "$@"; }
want=0 prints='^    proc:maps .not planned.$' mutant='harness/judge s/if whole and all/if all/'
try 'variant: no test of a suite is in this part of a run' case_reference_part proc:maps 'passed proc:maps'
case_reference_more() { MORE=y case_reference '' "$@"; }
want=0 prints='^    kunit:hlist$' mutant="harness/judge s/update(n for n, s in statuses.items() if/update(n for n, s in () if/"
try 'variant: a test is skipped, and others of its suite are not' case_reference_more 'passed kunit:hlist'
case_reference_summary() {
	make_run "$here/judge/good" run
	more
	echo '{"tests": [{"name": "kunit:hlist", "status": "passed", "subtests": []}]}' >summary.json
	harness/judge run --reference summary.json --whole
}
mutant="harness/judge s/ for t in json.loads(text)\['tests'\]}/ for t in []}/"
try 'variant: a test that passed in the last run of the default' case_reference_summary

case_record() { # CASE OPTION: what is recorded is what comes out again
	make_run "$here/judge/$1" run
	printf 'base %s\npassed x:old\n' "$3" >baseline
	harness/judge run --record baseline --base b $2 || { rc=$?; cat baseline; exit $rc; }
	cat baseline
}
want=0 prints='^passed bpf:build_id nofault$' mutant='harness/judge s/tests\[name\] = by_subtest(test)/tests[name] = {"": test["status"]}/'
try 'baseline: recorded' case_record good --whole b
want=0 prints='^passed x:old$' mutant='harness/judge s/if not args.whole and/if False and/'
try 'baseline: a part is put among the rest' case_record good '' b
want=1 prints='^0$' mutant='harness/judge s/if not args.whole and .*:/if True:/'
case_record_other() { case_record good '' other | grep -c x:old; }
try 'baseline: the rest was of another base' case_record_other
want=2 prints='is left as it was' mutant='harness/judge s/    if run.errors or run.timeout() or/    if/'
try 'baseline: not recorded from half a run' case_record truncated --whole b
prints='the kernel complained, baseline is left as it was' mutant='harness/judge s/ or run.timeout() or run.splats:/ or run.timeout():/'
try 'baseline: not recorded when the kernel complained' case_record warning --whole b

# --- what the judge writes

case_written() { # CASE FILE PATTERN
	make_run "$here/judge/$1" run
	harness/judge run >/dev/null || :
	grep -e "$3" "run/$2"
}
want=0 prints='^ftrace 00basic/basic1.tc 240$' mutant="harness/judge s/if run.tests\[name\]\['status'\] == 'failed')/if False)/"
try 'judge: the plan of what failed' case_written failed failed .
want=0 prints='testcase name="sleepable"' mutant="harness/judge s/^            add(node, s\['name'\], s\['status'\].*/            pass/"
try 'judge: subtests in JUnit' case_written good junit.xml sleepable
want=0 prints='tests="5" failures="2"' mutant="harness/judge /if test\['status'\] == 'failed' and node/,+1d"
try 'judge: a failed test with subtests, in JUnit' case_written failed-subtest junit.xml tests=

case_marks() { # A test prints what the runner's marks begin with
	make_run "$here/judge/failed" run
	sed -i 's/^# sh: .*/# start the server\n# time to go\n&/' run/results.ktap
	harness/judge run | grep -e '^    the server' -e '^    start the server' -e '^    time to go'
}
want=0 prints='^    start the server$' mutant='harness/judge s/ and line\[8:\] in planned:/:/'
try 'judge: a test prints "start"' case_marks
prints='^    time to go$' mutant="harness/judge s/startswith(f'# time {name} ')/startswith('# time ')/"
try 'judge: a test prints "time"' case_marks

case_control() {
	make_run "$here/judge/failed" run
	sed -i 's/^# sh: .*/# \x1b[31mred\x00/' run/results.ktap
	harness/judge run >/dev/null || :
	python3 -c 'import xml.etree.ElementTree as t; t.parse("run/junit.xml"); print("well-formed")'
}
want=0 prints='well-formed' mutant="harness/judge s/CONTROL.sub('?', \(.*\)) for line/\1 for line/"
try 'judge: control characters in the output' case_control
want=2 prints='^error: .*No such file' mutant='harness/judge s/^except OSError as e:/except KeyError as e:/;s/^except Exception: .*/except KeyError:/'
case_nowhere() { harness/judge nowhere; }
try 'judge: what it cannot write is no failed test' case_nowhere

case_command() { # CONSOLE-LINE STREAM-LINE... : how a command in a guest ended
	mkdir run
	echo 'end off' >run/vm.status
	echo "$1" >run/console.log
	shift
	printf '%s\n' "$@" >run/results.ktap
	harness/judge --command run
}
want=7 prints= mutant='harness/judge s/return 2 if code is None else code/return 0/'
try 'run: the exit code of the command' case_command 'all is well' '# exit 7' '# DONE'
want=2 prints='the guest ended before the command did' mutant="harness/judge s/and stream\[-1\] == '# DONE'//"
try 'run: a command that ends its guest' case_command 'reboot: Restarting' '# exit 0'
want=3 prints='^SPLAT in console.log' mutant='harness/judge s/    if splats and not code:/    if False:/'
try 'run: the kernel complained' case_command 'WARNING: x' '# exit 0' '# DONE'
