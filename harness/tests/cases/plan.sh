# Cases of selfcheck (sourced by tests/run): plans

inventory() { printf 'bpf build_id\nbpf arena\nftrace 00basic/basic1.tc\nkunit hlist\n' >inventory; }

case_plan() { # LISTS-LINE...: the list of bpf
	inventory
	rm -rf selftests/lists
	mkdir selftests/lists
	printf '%s\n' "$@" >selftests/lists/bpf
	ARCH=x86_64 ACCEL=tcg VARIANT=default harness/plan inventory
}
want=0 prints='^bpf build_id 240$' mutant='harness/plan s/verb=include/verb=exclude/'
try 'plan: a list' case_plan build_id
want=0 prints='^bpf build_id 600$' mutant='harness/plan s/^\t*seconds=${c#.*/:/'
try 'plan: a deadline of its own' case_plan 'build_id timeout=600'
want=2 prints='timeout=soon is no number above 0' mutant='harness/plan s/) die "$file:$nr: $c is no number.*/) ;; esac ;;/'
try 'plan: a deadline that is no number' case_plan 'build_id timeout=soon'
want=0 prints='^bpf build_id 240 nmi$' mutant='harness/plan s/nmi=. nmi. ;;/;;/'
try 'plan: a test that needs NMIs' case_plan 'build_id nmi'
want=2 prints='lists/bpf:2: nosuch. matches no test' mutant='harness/plan /matches no test" "correct/d'
try 'plan: a list line that matches nothing' case_plan build_id 'nosuch*'
want=2 prints='an exclusion needs a reason and an end' mutant='harness/plan s/die "$file:$nr: an exclusion.*/verb=exclude ;;/;/add: # why/d'
try 'plan: an exclusion without a reason' case_plan '*' '-arena'
mutant='harness/plan s/until\*//'
try 'plan: an exclusion without an end' case_plan '*' '-arena # crashes'
want=2 prints='unknown condition cpu=3' mutant='harness/plan s/^\t\t\t\*) die .*unknown condition.*/*) ;;/'
try 'plan: a condition that does not exist' case_plan 'build_id cpu=3'

case_excluded() { case_plan '*' "-arena arch=$1 # crashes, until it is fixed" | grep -c arena; }
want=1 prints='^0$' mutant='harness/plan s/verb=exclude/verb=include/'
try 'plan: an exclusion' case_excluded 'x86*'
want=0 prints='^1$' mutant='harness/plan s/|| applies=n/||:/'
try 'plan: an exclusion for another architecture' case_excluded 'arm64'
case_kernel() { export KERNEL=$1; case_plan '*' '-arena kernel=base # hangs, until it is fixed' | grep -c arena; }
want=0 prints='^1$' mutant='harness/plan s/"${KERNEL:-series}"/base/'
try 'plan: an exclusion on the base, and the series' case_kernel ''
want=1 prints='^0$' mutant='harness/plan s/"${KERNEL:-series}"/series/'
try 'plan: an exclusion on the base' case_kernel base
case_in_list() { # LIST
	rm -rf selftests/full
	mkdir selftests/full
	export LIST=$1
	case_plan '*' '-arena list=default # takes minutes, until there is room' | grep -c arena
}
want=1 prints='^0$' mutant='harness/plan s/"${LIST:-default}" "${c/full "${c/'
try 'plan: an exclusion from the default list' case_in_list ''
want=0 prints='^1$' mutant='harness/plan s/"${LIST:-default}" "${c/default "${c/'
try 'plan: an exclusion from the default list, and LIST=full' case_in_list full

case_select() { inventory; TESTS=$1 ARCH=x86_64 ACCEL=tcg VARIANT=default LISTS=$here/lists harness/plan inventory; }
want=2 prints='TESTS: bpf:nosuch\* matches no test' mutant='harness/plan s/^\t\[ -n "$found" \] || die "TESTS.*/:/;s/^\t\t"see selftests\/lists.*/:/'
try 'plan: TESTS that match nothing' case_select 'bpf:nosuch*'
case_scale() { inventory; echo 'build_id timeout=100' >list; rm -rf selftests/lists; mkdir selftests/lists
	mv list selftests/lists/bpf; SCALE=4 ARCH=x86_64 ACCEL=tcg VARIANT=debug harness/plan inventory; }
