# Cases of selfcheck (sourced by tests/run): the series, on a tree of one file

# A base, and patches/ with two patches made by export: made once, and copied into each case.
make_series() {
	cp -R "$work/harness/harness" .
	mkdir patches
	git init -q -b series out/tree
	mkdir -p out/tree/tools/testing/kunit
	seq 1 60 >out/tree/file
	(cd out/tree && git add file && git commit -qm base && git tag base &&
	 sed -i 's/^10$/ten/' file && git commit -qam 'lib: Write ten as a word' &&
	 sed -i 's/^30$/thirty/' file && git commit -qam 'lib: Write thirty as a word')
	echo '# header' >patches/series
	TOPIC=lib harness/export
	# Of the package none
	echo 'package sha256 ' >out/base.id
}
series_setup() {
	[ -d "$work/series" ] || (mkdir "$work/series" && cd "$work/series" && make_series)
	cp -R "$work/series/out" "$work/series/patches" .
	for s in doctor toolbox; do printf '#!/bin/sh\n' >harness/$s; done
}
p1=patches/lib/0001-lib-Write-ten-as-a-word.patch
p2=patches/lib/0002-lib-Write-thirty-as-a-word.patch

case_series() { series_setup && eval "$1" && harness/check-series; }
want=0 prints='2 patches apply as they are' mutant='harness/check-series s/ -x BASE//'
try 'series: sound' case_series :
mutant='harness/git.sh s/^\ttgit worktree prune$/:/'
try 'series: the run before was killed' case_series 'git -C out/tree worktree add -q --detach "$PWD/out/check-series" base'
want=2 prints='not in patches/series: lib/stray.patch' mutant='harness/check-series s/^\[ -z "$odd" \] || die "not in.*/:/'
try 'series: an unlisted patch' case_series 'cp $p1 patches/lib/stray.patch'
want=2 prints='no such file: lib/0003' mutant='harness/check-series s/^\[ -z "$odd" \] || die "in patches.*/: \\/'
try 'series: a listed patch that does not exist' case_series 'echo lib/0003-gone.patch >>patches/series'
want=2 prints='names a patch twice' mutant='harness/check-series s/^\[ -z "$dup".*/:/'
try 'series: a patch listed twice' case_series 'tail -n 1 patches/series >>patches/series.2; cat patches/series.2 >>patches/series; rm patches/series.2'
want=2 prints='0001-lib-Write-ten.* does not apply' mutant='harness/am s/--no-3way/-C1/'
try 'series: a patch that needs fuzz' case_series 'sed -i "s/^ 8$/ eight/" $p1'
want=2 prints='apply and export do not give the same' mutant='harness/check-series s/^diff -r .*/: \\/'
try 'series: a patch that applies at an offset' case_series 'sed -i "s/^@@ -7,7 +7,7 @@.*/@@ -8,7 +8,7 @@/" $p1'
want=2 prints='carries a Signed-off-by' mutant='harness/check-series s/^\t! grep -q .*/: \\/'
try 'series: a sign-off' case_series 'sed -i "s/^---$/Signed-off-by: A B <a@b.example>\n---/" $p1'
want=2 prints='mutants that do not apply to the series: lib-one' mutant='harness/check-series s/tgit apply --check/true/'
try 'series: a mutant that does not apply' case_series 'cp $p1 selftests/mutants/lib-one.patch'
prints='has the topic libb, which harness/topics does not know' mutant='harness/check-series s/^\tone_of "$t".*/\t: \\/'
try 'series: an unknown topic' case_series 'mv patches/lib patches/libb; sed -i s,^lib/,libb/, patches/series'
want=2 prints='a patch is From: ' mutant='harness/check-series s/^\[ -z "$other" \].*/: \\/'
try 'series: another author' case_series 'echo "author Project <p@localhost>" >>patches/BASE'

