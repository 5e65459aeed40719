# Cases of selfcheck (sourced by tests/run): every script answers --help, and takes nothing else that it does not know

# What a script does after its library must not begin.
case_unknown() {
	echo 'exit 7' >>harness/lib.sh
	for s in harness/*; do
		grep -qsx "# Usage: ${s##*/}" "$s" || continue
		rc=0
		"$s" --hlep >said 2>&1 || rc=$?
		[ $rc = 2 ] && grep -q "^Usage: ${s##*/}$" said || { echo "$s --hlep: exit code $rc"; exit 1; }
		refused="${refused-} ${s##*/}"
	done
	echo "refused by$refused"
}
want=0 prints='^refused by bench .*mutants .*storm' mutant='harness/lib.sh s/^\[ $# = 0 \] || .*//'
try 'arguments: none that a script does not know' case_unknown
case_cdpath() {
	printf '#!/bin/sh\n. "${0%%/*}/lib.sh"\necho "[$H]"\n' >harness/where
	chmod +x harness/where
	CDPATH=$PWD harness/where
}
want=0 prints="^\\[/.*/harness]$" mutant='harness/lib.sh s/^unset CDPATH/:/'
try 'input: CDPATH' case_cdpath
want=2 prints='^Usage: bisect-check' mutant="harness/bisect-check s/^takes .*/exit 2/"
case_selftest() { harness/bisect-check --selftest; }
try 'bisect-check: an unknown option' case_selftest
prints='^Usage: doctor' mutant='harness/doctor s/^takes .*/exit 2/'
case_instal() { harness/doctor --instal; }
try 'doctor: an unknown option' case_instal

case_help() {
	for s in harness/*; do
		[ -f "$s" ] && [ -x "$s" ] || continue
		"$s" --help | grep -q '^Usage: ' || { echo "$s does not answer --help"; exit 1; }
	done
	make help | grep -q 'make vmtest' && echo helped
}
# What the documents say to type is a target, and each target is in make help.
case_targets() {
	cp /vmtest/README.md /vmtest/SUBMITTING.md ./
	make help >said
	sed -n 's/^\([a-z_-]*\):.*/\1/p' Makefile | sort >targets
	while read -r t; do
		[ "$t" = help ] || grep -Eq "make $t( |$)" said || { echo "make help lacks $t"; exit 1; }
	done <targets
	grep -ohE '(^ {4,}|`)make [a-z_-]+' README.md SUBMITTING.md ci/README.md | sed 's/.*make //' | sort -u |
		comm -23 - targets | sed 's/$/ is no target/' >odd
	! grep . odd
}
# What make check does not run, it says; the others are what a person uses, and not checks.
case_left_out() {
	sed -n 's/^\([a-z_-]*\):.*/\1/p' Makefile |
		grep -vx 'help\|check\|shell\|gdb\|run\|vmtest-failed\|apply\|export\|am\|doctor\|toolbox\|clean\|distclean\|mbox\|range-diff\|get_maintainer' |
		while read -r t; do
			sed -n '/^step /p; /^echo "check: left out/,/^echo "check: \$/p' harness/check |
				grep -Eq "(H/|[ (])$t([\" ,);]|$)" || { echo "check neither runs $t nor says so"; exit 1; }
		done
}
want=0 prints= mutant='harness/check s/, bisect-faults, / and /'
try 'check: what is left out is said' case_left_out
mutant='harness/check s/LIST=full/LIST/;s/make bench, mutants and storm/stress drivers/'
try 'check: benchmarks, mutants and storms are said to be left out' case_left_out
want=0 prints= mutant='Makefile /^#:   make fuzz/d'
try 'make help has every target' case_targets
mutant='Makefile /^litmus:/d'
try 'the documents name targets that exist' case_targets
want=0 prints='the topics: lib other$' mutant='harness/help s/echo "  the topics.*/:/'
case_help_topics() { printf '# head\nlib\t-\tPATCH\t^$\nother\tlib\tPATCH\t^$\n' >harness/topics; make help; }
try 'make help names the topics' case_help_topics
want=2 prints='no topic for the new commit "lib: Write ten' mutant='harness/export s/^\t\[ "$topic" != - \] || die .*/\t:/'
case_no_topic() { series_setup && : >patches/series && rm -f out/tree/.git/vmtest-key && unset TOPIC && harness/export; }
try 'export: a new commit without a topic' case_no_topic