want=0 prints='^bpf build_id 400$' mutant='harness/plan s/\$4 \* scale/$4/'
try 'plan: deadlines of a slow variant' case_scale
want=2 prints='TESTS: build_id has no suite' mutant='harness/plan s/^\t\*) die "TESTS: $t has no suite.*/\t*) ;;/'
try 'plan: TESTS without a suite' case_select build_id
want=0 prints='^bpf arena 240$' mutant='harness/plan s/grep -qxF/false/'
try 'plan: TESTS names a test that no list has' case_select bpf:arena

case_shard() { inventory; SHARD=$1 TESTS='bpf:arena bpf:build_id ftrace:00basic/basic1.tc' ARCH=x86_64 ACCEL=tcg VARIANT=default LISTS=$here/lists harness/plan inventory; }
want=0 prints='^bpf build_id 240$' mutant='harness/plan s/NR % n == i % n/NR == i + 1/'
try 'plan: SHARD' case_shard 2/3
want=2 prints='SHARD=.* is not I/N' mutant='harness/plan s/^\t\[ ${#SHARD} -lt 20 \] .*/\ttrue ||/'
try 'plan: SHARD=5/3' case_shard 5/3
try 'plan: SHARD=0/3' case_shard 0/3
try 'plan: SHARD=two' case_shard two
case_shard_long() { case_shard 1/99999999999999999999 2>&1 | grep -c Illegal; }
want=1 prints='^0$' mutant='harness/plan s/\[ ${#SHARD} -lt 20 \] && //'
try 'plan: SHARD=1/99999999999999999999' case_shard_long
want=2 prints='SHARD=3 is not I/N' mutant='harness/plan /^\t\*) n=0 ;;$/d'
try 'plan: SHARD=3' case_shard 3
want=2 prints='SHARD=4/4 is empty' mutant='harness/plan /die "SHARD=$SHARD is empty/d'
try 'plan: SHARD without tests' case_shard 4/4

# There are build_id and arena; the base also passed others.
case_gone() {
	inventory
	rm -rf selftests/lists
	mkdir selftests/lists
	printf '%s\n' '*' "${EXCLUDE-}" >selftests/lists/bpf
	printf '%s\n' 'base b' 'passed bpf:arena' 'passed bpf:build_id nofault' 'passed bpf:old' 'passed bpf:old part' \
		'failed bpf:bad' 'passed kunit:older' >baseline
	ARCH=x86_64 ACCEL=tcg VARIANT=default harness/plan inventory baseline gone >planned || exit
	echo "gone: $(paste -sd, gone)"
}
want=0 prints='^gone: bpf:old,kunit:older$' mutant='harness/plan s/ | comm -23 .*/ >"$tmp\/lacking"/'
try 'plan: tests of the baseline that are gone' case_gone
case_gone_shard() { SHARD=1/2 case_gone; }
mutant='harness/plan s/^\tawk .{ print $1 ":" $2 }. "$tmp.plan"/\thead -n 1 "$tmp\/plan" | sed "s, ,:,;s, .*,,"/'
try 'plan: tests that are gone, in a shard' case_gone_shard
case_gone_tests() { TESTS=$1 case_gone; }
want=0 prints='^gone: bpf:old$' mutant='harness/plan s/ in ${TESTS:-\*:\*}/ in *:*/'
try 'plan: tests that are gone, of those asked for' case_gone_tests 'bpf:*'
prints='^gone: $'
try 'plan: tests that are gone, and were not asked for' case_gone_tests 'bpf:build_id bpf:a*'
case_gone_excluded() { EXCLUDE="-arena $1 # slow, until it is not" case_gone; }
want=0 prints='^gone: bpf:old,kunit:older$' mutant='harness/plan s/ | grep -vxF -f "$tmp.accel"//'
try 'plan: a test of the baseline that this accelerator excludes' case_gone_excluded accel=tcg
prints='^gone: bpf:arena,bpf:old,kunit:older$' mutant='harness/plan s/"$verb$accel" != excludey/$verb != exclude/'
try 'plan: a test of the baseline that a list excludes' case_gone_excluded arch=x86_64

