# Git as the harness uses it (sourced after lib.sh): on out/tree, without the
# user's settings, so that the same patches give the same commits and files
# everywhere; and without maintenance, which goes on in the background with the
# locks that the script held.  Whose the directory is, a user's git has been asked before (need_kdir).

tgit() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
	GIT_COMMITTER_NAME=${COMMITTER_NAME:-series} GIT_COMMITTER_EMAIL=${COMMITTER_EMAIL:-series@localhost} \
		git -C "${VMTEST_GIT:-$TREE}" -c core.hooksPath=/dev/null -c core.abbrev=12 -c maintenance.auto=false \
			-c advice.detachedHead=false -c safe.directory='*' -c core.autocrlf=false -c core.safecrlf=false "$@"
}

# KDIR is a clone of the kernel that git knows.
need_kdir() {
	case $KDIR in "~"*) die "KDIR=$KDIR: the shell has left the ~ as it is" "KDIR=\$HOME${KDIR#"~"}" ;; esac
	[ -e "$KDIR/Kbuild" ] && [ -d "$KDIR/kernel/bpf" ] ||
		die "KDIR=$KDIR is not a kernel tree" "KDIR=<a git clone of the kernel>"
	_said=$(LC_ALL=C git -C "$KDIR" rev-parse -q --verify HEAD 2>&1 >/dev/null) || case $_said in
	*"dubious ownership"*) die "KDIR=$KDIR is another user's, and git refuses to read it" \
		"git config --global --add safe.directory $(quote "$(realpath "$KDIR")")" ;;
	*) die "KDIR=$KDIR is not a git repository${_said:+: $_said}" "git init there and commit, or use BASE_DEB=" ;;
	esac
	[ -z "$(git -C "$KDIR" rev-parse --show-cdup)" ] ||
		die "KDIR=$KDIR is a part of another git repository" "git init there and commit, or use BASE_DEB="
}

# Its HEAD is all there is.
need_clean_kdir() {
	need_kdir
	_dirty=$(git -C "$KDIR" --no-optional-locks status --porcelain -uno | head -n 3)
	[ -z "$_dirty" ] || die "KDIR=$KDIR has uncommitted changes: $(on_a_line "$_dirty")" \
		"commit or stash them: git -C $(quote "$KDIR") stash"
}

# need_committed: no work in out/tree that is in no commit
need_committed() {
	_dirty=$(tgit status --porcelain -uno | head -n 3)
	[ -z "$_dirty" ] || die "$TREE has uncommitted changes: $(on_a_line "$_dirty")" "commit them first"
}

# rebasing: is a rebase, or git am, in progress in out/tree?
rebasing() {
	for _d in rebase-merge rebase-apply; do
		[ ! -e "$(tgit rev-parse --path-format=absolute --git-path $_d)" ] || return 0
	done
	return 1
}

# on_a_line LINES: as a message has them
on_a_line() { printf '%s\n' "$1" | sed 's/^ *//' | paste -sd' '; }

need_base_deb() {
	[ -f "$BASE_DEB" ] || die "BASE_DEB=$BASE_DEB: no such file" "BASE_DEB=<a linux-source package>"
}

# entries FILE: what a file as patches/series names
entries() { sed "s/#.*//; s/[ \t]*$//; /^$/d" "$1"; }

# The patches of the series in order, relative to patches/; VMTEST_TOPIC=TOPIC for some.
series() { entries "$PATCHES/series" | grep "^\(${VMTEST_TOPIC:-.*}\)/"; }

# side_tree DIR REV [OPTION]...: a work tree of $TREE for as long as the script runs.
# In this order: of a run that was killed, git still knows the work tree.
side_tree() {
	_dir=$1 _rev=$2
	shift 2
	rm -rf "$_dir"
	tgit worktree prune
	at_exit "rm -rf $(quote "$_dir"); tgit worktree prune"
	tgit worktree add -q --detach "$@" "$_dir" "$_rev"
}

# What out/tree is made from: stored there after apply and export.
series_key() { { tgit rev-parse base; series | while read -r _p; do cat "$PATCHES/$_p"; done; } | sha256sum; }
key_file() { echo "$TREE/.git/vmtest-key"; }

# built_from [FILE]...: what is built when out/tree is as it is now, and the files of this checkout
# that belong to it.  Settings that make less of a run follow.
built_from() {
	cat "$OUT/base.id" 2>/dev/null || :
	tgit rev-parse 'HEAD^{tree}'
	hash "$TOP"/config/* "$H/build-kernel" "$H/kconfig" "$H/lib.sh" "$@"
	[ -z "$(tgit status --porcelain -uno)" ] || echo "uncommitted changes"
}

# tests_from ARCH, figures_from ARCH: what is built, and all that decides what of it is run, and what the
# outcome is taken for
tests_from() {
	# There is none before the first one is recorded.
	_recorded=$TOP/selftests/baseline/$1
	[ -e "$_recorded" ] || _recorded=
	built_from "$TOP"/selftests/lists/* "$TOP"/selftests/nmi/* "$TOP"/selftests/SPLAT* "$TOP/selftests/Makefile" \
		"$TOP/selftests/skipped/$1" ${_recorded:+"$_recorded"} "$H"/guest/* "$H/arch/$1.sh" "$H"/build-selftests* \
		"$H/bpf-subset" "$H/plan" "$H/run-vm" "$H/judge"
}
figures_from() {
	built_from "$TOP/selftests/Makefile" "$TOP"/selftests/bench/list "$TOP"/selftests/bench/*.* "$TOP"/selftests/bench/*/* "$TOP"/selftests/include/* \
		"$H/arch/$1.sh" "$H/run-vm" "$H/bench-report"
}

# archive REV DIR: the files of REV there, as of now: what was built from others is older
archive() {
	{ tgit archive "$1" && touch "$2/.archived"; } | tar -C "$2" -xmf -
	rm "$2/.archived" 2>/dev/null || die "git archive failed" "read what is above; df -h $(quote "$2")"
}

# subject_of FILE: the subject of a patch file, unfolded
subject_of() {
	sed -n '/^Subject: /{s/^Subject: \(\[[^]]*\] \)*//;:a;N;/\n /{s/\n / /;ba;};s/\n.*//;p;q;}' "$1"
}

# Check the base out to out/tree-base, for the kernel without the patches.  Who holds out/tree has
# the same base as all others that do: the first makes it.
base_tree() {
	exec 6>"$OUT/tree-base.lock"
	hold 6 "checks out the base"
	if [ "$(cat "$OUT/tree-base/.base" 2>/dev/null)" != "$(tgit rev-parse base)" ]; then
		note "baseline: checking out the base"
		rm -rf "$OUT/tree-base"
		mkdir "$OUT/tree-base"
		archive base "$OUT/tree-base"
		tgit rev-parse base >"$OUT/tree-base/.base"
	fi
	exec 6>&-
}

# keep_parser DIR: put what judge takes from the tree into DIR/parser, so that out/tree may change
# while a guest runs.
keep_parser() {
	rm -rf "$1/parser.new"
	mkdir -p "$1/parser.new/tools/testing"
	cp -R "$TREE/tools/testing/kunit" "$1/parser.new/tools/testing/"
	rm -rf "$1/parser"
	mv "$1/parser.new" "$1/parser"
}