case_apply() { series_setup && sed -i '/^"$H\/fetch-base"$/d' harness/apply && eval "$1" && harness/apply && git -C out/tree log -1 --format=%s; }
want=0 prints='^lib: Write thirty as a word$' mutant=
try 'apply: nothing changed' case_apply :
mutant='harness/apply s/^\t\[ "$(tgit rev-parse HEAD)" = .*/\t:/'
try 'apply: the tree is at the base' case_apply 'git -C out/tree reset -q --hard base'
want=2 prints='has commits that are not in patches' mutant='harness/apply s/^\t\t\[ -n "$lost" \] || continue$/\t\tcontinue/'
try 'apply: work that was not exported' case_apply 'git -C out/tree commit -q --allow-empty -m mine; echo "# changed" >>patches/series; sed -i "s/ ten/ TEN/" $p1'
mutant='harness/apply s/ refs.heads.series$/ refs\/none/'
try 'apply: work on the branch of the series, and another one checked out' case_apply 'git -C out/tree commit -q --allow-empty -m mine
	git -C out/tree checkout -q --detach HEAD~1; sed -i "s/ ten/ TEN/" $p1'
want=2 prints='a rebase, or git am, is in progress in' mutant='harness/apply s/^\t! rebasing || die.*/\t: \\/'
try 'apply: in the middle of a rebase' case_apply 'mkdir out/tree/.git/rebase-merge; sed -i "s/ ten/ TEN/" $p1'
want=2 prints='has uncommitted changes' mutant='harness/apply s/^\t\[ -z "$dirty" \] || die.*/: \\/'
try 'apply: uncommitted changes' case_apply 'echo x >>out/tree/file; sed -i "s/ ten/ TEN/" $p1'
want=0 prints='^lib: Write thirty as a word$' mutant='harness/apply s/\[ -z "${FORCE-}" \] && //'
try 'apply: FORCE=1' case_apply 'echo x >>out/tree/file; sed -i "s/ ten/ TEN/" $p1; export FORCE=1'
case_apply_own() { # A repository in the tree is not the harness's to remove
	git init -q out/own && git -C out/own commit -q --allow-empty -m own
	FORCE=1 case_apply 'mv out/own out/tree/own' && ls -d out/tree/own
}
prints='^out/tree/own$' mutant='harness/apply s/{ apply; unset FORCE; }/{ apply; tries=x${tries-}; [ ${#tries} -lt 5 ] || exit 1; }/'
try 'apply: FORCE=1, and a repository in the tree' case_apply_own
prints='^in file: 0$' mutant='harness/apply s/^\t{ \[ -z "${FORCE-}" \] || .*/\t:/'
case_apply_force() { FORCE=1 case_apply 'echo x >>out/tree/file' && echo "in file: $(grep -c x out/tree/file)"; }
try 'apply: FORCE=1, and the series is that of before' case_apply_force
prints='has changes that are in no commit: M file' mutant='harness/apply s/^\t\t\[ -z "$dirty" \] || note.*//'
try 'apply: nothing changed but the tree' case_apply 'echo x >>out/tree/file'
want=2 prints='patches/series names no patch' mutant='harness/am s/^\[ $# -gt 0 \] || die.*//'
try 'apply: a series without patches' case_apply 'git -C out/tree reset -q --hard base; echo "# none" >patches/series; exec </dev/null'
prints='^Usage: apply' mutant='harness/apply s/^takes .*//'
case_apply_option() { case_apply : >/dev/null && harness/apply --chek-saved; }
try 'apply: an unknown option' case_apply_option
prints='^Usage: get-maintainer' mutant='harness/get-maintainer s/^takes .*//'
case_get_maintainer() { harness/get-maintainer --form; }
try 'get-maintainer: an unknown option' case_get_maintainer
prints='no such fault: pannic' mutant='harness/faults s/|| die "no such fault.*/|| die no/'
case_faults() { harness/faults panic pannic; }
try 'faults: an unknown name' case_faults

