# Cases of selfcheck (sourced by tests/run): the runner of the guest, on a program that is made

case_runner() { # SUITE SCRIPT [SETTING]
	mkdir -p "in/$1"
	for p in x test_progs; do
		printf '#!/bin/sh\n%s\n' "$2" >"in/$1/$p"
		chmod +x "in/$1/$p"
	done
	# Here are the modules of the host.
	sed -i "s,/opt/vmtest/,$PWD/in/,;s,/proc/modules,/nosuch," harness/guest/runner.c
	printf '%s\n' '#include <sys/resource.h>' '#include <unistd.h>' '#include "runner.h"' \
		'void write_to(const char *path, const char *text) { (void)path; (void)text; }' \
		'int open_port(const char *port, int flags) { (void)port; return flags; }' \
		'int main(int argc, char **argv) {' \
		'	int fd = dup(0);' \
		'	struct rlimit no_more = { fd, fd };' \
		'	close(fd);' \
		'	if (argc > 1 && setrlimit(RLIMIT_NOFILE, &no_more))' \
		'		return 1;' \
		'	return run_plan(stdin, stdout); }' >main.c
	gcc -D_GNU_SOURCE -std=gnu11 -Wall -Werror -Iharness/guest -o runner main.c harness/guest/runner.c || return
	echo "$1 x 60" >plan
	eval "${3-}"
	./runner ${full_table+full} <plan
}
want=0 prints='^    not ok 2 b$' mutant="harness/guest/runner.c s/= '?';/= 0;/"
try 'runner: a NUL in the output' case_runner tools 'printf "ok 1 - a\nodd \000 line\nnot ok 2 - b\n"'
prints='^ok 1 bpf:x # SKIP not built$' mutant='harness/guest/runner.c s/ || ends_with(p, not_built)//'
try 'runner: a test of bpf that was not built' case_runner bpf 'echo "#7       x:SKIP (not built)"'
case_runner_kunit() {
	sed -i "s,/sys/kernel/debug/kunit/%s/results,$PWD/results," harness/guest/runner.c
	printf '%s\n' 'KTAP version 1' 1..1 '    KTAP version 1' '    # Subtest: x' 1..2 '    ok 1 a # SKIP no' '    ok 2 b # SKIP no' 'ok 1 x' >results
	case_runner kunit ''
}
prints='^ok 1 kunit:x # SKIP' mutant='harness/guest/runner.c s/^\t\tt->seen = result != PASS;/\t\tt->seen = true;/'
try 'runner: a suite of KUnit whose cases are all skipped' case_runner_kunit
prints='^    ok 2 b # SKIP no room$' mutant='harness/guest/runner.c s/t->subs\[i\].why);/"");/'
try 'runner: why a part is skipped' case_runner tools 'printf "ok 1 a\nok 2 b # SKIP no room\n"'
prints='^    ok 1 a # SKIP no room$' mutant='harness/guest/runner.c /strspn(\*why, "PEDped")/d'
try 'runner: why a part is skipped, in other words' case_runner tools 'printf "ok 1 a # Skipped: no room\nok 2 b\n"'
prints='^# tools:x: no pipe for its output: Too many open files$' mutant='harness/guest/runner.c s/^\t\texplain(t, "no pipe.*//'
try 'runner: a test that cannot be started' case_runner tools 'echo ok 1' 'full_table='
prints='^# tools:x: no end after 1 s$' mutant='harness/guest/runner.c s/^\t\texplain(t, "no end.*//'
try 'runner: a test that does not end' case_runner tools 'echo ok 1; exec sleep 60' 'echo tools x 1 >plan'

# A build that is killed, and the next
case_half_made() { # CMD...
	printf '#!/bin/sh\n' >harness/bpf-subset
	printf '%s\n' '#!/bin/sh' 'case "$*" in *kconfig* | *rsync*) exit ;; esac' '[ ! -e killed ] || exit 0' \
		'touch killed; sleep 0.1; touch obj/half; kill -9 $PPID' >harness/in-toolbox
	mkdir obj
	touch obj/all
	"$@" || :
	[ -e obj/half ] && "$@" && ls obj | paste -sd' '
}
want=0 prints='^all build.log$' mutant='harness/build-kernel /^drop_half_made/d'
try 'build: half of a file of the kernel' case_half_made harness/build-kernel x86_64 default out obj
mutant='harness/lib.sh s/^\ttouch "$_obj.*//'
try 'build: the mark of a build' case_half_made harness/build-kernel x86_64 default out obj
prints='^all bpf-exclude bpf-src bpf-tests build.log$' mutant='harness/build-selftests /^drop_half_made/d'
try 'build: half of a file of the selftests' case_half_made harness/build-selftests x86_64 out kernel obj
case_disk_full() {
	printf '%s\n' '#!/bin/sh' 'case "$*" in *kconfig*) exit ;; esac' 'echo "as: x.o: No space left on device"; exit 2' >harness/in-toolbox
	harness/build-kernel x86_64 default out obj
}
want=2 prints='^error: kernel: a disk is full$' mutant='harness/lib.sh /|| die "$_name: a disk is full"/d'
try 'build: a full disk' case_disk_full
# A test that does not compile, and then the others; of the tree, and of those that the build has
case_not_compiled() {
	printf '#!/bin/sh\necho /prog_tests/other.c\n' >harness/bpf-subset
	printf '%s\n' '#!/bin/sh' 'case "$*" in *build-selftests.sh) [ ! -e fails ] ;; esac' >harness/in-toolbox
	mkdir -p obj/bpf-src/prog_tests
	touch fails obj/bpf-src/prog_tests/other.c
	TESTS=bpf:other harness/build-selftests x86_64 out kernel obj && return 9
	rm fails
	harness/build-selftests x86_64 out kernel obj && ! grep -x other obj/bpf-tests && ls obj/bpf-src/prog_tests | wc -l
}
want=0 prints='^0$' mutant='harness/build-selftests s/^mv .*//;s,>"$obj/bpf-asked",>"$obj/bpf-asked"; cp "$obj/bpf-asked" "$obj/bpf-tests",'
try 'build: a test of bpf that did not compile is forgotten' case_not_compiled
mutant='harness/build-selftests /xargs -0 -r rm/d'
try 'build: and so is its source' case_not_compiled
# What judge needs, while it is made anew from a tree that does not have it
case_parser() {
	mkdir -p out/tree d/parser/whole
	! sh -euc '. harness/lib.sh; . harness/git.sh; keep_parser d' harness/sh && ls d/parser
}
want=0 prints='^whole$' mutant='harness/git.sh s/parser\.new/parser/g'
try 'build: the parser of judge is there at all times' case_parser

# ccache in depend mode does not see what .incbin includes.
case_incbin() {
	export PATH="$PWD/harness/ccache:$PATH" CCACHE_DIR="$work/ccache" CCACHE_DEPEND=1
	echo '.incbin "x.bin"' >p.S
	for text in older newer; do
		printf '%s' $text >x.bin
		gcc -Wp,-MMD,p.d -c -o p.o p.S
		grep -ao "$text" p.o
	done
}
want=0 prints='^newer$' mutant='harness/ccache/gcc /\.S |/d'
try 'ccache: a file behind .incbin has changed' case_incbin

case_topic() { TOPIC=nosuch CHECK_ONLY=1 harness/mutants; }
want=2 prints='TOPIC=nosuch matches no mutant' mutant='harness/mutants s/die "TOPIC=/: "/'
try 'mutants: an unknown topic' case_topic