# The same files are the same, wherever they are, and others are not.
case_hash() { # DIR
	echo one >one
	mkdir "$1"
	cp -R harness one "$1"
	here=$(sh -c '. harness/lib.sh; hash "$H/doctor" "$TOP/one"' harness/sh)
	cd "$1" || return
	there=$(sh -c '. harness/lib.sh; hash "$H/doctor" "$TOP/one"' harness/sh)
	echo two >one
	[ "$there" = "$here" ] && [ "$there" != "$(sh -c '. harness/lib.sh; hash "$H/doctor" "$TOP/one"' harness/sh)" ] && echo sound
}
want=0 prints='^sound$' mutant='harness/lib.sh s/(cd "$TOP" && \(sha256sum -- "$@"\))/(cd "$TOP" \&\& \1 | sed "s,$TOP,,")/'
try 'hash: a path with a comma' case_hash 'a, b'
mutant='harness/lib.sh s/${_f#"$TOP".}/$_f/'
try 'hash: another path' case_hash other

# Temporary files, in a directory whose name has a space, beside a file that has a part of it
case_tmp() { # SCRIPT [ARGUMENT]...
	made_qemu '[ -e aborted ] || { touch aborted; kill -ABRT $$; }'
	for s in selfcheck check-quilt sanitize vmtest run shell; do printf '#!/bin/sh\n' >harness/$s; done
	touch my patches/odd
	mkdir 'my tmp' 'my results'
	PATH=$PWD/bin:$PATH TMPDIR="$PWD/my tmp" RESULTS="$PWD/my results" ACCEL=tcg "$@" >said 2>&1 || :
	ls -d my* && rmdir 'my tmp' && [ -e my ] && echo 'as it was'
}
for cmd in 'plan --check' 'bpf-subset . x' 'serve-guest nosuch 1' 'accel x86_64' check check-consoles check-series \
	'run-vm --probe x86_64 bzImage'; do
	want=0 prints='^as it was$' mutant="harness/${cmd%% *} s/^\\(at_exit .rm -r*f \\)\$(quote \\(.*\\)).$/\\1\\2\"/"
	try "cleanup: ${cmd%% *}, and a TMPDIR with a space" case_tmp harness/$cmd
done
mutant='harness/run-vm s/^\trm -rf "$tmp"$/\trm -rf $tmp/'
try 'cleanup: run-vm once more, and a TMPDIR with a space' case_tmp harness/run-vm --probe x86_64 bzImage

want=143 prints='^cleaned$' mutant='harness/lib.sh s/trap "" INT TERM HUP PIPE; //'
case_cleanup() {
	printf '#!/bin/sh\n. "${0%%/*}/lib.sh"\nat_exit "kill -TERM \$\$; echo cleaned"\nkill -TERM $$\n' >harness/twice
	sh harness/twice
}
try 'cleanup: a second signal does not cut it short' case_cleanup

want=0 prints='^cleaned$' mutant='harness/lib.sh /trap .exit 141. PIPE/d'
case_pipe() {
	printf '#!/bin/sh\nset -e\n. "${0%%/*}/lib.sh"\nat_exit "echo cleaned >cleaned"\nwhile :; do echo y; done\n' >harness/piped
	sh harness/piped | head -n 1
	cat cleaned
}
try 'cleanup: nor does a reader that has gone' case_pipe

want=0 prints='^helped$' mutant='harness/lib.sh s/^case ${1-} in --help.*//'
try 'every script answers --help' case_help