case_apply_late() { # Work that came while the patches were applied
	case_apply "mv harness/am harness/am2; printf '%s\n' '#!/bin/sh' '$1' 'exec \"\$0\"2 \"\$@\"' >harness/am; chmod +x harness/am; sed -i 's/ ten/ TEN/' $p1"
}
want=2 prints='has commits that are not in patches' mutant='harness/apply /^\t# Somebody may/,+1d'
try 'apply: work that came meanwhile' case_apply_late 'git -C out/tree commit -q --allow-empty -m late'

case_left_alone() {
	series_setup
	sed -i '/^"$H\/fetch-base"$/d' harness/apply
	before=$(git -C out/tree rev-parse HEAD)
	sed -i 's/^ 28$/ nope/' $p2
	! harness/apply && [ "$before" = "$(git -C out/tree rev-parse HEAD)" ] && git -C out/tree status --porcelain && echo alone
}
want=0 prints='^alone$' mutant='harness/apply s/^\t"$H.am" "$side"/tgit checkout -q -f base; &/'
try 'apply: a failure leaves the tree as it was' case_left_alone

try_export() { # NAME WHAT-IT-SAYS MUTANT SETTING
	want=2 prints=$2 mutant="harness/export $3"
	try "export: $1" case_export "$4"
}
case_export() { series_setup && (cd out/tree && eval "$1") && harness/export; }
want=2 prints='TOPIC=libb is unknown' mutant='harness/export s/^\[ -z "${TOPIC-}" \] || need_topic//'
case_export_topic() { series_setup && TOPIC=libb harness/export; }
try 'export: an unknown topic' case_export_topic
try_export 'uncommitted changes' 'has uncommitted changes' 's/^need_committed$/:/' 'echo x >>file'
try_export 'another history' 'does not descend from the tag base' 's/^tgit merge-base .*/:/' \
	'git checkout -q --orphan other && git commit -qm other'
try_export 'in the middle of a rebase' 'a rebase is in progress' 's/^! rebasing || die.*//' 'mkdir .git/rebase-merge'
try_export 'nothing above the base' 'has no commit above base' 's/^\[ -n "$(tgit rev-list base.*/:/' 'git reset -q --hard base'
try_export 'a merge' 'has merge commits above base' 's/^\[ -z "$(tgit rev-list --merges .*/: \\/' \
	'git checkout -q -b side base && git commit -q --allow-empty -m side && git checkout -q series && git merge -q --no-edit side'

mutant='harness/export s/^\t\t\tif (of\[i\] == "" \&\& .behind.*/if (of[i] == "")/'
prints='no topic for the new commit "lib: Write 30' 
case_between() { # A new subject between two topics
	series_setup
	printf 'lib\t-\tPATCH\t^$\nother\t-\tPATCH\t^$\n' >harness/topics
	(cd out/tree && git commit -q --allow-empty -m 'lib: More' && echo x >x && git add x && git commit -q --amend --no-edit) && TOPIC=other harness/export >/dev/null &&
	git -C out/tree reset -q --hard HEAD~1 && git -C out/tree commit -q --amend -m 'lib: Write 30' &&
	git -C out/tree cherry-pick ORIG_HEAD >/dev/null && (unset TOPIC; harness/export)
}
try 'export: a new subject between two topics' case_between
prints='is not what .* was made from, and would be lost' mutant='harness/export s/^\[ "$dest" != "$PATCHES" \] || \[ -n "${FORCE-}" \] .*/: ||/'
case_newer() { # Patches of a pull
	case_apply : >/dev/null && sed -i 's/ ten/ TEN/' $p1 && harness/export
}
try 'export: patches that are newer than the tree' case_newer
case_export_stopped() { # At a moment in which some patches are moved
	series_setup
	rm -f out/tree/.git/vmtest-key
	mkdir bin
	printf '%s\n' '#!/bin/sh' 'kill -TERM $PPID' '/usr/bin/mv "$@"' >bin/mv
	chmod +x bin/mv
	git -C out/tree commit -q --amend -m "lib: Write 30 as a word"
	TOPIC=lib PATH=$PWD/bin:$PATH harness/export || :
	grep -v '^#' patches/series | while read -r p; do ls "patches/$p"; done
	ls patches/lib | wc -l
}
want=0 prints='^patches/lib/0002-lib-Write-30-as-a-word.patch$' mutant="harness/export s/^trap '' .*//"
try 'export: a signal at the wrong moment' case_export_stopped
prints='^2$' mutant='harness/export s/rm -f "$dest.$p"/:/'
try 'export: a patch of another name replaces the one of before' case_export_stopped
case_export_full() { # The disk, at the second patch
	series_setup
	rm -f out/tree/.git/vmtest-key
	mkdir bin
	printf '%s\n' '#!/bin/sh' 'case "$*" in *format-patch*--start-number=2*) echo full >&2; exit 128 ;; esac' 'exec /usr/bin/git "$@"' >bin/git
	chmod +x bin/git
	! PATH=$PWD/bin:$PATH harness/export && [ -e $p1 ] && [ -e $p2 ] && [ "$(ls patches | wc -l)" = "$1" ] && echo "as it was"
}
want=0 prints='^as it was$' mutant='harness/export s/^at_exit "rm -rf $(quote "$new")"//'
try 'export: a disk that is full' case_export_full 3

