# Cases of selfcheck (sourced by tests/run): reading the patches

walk() { sh -euc '. harness/lib.sh; . harness/git.sh; . harness/walk.sh; '"$1" harness/sh; }
case_background() { # Maintenance would go on with the lock of a script that has ended.
	series_setup
	git -C out/tree config maintenance.autoDetach false
	GIT_TRACE=$PWD/trace walk 'tgit commit -q --allow-empty -m more; tgit log -1 --format=%s'
	echo "maintenance: $(grep -c 'git maintenance run' trace)"
}
want=0 prints='^maintenance: 0$' mutant='harness/git.sh s/-c maintenance.auto=false//'
try 'git: nothing is left running' case_background
case_news() { printf '%s\n' 'a.c:1:2: x' 'a.c:7: x' >before; printf '%s\n' "$@" >after; walk 'news before after'; }
want=0 prints='^a.c:9: x$' mutant='harness/walk.sh s/had\[k\]-- <= 0/!(k in had)/'
try 'news: one more of the same' case_news 'a.c:2:2: x' 'a.c:8: x' 'a.c:9: x'
case_no_news() { case_news "$@" | grep -c .; }
want=1 prints='^0$' mutant='harness/walk.sh s/(:| line )\[0-9\]+/z/'
try 'news: other line numbers' case_no_news 'a.c:10:2: x' 'a.c:70: x'
case_no_news_line() { printf '%s\n' 'a.c:1: lock on line 9' >before; printf '%s\n' 'a.c:3: lock on line 11' >after; walk 'news before after' | grep -c .; }
want=1 prints='^0$' mutant='harness/walk.sh s/(:| line )/:/'
try 'news: other line numbers in the text' case_no_news_line
case_no_news_string() { printf '%s\n' 'a.c:1: warning: a 9000-character string' >before; printf '%s\n' 'a.c:1: warning: a 9100-character string' >after; walk 'news before after' | grep -c .; }
want=1 prints='^0$' mutant='harness/walk.sh s/|\[0-9\]+-character//'
try 'news: another length of a string' case_no_news_string

