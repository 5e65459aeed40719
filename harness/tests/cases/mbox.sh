# Cases of selfcheck (sourced by tests/run): the mail thread of a topic, on a tree of one file

# Two patches and a cover letter; addresses are made up, all else is real.
case_mbox() {
	series_setup
	sed -i '/^"$H\/fetch-base"$/d' harness/apply
	printf 'lib\t-\tPATCH lib-next\t^lib/\n' >harness/topics
	printf '#!/bin/sh\necho "A Maintainer <${1#--}@kernel.dev>"\n' >harness/get-maintainer
	printf 'Subject: [PATCH] lib: Write numbers as words\n\nText.\n\n@results@\n@benchmarks@\n' >patches/lib/0000-cover-letter.patch
	export GIT_COMMITTER_NAME='Ann Author' GIT_COMMITTER_EMAIL=ann@author.dev TOPIC=lib
	eval "$1"
	harness/mbox
}
want=0 prints='git am gives the same tree' mutant=
try 'mbox: a thread' case_mbox :
thread=out/mbox/lib
want=0 prints='^signed$' mutant='harness/mbox s/^set -- "$@" --trailer.*//'
case_mbox_signed() { case_mbox : && grep -qx 'Signed-off-by: Ann Author <ann@author.dev>' $thread/0001-*.patch && echo signed; }
try 'mbox: the sign-off of the submitter' case_mbox_signed
case_mbox_trailers() { # As make passes them on
	case_mbox : >/dev/null && make mbox FORCE=1 TRAILERS='Assisted-by: LLM $sparse; Link: https://x.dev/$y/z' && cat $thread/0002-*.patch
}
want=0 prints='^Assisted-by: LLM .sparse$' mutant='harness/mbox s/^\tset -- "$@" --trailer.*//'
try 'mbox: a trailer' case_mbox_trailers
want=0 prints='^Link: https://x.dev/.y/z$' mutant='Makefile s/ TRAILERS,/,/'
try 'mbox: a trailer with what make has a meaning for' case_mbox_trailers
want=0 prints= mutant='harness/mbox s/^\t! placeholder "$an".*//'
case_mbox_author() { case_mbox : && ! grep '^From: t <t@localhost>' $thread/0002-*.patch; }
try 'mbox: a patch whose author is a placeholder becomes one of the submitter' case_mbox_author
mbox_base() { # TOPIC: of a base that others have, and of one more topic
	case_mbox "printf '#!/bin/sh\n' >harness/fetch-base; echo commit 1234567890ab >out/base.id
		printf 'two\tlib\tPATCH\t^$\n' >>harness/topics; cp -R patches/lib patches/two; rm patches/two/0001* patches/lib/0002*
		sed -i 2,3d patches/series; printf '%s\n' lib/${p1##*/} two/${p2##*/} >>patches/series; TOPIC=$1" && cat out/mbox/$1/0000-*
}
want=0 prints='^base-commit: 1234567890ab$' mutant='harness/mbox s/^\tcommit\\ \*) .*/\tcommit\\ *) ;;/'
try 'mbox: base-commit of a base that others have' mbox_base lib
case_mbox_no_base() { mbox_base two >log && ! grep '^base-commit' log; }
prints= mutant='harness/mbox s/\[ "$from" != "$(tgit rev-parse base)" \] || //'
try 'mbox: no base-commit of a topic on top of another' case_mbox_no_base
want=2 prints='ended with 128, before there was a verdict' mutant='harness/walk.sh s/^\tat_exit no_verdict$//'
try 'mbox: a tool that fails' case_mbox 'printf "#!/bin/sh\nexit 128\n" >harness/apply'
case_mbox_killed() { case_mbox : && touch out/tree/.git/worktrees/tree/index.lock && FORCE=1 harness/mbox; }
want=0 prints='git am gives the same tree' mutant='harness/walk.sh s/^\trm -f "$(VMTEST_GIT.*//'
try 'mbox: the run before was killed' case_mbox_killed
want=0 prints='^headers$' mutant='harness/mbox s/^for kind in to cc/for kind in to/'
case_mbox_headers() { case_mbox : && grep -q '^Cc: A Maintainer <cc@kernel.dev>' $thread/0002-*.patch && grep -q '^Subject: .PATCH lib-next 0/2. lib: Write numbers as words' $thread/0000-* && echo headers; }
try 'mbox: Cc and subject' case_mbox_headers
case_mbox_ampersand() { case_mbox "sed -i '1s/lib: .*/lib: A \\& B \\\\n/' patches/lib/0000*" && head -9 $thread/0000-*; }
want=0 prints='^Subject: .PATCH lib-next 0/2. lib: A & B .n$' mutant='harness/mbox s/ENVIRON\["SUBJECT"\]/"x"/'
try 'mbox: a subject with an ampersand' case_mbox_ampersand
want=2 prints='is a placeholder' mutant='harness/mbox s/^! placeholder "$name".*/: \\/'
for who in 'A B:maintainers@users.noreply.host.example' 'root:root@host.dev' 'A B:a@localhost' 'Your Name:you@there.dev' \
	'A B:nobody' 'A B:test@test.com' 'Ubuntu:ubuntu@ip-10-0-0-1.ec2.internal' 'A B:your.email@company.com' \
	'YOUR NAME:a@there.dev' 'Unknown:a@there.dev' 'A B:email@domain.com' 'A B:changeme@there.dev'; do
	try "mbox: a placeholder, $who" case_mbox "GIT_COMMITTER_NAME='${who%:*}' GIT_COMMITTER_EMAIL='${who#*:}'"
done
want=2 prints='has a Signed-off-by' mutant='harness/mbox s/^\t\[Ss\]igned-off-by:.*//'
try 'mbox: the sign-off of someone else' case_mbox "export TRAILERS='Signed-off-by: C D <c@d.dev>'"
want=2 prints='TRAILERS has a line break' mutant='harness/mbox s/^"\*) die "TRAILERS has a line break.*/"*) ;;/'
try 'mbox: two trailers without a separator' case_mbox "export TRAILERS='Acked-by: A B <a@b.dev>
Signed-off-by: C D <c@d.dev>'"
want=2 prints='is not a trailer' mutant='harness/mbox s/^\t\tdie "TRAILERS: .*/: \\/'
try 'mbox: no trailer' case_mbox "export TRAILERS='thanks to C D'"
want=2 prints='TOPIC=nosuch is unknown' mutant='harness/lib.sh s/|| die "TOPIC=$TOPIC is unknown.*/|| :/'
try 'mbox: TOPIC=nosuch' case_mbox 'TOPIC=nosuch'
prints='TOPIC=lib two is unknown' mutant='harness/lib.sh s/^\tfor _w; do \[ "$_w" != "$_word" \].*/\tcase " $* " in *" $_word "*) return ;; esac/'
try 'mbox: two topics' case_mbox 'printf "two\t-\tPATCH\t^$\n" >>harness/topics; TOPIC="lib two"'
want=2 prints='TOPIC is not set' mutant='harness/lib.sh s/|| die "TOPIC is not set.*/|| :/'
try 'mbox: no TOPIC' case_mbox 'unset TOPIC'
want=2 prints='nobody to send it to .to.' mutant='harness/mbox s/^\t\tdie "nobody to send.*/\t\t:/'
try 'mbox: get_maintainer fails' case_mbox 'printf "#!/bin/sh\nexit 1\n" >harness/get-maintainer'
try 'mbox: get_maintainer names nobody' case_mbox 'printf "#!/bin/sh\n" >harness/get-maintainer'
want=2 prints='there is a v1 of other patches' mutant='harness/mbox s/^\tdie "there is a v$V.*/\t:/'
case_mbox_again() { case_mbox : && sed -i 's/^+ten$/+Ten/' $p1 && harness/mbox; }
try 'mbox: a version that was made of other patches' case_mbox_again
mutant='harness/mbox s/%B%T/%T/'
case_mbox_other_words() { case_mbox : && sed -i 's/^Subject: .*/&, again/' $p1 && harness/mbox; }
try 'mbox: a version with other messages' case_mbox_other_words
want=0 prints='git am gives the same tree' mutant='harness/mbox s/ || \[ -n "${FORCE-}" \] ||$/ ||/'
case_mbox_force() { case_mbox : >/dev/null && sed -i 's/^+ten$/+Ten/' $p1 && FORCE=1 harness/mbox; }
try 'mbox: FORCE=1' case_mbox_force
want=2 prints='lib was edited since it was made' mutant='harness/mbox s/^\tdie "the thread in .*/\t: \\/'
case_mbox_edited() { case_mbox : >/dev/null && sed -i 's/^Signed-off-by:/Acked-by: A B <a@b.dev>\n&/' $thread/0001-* && harness/mbox; }
try 'mbox: a thread that was edited' case_mbox_edited
want=2 prints='has uncommitted changes' mutant='harness/walk.sh s/env -u FORCE//'
try 'mbox: FORCE=1 throws no work away' case_mbox 'echo x >>out/tree/file; sed -i "s/^+ten$/+Ten/" $p1; export FORCE=1'
want=2 prints='V=two is no number' mutant='harness/mbox /^numbers V/d'
try 'mbox: V=two' case_mbox 'export V=two'
prints='V=99999999999999999999 is no number'
try 'mbox: V beyond all numbers' case_mbox 'export V=99999999999999999999'
want=2 prints='there is no patches/lib/0000-cover' mutant='harness/mbox s/|| die "there is no ${cover#.*/|| :/'
try 'mbox: no cover letter' case_mbox 'rm patches/lib/0000*'
want=2 prints='0000-cover-letter.patch has no Subject' mutant='harness/mbox s/|| die "${cover#.*/|| :/'
try 'mbox: a cover letter without a subject' case_mbox 'sed -i 1d patches/lib/0000*'
want=2 prints='git does not know who you are' mutant='harness/mbox s/^\tdie "git does not know.*/\tident=/'
try 'mbox: nobody submits it' case_mbox 'unset GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL'
want=2 prints='there is no tag lib-v1' mutant='harness/mbox s/^\t\tdie "there is no tag.*/\t\t:/'
try 'mbox: V=2 without V=1' case_mbox 'export V=2'
want=2 prints='gives another tree' mutant='harness/mbox s/^\tdie "git am of .*/\t:/'
try 'mbox: a thread that is not what was tested' case_mbox 'sed -i "/^side=/i sed -i s/+ten/+TEN/ \$dir.mbox" harness/mbox'

want=0 prints='^nothing left$' mutant='harness/mbox /^at_exit unproven$/d'
case_mbox_unproven() { case_mbox 'sed -i "/^side=/i : >\$dir.mbox" harness/mbox' || [ -e $thread ] || [ -e $thread.mbox ] || echo nothing left; }
try 'mbox: a thread that git am does not take is removed' case_mbox_unproven
want=0 prints='^Cc: A Maintainer <cc@kernel.dev>, Joann Author <joann@author.dev>$' mutant='harness/mbox s/a != tolower(own)/!index(a, own)/'
case_mbox_people() {
	case_mbox 'printf "%s\n" "echo \"Ann Author <Ann@author.dev>\"" "[ \$1 = --to ] || echo \"Joann Author <joann@author.dev>\"" >>harness/get-maintainer'
	cat $thread/0001-* | sed -n '/^Cc: /{:a;N;/\n /{s/\n */ /;ba;};s/\n.*//p;q;}'
}
try 'mbox: an address that ends with that of the submitter' case_mbox_people
# What a run of all tests has left, and figures; sed changes both.
case_mbox_results() { # SED [AFTER-IT [BEFORE-IT]]
	case_mbox "$(cat <<-EOF
		printf '#!/bin/sh\\nexec "\$@"\\n' >harness/in-toolbox
		mkdir -p out/x86_64-default/results out/bench
		printf '%s\\n' '{"passed": 1, "failed": 0, "skipped": 0, "splats": 0, "end": "off", "errors": [], "whole": true,' \
			'"tests": [{"name": "bpf:a"}]}' | sed '$1' >out/x86_64-default/results/summary.json
		echo '[{"name": "lib/words", "unit": "instructions", "base": 3, "series": 2, "ratio": 0.667},' \
			'{"name": "lib/signs", "unit": "instructions", "base": null, "series": 2, "ratio": null, "reason": "base: none"}]' >out/bench/x86_64.json
	EOF
	)" || return
	eval "${3-}"
	sh -euc '. harness/lib.sh; . harness/git.sh; tests_from x86_64' harness/sh >out/x86_64-default/results/built-from
	sh -euc '. harness/lib.sh; . harness/git.sh; figures_from x86_64' harness/sh >out/bench/x86_64.built-from
	eval "${2-}"
	harness/mbox && cat $thread/0000-*
}
want=0 prints='^  x86_64: 1 passed, 0 failed, 0 skipped, 0 kernel splats .bpf 1.$' mutant='harness/mbox s/^\t@results@) results ;;//'
try 'mbox: results' case_mbox_results ''
prints='^  lib/words +instructions +3 +2 +0.667$' mutant='harness/mbox s/^\t@benchmarks@) benchmarks ;;//'
try 'mbox: benchmarks' case_mbox_results ''
prints='^  lib/signs +instructions +- +2 +-  base: none$' mutant='harness/mbox s/if .reason then/if false then/'
try 'mbox: a feature that the base lacks' case_mbox_results ''
prints='warning: the last run on x86_64 was not of all tests, or did not pass' mutant='harness/mbox s/select(.whole and/select(/'
try 'mbox: results of some tests' case_mbox_results 's/"whole": true/"whole": false/'
try 'mbox: results of a run that did not say what it was' case_mbox_results 's/, "whole": true//'
mutant='harness/mbox s/ and .failed == 0 / /'
try 'mbox: results of a run that failed' case_mbox_results 's/"failed": 0/"failed": 1/'
mutant='harness/mbox s/ and .splats == 0 / /'
try 'mbox: results of a run with a splat' case_mbox_results 's/"splats": 0/"splats": 1/'
mutant='harness/mbox s/ and .errors == \[\] / /'
try 'mbox: results that are not complete' case_mbox_results 's/"errors": \[/&"no result stream"/'
mutant='harness/mbox s/ and .end == "off")/)/'
try 'mbox: results of a guest that hung' case_mbox_results 's/"off"/"silence"/'
prints='^  x86_64: no results$' mutant='harness/mbox s/^\tcmp -s "$3".*/\treturn 0/'
try 'mbox: results of other patches' case_mbox_results '' 'echo more >>out/x86_64-default/results/built-from'
prints='^  x86_64: no figures$'
try 'mbox: benchmarks of other patches' case_mbox_results '' 'echo more >>out/bench/x86_64.built-from'
prints='^  x86_64: no results$' mutant='harness/git.sh s/echo "uncommitted changes"/:/'
try 'mbox: results, and then the tree was changed' case_mbox_results '' 'echo x >>out/tree/file'
mutant='harness/git.sh s, "$TOP"/selftests/lists/\*,,'
try 'mbox: results, and then a list was changed' case_mbox_results '' 'echo "# x" >>selftests/lists/bpf'
prints='^  x86_64: no figures$' mutant='harness/git.sh s, "$TOP"/selftests/bench/\*/\*,,'
try 'mbox: benchmarks, and then their module was changed' case_mbox_results '' 'echo "/* x */" >>selftests/bench/chain/vmtest_chain.c'
prints='^  x86_64: no results$' mutant='harness/mbox s/ \&\& ! grep -qx .uncommitted changes. "$3"//'
try 'mbox: results of a tree with changes, which it still has' case_mbox_results '' '' 'echo x >>out/tree/file'
prints='warning: the results of x86_64 are of other patches' mutant='harness/mbox s/^\tnote "warning: the $1 of $2 are of other.*//'
try 'mbox: results of other patches are named' case_mbox_results '' 'echo more >>out/x86_64-default/results/built-from'