case_clean() { series_setup && git -C out/tree commit -q --allow-empty -m mine && mkdir out/x && harness/clean $1; }
want=2 prints='has commits that are not in patches' mutant='harness/clean s/"$H.apply" --check-saved/:/'
try 'clean: all, and work that was not exported' case_clean --all
case_saved() { series_setup && (cd out/tree && git config user.name t && git config user.email t@localhost && eval "$1") && harness/apply --check-saved; }
mutant='harness/apply s/ refs.heads refs.tags/ refs\/tags/'
try 'clean: all, and a branch that was not exported' case_saved 'git checkout -q -b mine && git commit -q --allow-empty -m mine && git checkout -q series'
case_exported() { # What was exported, and replaced since
	case_saved 'git commit -q --allow-empty -m "lib: More" && echo x >x && git add x && git commit -q --amend --no-edit &&
		(cd ../.. && TOPIC=lib harness/export) && git branch before && git commit -q --amend -m "lib: Less" && (cd ../.. && TOPIC=lib harness/export)'
}
want=0 prints= mutant='harness/apply s/ --not $was "$saved" base/ --not "$saved" base/'
try 'clean: all, and a branch of what was exported' case_exported
want=2 prints='has commits that are not in patches'
mutant='harness/apply s/ refs.stash$//'
try 'clean: all, and a stash' case_saved 'echo x >>file && git stash -q'
mutant='harness/apply s/ refs.tags / /'
try 'clean: all, and a tag that was not exported' case_saved 'git commit -q --allow-empty -m mine && git tag mine && git reset -q --hard HEAD~1'
prints='has files that are in no commit: 0001-mine.patch' mutant='harness/apply s/| head -n 3)$/| head -n 0)/'
try 'clean: all, and a patch that git ignores' case_saved 'echo "*.patch" >.gitignore && git add -f .gitignore && git commit -qm "lib: Ignore" && (cd ../.. && TOPIC=lib harness/export) && echo x >0001-mine.patch'
want=0 prints= mutant='harness/apply /^\t\tcase $ref in refs.tags/d'
try 'clean: all, and a version that mbox has tagged' case_saved 'git tag lib-v1 $(git commit-tree -m "lib: Less" -p base base^{tree})'
case_clean_keeps() { case_clean '' && git -C out/tree log -1 --format=%s && ls out; }
want=0 prints='^mine$' mutant='harness/clean s/^\t"$TREE" | /\t/'
try 'clean: out/tree is kept' case_clean_keeps
case_clean_baseline() { series_setup && mkdir out/baseline && harness/clean && ls out; }
prints='^baseline$' mutant='harness/clean s/"$OUT.baseline" | //'
try 'clean: a baseline that was recorded is kept' case_clean_baseline