case_list() { # LIST
	inventory
	echo 'bpf wide' >>inventory
	rm -rf selftests/full
	mkdir selftests/full
	echo 'w*' >selftests/full/bpf
	LIST=$1 ARCH=x86_64 ACCEL=tcg VARIANT=default LISTS=$here/lists harness/plan inventory >planned || exit
	paste -sd, planned
}
want=0 prints='^bpf build_id 240$' mutant='harness/plan s/^default) ;;/default) find "$TOP\/selftests\/full" -type f ;;/'
try 'plan: LIST=default' case_list default
want=0 prints='^bpf wide 600,bpf build_id 600$' mutant='harness/plan s/^\tfind "$TOP.*sort ;;/;;/'
try 'plan: LIST=full' case_list full
mutant='harness/plan /^\tseconds_default=.*600/d'
try 'plan: LIST=full has longer deadlines' case_list full
want=2 prints='LIST=nosuch is unknown' mutant='harness/plan s/^\*) die "LIST.*/*) ;;/'
try 'plan: LIST=nosuch' case_list nosuch

# Each test that the series adds is included by a line of a list.
case_listed() {
	cat /vmtest/patches/*/*.patch | awk '
		/^--- / { added = $2 == "/dev/null" }
		/^\+\+\+ b\// {
			file = $2
			if (added && sub(/.*selftests\/ftrace\/test\.d\//, "") && sub(/\.tc$/, "&"))
				print "ftrace", $0
		}
		file ~ /selftests\/bpf\/prog_tests\// && /^\+void (serial_)?test_[a-zA-Z0-9_]+\((void)?\)/ {
			sub(/^\+void (serial_)?test_/, "")
			sub(/\(.*/, "")
			print "bpf", $0
		}
		file ~ /selftests\/[a-z_-]+\/Makefile$/ && sub(/^\+TEST_GEN_PROGS *[:+]?= */, "") {
			split(file, parts, "/")
			for (i = 1; i <= NF; i++)
				print parts[5], $i
		}' | sort -u >added
	while read -r suite name; do
		sed '/^-/d;s/[[:space:]#].*//;/^$/d' "selftests/lists/$suite" | {
			set -f
			while read -r glob; do
				case $name in $glob) exit ;; esac
			done
			echo "no line of selftests/lists/$suite includes $name"
		}
	done <added >odd
	! grep . odd && echo "all of $(wc -l <added)"
}
want=0 prints='^all of [1-9]' mutant='selftests/lists/ftrace /^[^-#]/d'
try 'lists: the tests of ftrace that the series adds' case_listed
mutant='selftests/lists/bpf /^[^-#]/d'
try 'lists: the tests of bpf that the series adds' case_listed
mutant='selftests/lists/proc /^[^-#]/d'
try 'lists: the programs that the series adds' case_listed

# --- what is compiled of the BPF selftests

# The test "one" needs progs/one.c, which includes part.c; the makefile names listed.c.
case_subset() { # GLOB
	mkdir -p bpf/prog_tests bpf/progs
	(
		cd bpf || exit
		echo 'LSKELS := listed.c' >Makefile
		echo '#include "one.skel.h"' >prog_tests/one.c
		echo 'open("./two.bpf.o")' >prog_tests/two.c
		echo '#include "part.c"' >progs/one.c
		touch progs/two.c progs/part.c progs/listed.c
	)
	harness/bpf-subset bpf "$1" | paste -sd,
}
want=0 prints='^/prog_tests/two.c,/progs/two.c$' mutant='harness/bpf-subset s/^while \[ -s .*/while false; do/'
try 'subset: a test, its program, and what that includes' case_subset 'o*'
want=0 prints='^/prog_tests/one.c,/progs/one.c,/progs/part.c$' mutant='harness/bpf-subset s/|bpf\\.o|/|/'
try 'subset: an object that is opened by its name' case_subset two