case_range() { series_setup; RANGE=$1 walk 'commits=$(walk_commits); echo $commits | wc -w'; }
want=0 prints='^1$' mutant='harness/walk.sh s/"$_from..$_tip"/"$_tip"/'
try 'range: a commit' case_range HEAD~1..HEAD
want=2 prints='RANGE=.* is not a range' mutant='harness/walk.sh s/^\t\t\tdie "RANGE=.*/: \\/'
try 'range: unknown' case_range nosuch..HEAD
try 'range: one commit only' case_range HEAD
prints='RANGE=.* has no commits' mutant='harness/walk.sh s/^\t\t\tdie "RANGE=.*has no commits".*/:/'
try 'range: the newer one first' case_range HEAD..HEAD~1
case_range_topic() { export TOPIC=lib; case_range base..HEAD; }
prints='RANGE=.* and TOPIC=lib are both set' mutant='harness/walk.sh s/|| die "RANGE=$RANGE and.*/|| :/'
try 'range: of a topic' case_range_topic
want=2 prints='CONFIGS: mips-on is unknown' mutant='harness/bisect-check s/^\t\*) die "CONFIGS.*/*) ;;/'
case_configs() { CONFIGS=mips-on harness/bisect-check; }
try 'bisect-check: CONFIGS=mips-on' case_configs
prints='CONFIGS is empty' mutant='harness/bisect-check s/|| die "CONFIGS is empty".*/|| die no/'
case_no_configs() { CONFIGS= harness/bisect-check; }
try 'bisect-check: CONFIGS=' case_no_configs
case_blank_configs() { CONFIGS='  ' harness/bisect-check; }
mutant='harness/bisect-check s/"$(echo $CONFIGS)"/"$CONFIGS"/'
try 'bisect-check: CONFIGS of blanks' case_blank_configs
# What content() has of a tree, and of one with another file
case_content() { # FILE
	mkdir -p out
	git init -q out/tree
	: >out/tree/x
	TREE=$PWD/out/tree H=$PWD/harness OUT=$PWD/out
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	commit() { git -C out/tree add -A && git -C out/tree commit -q -m x; }
	commit
	git -C out/tree tag first
	for n in 1 2; do
		git -C out/tree checkout -q -b tree$n first
		mkdir -p "out/tree/${1%/*}"
		echo $n >"out/tree/$1"
		commit
		echo 2 >out/tree/x
		commit
	done
	sed -n '/^inputs()/,/^}/p; /^content()/,/^}/p' harness/bisect-check >content
	. harness/git.sh
	. ./content
	[ "$(content tree1~1 tree1)" = "$(content tree2~1 tree2)" ] && echo the same || echo others
}
want=0 prints='^others$' mutant='harness/bisect-check /\/config\$\/ ||$/s/config/none/'
try 'bisect-check: what the selftests want of a kernel counts' case_content tools/testing/selftests/unwind/config
prints='^the same$' mutant='harness/bisect-check s/$NF !~ .*/1'"'"'/'
try 'bisect-check: another selftest does not' case_content tools/testing/selftests/unwind/x.c
want=2
case_no_fault() {
	series_setup
	for s in doctor toolbox apply; do printf '#!/bin/sh\n' >harness/$s; done
	CONFIGS=i386-off harness/bisect-check --self-test
}
prints='no fault is for CONFIGS=i386-off' mutant='harness/bisect-check s/^.*die "no fault is for.*//'
try 'bisect-check: a self-test without a fault' case_no_fault
# A topic of two patches, with a make whose link says what is in the file "said", and ends with EXIT
case_link() { # EXIT LINE...
	series_setup
	printf 'lib\t-\tPATCH\t^$\n' >harness/topics
	for s in doctor toolbox apply walk-config; do printf '#!/bin/sh\n' >harness/$s; done
	mkdir bin
	code=$1
	shift
	printf '%s\n' "$@" >said
	printf '%s\n' '#!/bin/sh' "case \"\$*\" in *\" vmlinux modules\") cat $PWD/said; exit $code ;; esac" 'touch vmlinux.a' >bin/make
	printf '#!/bin/sh\n' >bin/nm
	chmod +x bin/* harness/walk-config
	cat >harness/in-toolbox <<-EOF
		#!/bin/sh
		PATH=$PWD/bin:\$PATH
		while :; do
			case \$1 in -s | -g) shift 2 ;; -o) cd "\$2"; shift 2 ;; -b) shift 3 ;; *) break ;; esac
		done
		exec "\$@"
	EOF
	sed -i "s,/vmtest/,$PWD/,g" harness/bisect-check
	CONFIGS=x86_64-on TOPIC=lib harness/bisect-check
}
want=0 prints='^bisect-check: 2 patches, 1 topics alone, 1 configurations, 0 failed$' mutant='harness/bisect-check s/^\t! grep -E .^WARN.* "$obj.log-link" ||/\tfalse ||/'
try 'bisect-check: a topic that links' case_link 0 '  LD      vmlinux'
# The directory lib in the topic's last patch, and all there is of configurations
case_lib() {
	sed -i "s,^walk_begin$,cp -R $PWD/lib \"\$TREE/\"; tgit add lib; tgit commit -q --amend --no-edit; &,
		s,^all_configs=.*,all_configs=x86_64-on," harness/bisect-check
	case_link 0 '  LD      vmlinux'
}
case_bare() {
	mkdir lib
	echo 'obj-$(CONFIG_BARE) += bare.o' >lib/Makefile
	: >lib/bare.c
	case_lib
}
want=1 prints='NOT OK: in no configuration: lib/bare.o' mutant='harness/bisect-check s/^\tif \[ -n "$bare" \]/\tif false/'
try 'bisect-check: a file that no configuration has' case_bare
case_part() {
	mkdir lib
	echo 'obj-y += whole.o' >lib/Makefile
	echo '#include "part.c"' >lib/whole.c
	: >lib/part.c
	case_lib
}
want=0 prints='1 configurations, 0 failed$' mutant='harness/bisect-check /! included/d'
try 'bisect-check: a file that another one includes' case_part
case_not_all() { CONFIGS=x86_64-on case_link 0 '  LD      vmlinux'; }
want=0 prints='left out: .*files that are in no configuration' mutant='harness/bisect-check s/^\tnot_all=.*/\t:/'
try 'bisect-check: some configurations' case_not_all
# The build directory as a run that was killed has left it, and a patch that does not compile
case_half_object() {
	case_link 2 'ERROR: modpost: "x" undefined!' 'make: *** [Makefile:1: x] Error 2' >/dev/null 2>&1
	touch -d '2 minutes ago' out/walk/x86_64-on/said.*
	touch -d '1 minute ago' out/walk/x86_64-on/.building
	touch out/walk/x86_64-on/half
	CONFIGS=x86_64-on TOPIC=lib harness/bisect-check || echo "ended with $?, left: $(find out/walk/x86_64-on -name half | wc -l)"
}
case_bisect_again() { # What was looked at is not built again
	case_link 0 >/dev/null 2>&1 || return
	printf '#!/bin/sh\nexit 1\n' >bin/make
	CONFIGS=x86_64-on TOPIC=lib harness/bisect-check
}
want=0 prints='^bisect-check: 2 patches, 1 topics alone, 1 configurations, 0 failed$' mutant='harness/bisect-check s/^\t\ttouch "$_key"$/\t\t:/'
try 'bisect-check: what was built before' case_bisect_again
case_bisect_alone() { # Its first patch is in a topic that it does not say it needs
	case_link 0 >/dev/null 2>&1
	mkdir patches/more
	mv $p1 patches/more/
	sed -i "s,^lib/0001,more/0001," patches/series
	printf 'more\t-\tPATCH\t^$\n' >>harness/topics
	sed -i "s/^ 28$/ twenty-eight/" $p2
	CONFIGS=x86_64-on TOPIC=lib harness/bisect-check
}
want=1 prints='NOT OK: lib does not apply alone' mutant='harness/bisect-check s/^\t\t\tnote "NOT OK: $t does not.*/\t\t\t:/'
try 'bisect-check: a topic that does not apply alone' case_bisect_alone
case_build_warns() { # WORD: of what is compiled when the sources have it: ten from the first patch on, thirty from the second
	case_link 0 >/dev/null 2>&1
	rm -rf "$CACHE/checks" out/walk
	sed -i "s,^touch vmlinux.a,grep -q $1 ../tree/file \&\& echo '/src/x.c:1:2: warning: unused';&," bin/make
	CONFIGS=x86_64-on TOPIC=lib harness/bisect-check
}
want=1 prints='^    x.c:1:2: warning: unused$' mutant='harness/bisect-check s/^\tsaid_before "$1" .*/\t: >"$obj\/news"/'
try 'bisect-check: a warning of an object that W=1 is not asked about' case_build_warns thirty
want=1 prints='1 configurations, 2 failed$' mutant='harness/bisect-check s/ $(tgit rev-list "$_of..$1")$//'
try 'bisect-check: a warning is that of the patch that brings it, and of its topic' case_build_warns ten
case_build_warns_again() { case_build_warns thirty >/dev/null 2>&1; CONFIGS=x86_64-on TOPIC=lib harness/bisect-check; }
want=1 prints='^    x.c:1:2: warning: unused$' mutant='harness/bisect-check s/^\tset -- "$_of" $(tgit rev-list .*/\tset -- $(tgit rev-list --all)/'
try 'bisect-check: what failed the run before fails again' case_build_warns_again
want=0 prints='^ended with 1, left: 0$' mutant='harness/bisect-check s/^\t\tdrop_half_made.*/\t\t:/'
try 'bisect-check: half of an object of a run that was killed' case_half_object
want=1 prints='^    ERROR: modpost: "x" .fs.xfs.xfs.ko. undefined' mutant='harness/bisect-check s/build_and_link "$from"/build "$from"/'
try 'bisect-check: a topic that does not link' case_link 2 'ERROR: modpost: "x" [fs/xfs/xfs.ko] undefined!' 'make: *** [Makefile:1: x] Error 2'
prints='^    WARN: resolve_btfids: unresolved symbol x' mutant='harness/bisect-check s/^\t! grep -E .^WARN.* "$obj.log-link" ||/\ttrue ||/'
try 'bisect-check: a topic that warns at the link' case_link 0 'WARN: resolve_btfids: unresolved symbol x'
prints='^    vmlinux.o: warning: objtool: ' mutant='harness/bisect-check s/|\[Ww\]arning: //'
try 'bisect-check: what objtool says of vmlinux' case_link 0 'vmlinux.o: warning: objtool: x+0x1: call to y() with UACCESS enabled'
want=2 prints='no checker nosuch' mutant='harness/static-check s/|| die "no checker.*/|| :/'
case_checker() { harness/static-check nosuch; }
try 'static-check: an unknown checker' case_checker
# A smatch that finds the fault that is planted, and what is in lib/mine.c; a make that runs it
case_smatch() { # host|box|none [SETTING]
	series_setup
	mkdir -p out/tree/lib host box make
	touch out/tree/lib/Makefile
	(cd out/tree && git add lib && git commit -qm 'lib' && git tag -f base >/dev/null &&
	 touch lib/mine.c && git add lib && git commit -qm 'lib: Mine')
	[ "$1" = none ] || cat >"$1/smatch" <<-'EOF'
		#!/bin/sh
		for c; do
			case $c in
			*/fault.c) echo "$c:8 fault() warn: variable dereferenced before check 'p'" ;;
			*/mine.c) echo "$c:1 mine() error: uninitialized symbol" ;;
			esac
		done
	EOF
	cat >make/make <<-'EOF'
		#!/bin/sh
		for a; do case $a in CHECK=*) check=${a#CHECK=} ;; *.o) $check "${a%o}c" ;; esac; done
	EOF
	cat >harness/in-toolbox <<-EOF
		#!/bin/sh
		PATH=$PWD/make:$PWD/box:/usr/bin
		while :; do
			case \$1 in -s | -g) shift 2 ;; -b) [ \$3 != /smatch ] || PATH=\$PATH:\$2; shift 3 ;; *) break ;; esac
		done
		exec "\$@"
	EOF
	printf '#!/bin/sh\n' >harness/walk-config
	cp harness/walk-config harness/doctor
	cp harness/walk-config harness/toolbox
	chmod +x make/make harness/walk-config
	[ "$1" = none ] || chmod +x "$1/smatch"
	sed -i "s, /walk, $PWD/out/walk,g;s,/obj,$PWD/obj,g;s,/src,$PWD/out/walk/tree,g;s,/vmtest/,$PWD/,g" harness/checkers/smatch
	sed -i "s,cd /src,cd out/walk/tree,;s,/vmtest/,$PWD/,g;s,:/smatch,," harness/static-check
	eval "${2-}"
	PATH=$PWD/host:$PATH RANGE=base..HEAD harness/static-check smatch
}
want=1 prints='^    lib/mine.c:1: mine.. error: uninitialized symbol$' mutant='harness/static-check s/^smatch=$(command.*/smatch=/'
try 'static-check: a smatch in PATH' case_smatch host
mutant='harness/checkers/smatch s/^command -v smatch.*/exit 3/'
try 'static-check: a smatch in the tool tree' case_smatch box
said_before='git -C out/tree tag -f base HEAD >/dev/null; echo >>out/tree/lib/mine.c; git -C out/tree commit -qam "lib: More"'
want=0 prints='^static-check: 1 patches, 0 findings, 0 excepted' mutant='harness/static-check s/^\tnews "$work.before".*/\tcp "$work\/after" "$work\/new"/'
try 'static-check: a finding that the parent has' case_smatch host "$said_before"
prints='^static-check: 1 patches, 0 findings, 1 excepted' mutant='harness/static-check s/index($0, text\[i\])/0/'
try 'static-check: an exception' case_smatch host 'echo "smatch | lib/ | uninitialized | it is not" >>harness/checkers/EXCEPTIONS'
want=0 prints='smatch is not present$' mutant='harness/static-check s/^\tif \[ $_rc = 3 \]; then/\tif false; then/'
try 'static-check: no smatch' case_smatch none
prints='0 findings, 0 excepted, 1 checkers absent$' mutant='harness/static-check s/echo $absent | wc -w/echo | wc -w/'
try 'static-check: no smatch, at the end' case_smatch none
case_smatch_later() { case_smatch none >/dev/null && case_smatch_comes; }
case_smatch_comes() { printf '#!/bin/sh\necho "$3:8 fault() warn: dereferenced before check"\n' >box/smatch; chmod +x box/smatch; PATH=$PWD/host:$PATH RANGE=HEAD~1..HEAD harness/static-check smatch; }
want=1 prints='1 findings, 0 excepted, 0 checkers absent$' mutant='harness/static-check s/^\t\trm "$answer.$$"$/\t\techo absent >"$answer"/'
try 'static-check: a smatch that was not there before' case_smatch_later
want=2 prints='smatch does not find the fault' mutant='harness/static-check s/^\t\t\tdie "$c does not find.*/\t\t:/'
try 'static-check: a smatch that finds nothing' case_smatch host 'echo exit >host/smatch'
case_enabled() {
	mkdir -p dir/tests
	printf '#include "%s"\n' part.c tests/kunit.c >dir/whole.c
	echo 'obj-y += whole.o' >dir/Makefile
	: >dir/config
	. harness/enabled.sh
	echo "wanted: $(for o in whole part tests/kunit; do ! enabled dir/config . dir/$o.o || echo $o; done | paste -sd' ')"
}
want=0 prints='^wanted: whole$' mutant='harness/enabled.sh /_b%o}c.*_d"/d'
try 'static-check, bisect-check: what another file includes is no object' case_enabled
mutant='harness/enabled.sh s/_d##\*/_b##*/'
try 'static-check, bisect-check: nor what one of the directory above includes' case_enabled
case_enabled_off() {
	mkdir dir
	printf '%s\n' 'obj-$(CONFIG_ON) += on.o' ' obj-$(CONFIG_OFF) += off.o both_32.o' \
		'obj-y += both_$(BITS).o one_$(BITS).o' >dir/Makefile
	echo CONFIG_ON=y >dir/config
	[ $# = 0 ] || echo CONFIG_64BIT=y >>dir/config
	. harness/enabled.sh
	echo "wanted: $(for o in on off both_32 both_64 one_32 one_64; do
		! enabled dir/config . dir/$o.o || echo $o; done | paste -sd' ')"
}
want=0 prints='^wanted: on both_64 one_64$' mutant='harness/enabled.sh s/\^\[ \\t\]\*obj-\\/^obj-\\/'
try 'static-check, bisect-check: an object that is off, behind a blank' case_enabled_off y
mutant='harness/enabled.sh s/(BITS)/(BYTES)/'
try 'static-check, bisect-check: an object for 64 bits' case_enabled_off y
prints='^wanted: on both_32 one_32$'
try 'static-check, bisect-check: an object for 32 bits' case_enabled_off
case_skipped() {
	mkdir -p scripts/coccinelle
	printf 'virtual report\n@r@\n@@\n' >scripts/coccinelle/plain.cocci
	printf 'virtual report\n@script:ocaml@\n@@\n' >scripts/coccinelle/needs.cocci
	printf '@script:ocaml@\n@@\n' >scripts/coccinelle/other.cocci
	echo "skipped: $(harness/checkers/coccinelle --skipped | paste -sd' ')"
}
want=0 prints='^skipped: scripts/coccinelle/needs.cocci scripts/coccinelle/other.cocci$' mutant='harness/checkers/coccinelle s/mode -L; exit/exit/'
try 'static-check: what coccinelle skips' case_skipped
want=0 prints='^skipped: scripts/coccinelle/needs.cocci' mutant='harness/checkers/coccinelle s/ocaml -l; mode/ocaml -L; mode/'
try 'static-check: what coccinelle skips for want of OCaml' case_skipped
want=2 prints='an exception needs a text and a reason' mutant='harness/static-check s/^\[ -z "$bad" \] || die.*/: \\/'
case_exception() { echo 'sparse | lib/ | warning |' >harness/checkers/EXCEPTIONS; harness/static-check; }
try 'static-check: an exception without a reason' case_exception