# A user's clone: the same base, nothing of the harness.
user_clone() {
	series_setup
	git clone -q out/tree kdir
	git -C kdir checkout -q -B mine origin/series~2
	mkdir -p kdir/kernel/bpf
	touch kdir/Kbuild kdir/kernel/bpf/core.c
	git -C kdir add .
	git -C kdir commit -qm 'kernel tree'
	git -C kdir config user.name Somebody
	before=$(git -C kdir rev-parse HEAD)
}
case_am() { user_clone >/dev/null && eval "$1" && KDIR=kdir harness/am && git -C kdir log -1 --format='%cn: %s'; }
unset_names='unset GIT_COMMITTER_NAME'
want=0 prints='^Somebody: lib: Write thirty' mutant='harness/am s/^\tCOMMITTER_NAME=.*//'
try 'am: onto a clone' case_am "$unset_names"
case_am_owner() { # A clone of another user, which this one trusts
	case_am "$unset_names"'; printf "[safe]\n\tdirectory = *\n" >safe; export GIT_CONFIG_GLOBAL=$PWD/safe GIT_TEST_ASSUME_DIFFERENT_OWNER=1'
}
mutant="harness/git.sh s/ -c safe.directory='.'//"
try 'am: onto a clone of another user' case_am_owner
want=2 prints='is not clean: M Kbuild' mutant='harness/am s/^\t\[ -z "$dirty" \] || die.*/:/'
try 'am: a clone that is not clean' case_am 'echo x >kdir/Kbuild'
want=2 prints='is in the middle of something .rebase-apply' mutant='harness/am s/^\tfor state in .*/\tfor state in; do/'
try 'am: a clone in the middle of a rebase' case_am 'mkdir kdir/.git/rebase-apply'
case_am_back() {
	user_clone >/dev/null
	sed -i 's/^ 28$/ nope/' $p2
	KDIR=kdir harness/am || rc=$?
	[ "$before" = "$(git -C kdir rev-parse HEAD)" ] && [ -z "$(git -C kdir status --porcelain)" ] &&
		[ "$(git -C kdir symbolic-ref --short HEAD)" = mine ] && [ ! -e kdir/.git/rebase-apply ] && echo "as it was"
	return $rc
}
want=2 prints='^as it was$' mutant='harness/am s/tgit reset -q --keep "$start"//'
try 'am: a failure leaves the clone as it was' case_am_back
want=2 prints='^    @@ -27,7' mutant='harness/am s/^\t\thunk .*//'
try 'am: a failure names the patch and shows the hunk' case_am_back
case_am_twice() { user_clone >/dev/null && KDIR=kdir harness/am && KDIR=kdir harness/am; }
want=2 prints='the series seems to be on this tree$' mutant='harness/am s/--check --reverse "$last"/--check "$last"/'
try 'am: the series is there already' case_am_twice
case_am_hints() { case_am_back 2>&1 | grep -c 'git am --continue'; }
want=1 prints='^0$' mutant="harness/am s/grep -v '[^']*'/cat/"
try 'am: nothing is said of going on with what was aborted' case_am_hints

# check-quilt, without a tool tree in the tool tree
case_quilt() { # SETTING
	series_setup >/dev/null
	eval "$1"
	sed -i '/^part "$H\/apply"$/d' harness/check-quilt
	printf '%s\n' '#!/bin/sh' 'exec sh -c "$(echo "$8" | sed "s,/src,$2,;s,/patches,$4,;s,/tmp/pc,$2.pc,")"' >harness/in-toolbox
	harness/check-quilt
}
want=0 prints='2 patches, the same files as git am' mutant=
try 'quilt: a series' case_quilt :
want=2 prints='quilt push -a stops' mutant='harness/check-quilt s/^\tdie "quilt push -a stops.*/:/'
try 'quilt: a patch that git made for git' case_quilt \
	'printf "\\000" >out/tree/b; git -C out/tree add b; git -C out/tree commit -qm "lib: Add a blob"; TOPIC=lib harness/export'
want=2 prints='gives other files than git am' mutant='harness/check-quilt s/|| die "quilt push -a gives other.*/|| :/'
try 'quilt: the tree has what the patches lack' case_quilt 'echo more >>out/tree/file; git -C out/tree commit -qam more'