case_version_2() {
	case_mbox : && sed -i 's/^+ten$/+Ten/' $p1 && V=2 harness/mbox && eval "$1" && harness/range-diff
}
want=0 prints='^1: .* ! 1: ' mutant='harness/range-diff s/"$from..$tip"/"$TOPIC-v$V-base..$TOPIC-v$V"/'
try 'range-diff: against a version' case_version_2 'export V=1'
want=0 prints='^1: .* = 1: ' mutant='harness/range-diff s/^V=.*/V=${V:-1}/'
try 'range-diff: against the last version' case_version_2 :
want=2 prints='there is no lib-v7 to compare with' mutant='harness/range-diff s/^\tdie "there is no.*/: \\/'
try 'range-diff: a version that was not made' case_version_2 'export V=7'
prints='V=1-base is no number' mutant='harness/range-diff s/^numbers V$//'
try 'range-diff: what is no version' case_version_2 'export V=1-base'
want=2 prints='no version of lib has been made yet' mutant='harness/range-diff s/^\[ -n "$V" \] || die.*/:/'
case_no_version() {
	series_setup
	sed -i '/^"$H\/fetch-base"$/d' harness/apply
	printf 'lib\t-\tPATCH\t^$\n' >harness/topics
	TOPIC=lib harness/range-diff
}
try 'range-diff: no version was made' case_no_version
want=0 prints='^Range-diff against v1' mutant='harness/mbox s/^\t\techo "Range-diff.*//'
case_cover() { case_version_2 : >/dev/null && cat $thread/v2-0000-*; }
try 'mbox: V=2 has a range-diff' case_cover
want=0 prints='^kept$' mutant="harness/export s/^trap '' INT.*/rm -f \"\$dest\"\/*\/0*/"
case_cover_kept() { case_mbox : && harness/export && [ -e patches/lib/0000-cover-letter.patch ] && harness/check-series && echo kept; }
try 'export: cover letters stay' case_cover_kept
