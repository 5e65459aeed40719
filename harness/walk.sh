# Going through the commits of the series one by one, in a work tree and with
# build directories of their own under out/walk (sourced after lib.sh, git.sh).

WALK=$OUT/walk

# One walk at a time.  Sets $box and $inputs, which stand for what builds and how.
walk_begin() {
	at_exit no_verdict
	mkdir -p "$WALK" "$CACHE/checks"
	exec 8>"$WALK/lock"
	flock -n 8 || die "another check works in ${WALK#"$TOP"/}" "wait for it to end"
	# FORCE of mbox is not that of apply.
	[ -n "${RANGE-}" ] || part env -u FORCE "$H/apply"
	tgit rev-parse -q --verify base >/dev/null || die "$TREE has no tag base" "make apply"
	if ! VMTEST_GIT=$WALK/tree tgit rev-parse -q --verify base >/dev/null 2>&1; then
		rm -rf "$WALK/tree"
		tgit worktree prune
		tgit worktree add -q --detach "$WALK/tree" base
	fi
	# What a run that was killed has left: nobody else works in this tree.
	rm -f "$(VMTEST_GIT=$WALK/tree tgit rev-parse --path-format=absolute --git-path index.lock)"
	VMTEST_GIT=$WALK/tree tgit am --abort >/dev/null 2>&1 || :
	box=$(basename "$(toolbox_dir)")
	# All that the configurations are made from: the fragments of walk-config, not those of variants.
	set -- "$TOP/config/common.config" "$TOP/config/walk.config"
	for _f in "$H"/arch/*.sh; do
		_f=$TOP/config/$(basename "$_f" .sh).config
		[ ! -e "$_f" ] || set -- "$@" "$_f"
	done
	inputs=$(hash "$H/walk-config" "$H/kconfig" "$H/enabled.sh" "$H/sparse.sh" "$H/walk.sh" "$H"/arch/*.sh "$@")
}

# walk_to COMMIT: only files that differ are touched, so that make sees what changed.
walk_to() { VMTEST_GIT=$WALK/tree tgit checkout -q -f --detach "$1"; }

# in_walk [OPTION-OF-in-toolbox]... CMD: with the work tree at /src and out/walk at /walk.
in_walk() {
	"$H/in-toolbox" -s "$WALK/tree" -g "$WALK/tree" -b "$WALK" /walk "$@"
}

# The commits to look at, oldest first: RANGE=REV..REV of out/tree, TOPIC=name,
# or the whole series.
walk_commits() {
	if [ -n "${RANGE-}" ]; then
		[ -z "${TOPIC-}" ] || die "RANGE=$RANGE and TOPIC=$TOPIC are both set" "use one of them"
		_tip=$(tgit rev-parse -q --verify "${RANGE##*..}^{commit}") &&
		_from=$(tgit rev-parse -q --verify "${RANGE%%..*}^{commit}") && [ "$RANGE" != "${RANGE%..*}" ] ||
			die "RANGE=$RANGE is not a range of $TREE" "RANGE=REV..REV, such as base..HEAD or HEAD~2..HEAD"
		[ "$(tgit rev-list --count "$_from..$_tip")" -gt 0 ] ||
			die "RANGE=$RANGE has no commits" "RANGE=REV..REV, the older one first"
		tgit rev-list --reverse "$_from..$_tip"
	else
		{ series; tgit rev-list --reverse base..HEAD; } | awk -v topic="${TOPIC-}" -v n="$(series | wc -l)" '
			NR <= n { sub(/\/.*/, ""); of[NR] = $0; next }
			topic == "" || of[NR - n] == topic'
	fi
}

# remember WORD...: the file of the cache that stands for these words, this base and these tools
remember() { echo "$CACHE/checks/$(printf '%s\n' "$box" "$(tgit rev-parse base)" "$@" | sha256sum | cut -c 1-40)"; }

# For awk: k is what is said, whatever the line numbers, and by how much a string is too long for sparse.
without_numbers='{ k = $0; gsub(/(:| line )[0-9]+|[0-9]+-character/, "", k) }'

# news BEFORE AFTER: the lines of AFTER that BEFORE does not have.
news() {
	awk "$without_numbers"'
	     FILENAME == ARGV[1] { had[k]++; next }
	     had[k]-- <= 0' "$1" "$2"
}

# topic NAME FIELD: 2 topics it is built on, 3 subject prefix, 4 benchmarks
topic() { awk -F '\t' -v t="$1" -v n="$2" '$1 == t { print $n }' "$H/topics"; }

# alone TOPIC: sets $from to the base with the topics that TOPIC is built on,
# and $tip to that with its own patches; returns 1 if they do not apply.
alone() {
	_needs=$(topic "$1" 2 | sed 's/^-$//; s/ /\\|/g')
	walk_to base || die "${WALK#"$TOP"/}/tree cannot be brought to the base" "read what is above; df -h $(quote "$OUT")"
	[ -z "$_needs" ] || VMTEST_TOPIC=$_needs "$H/am" "$WALK/tree" || return 1
	from=$(VMTEST_GIT=$WALK/tree tgit rev-parse HEAD)
	VMTEST_TOPIC=$1 "$H/am" "$WALK/tree" || return 1
	tip=$(VMTEST_GIT=$WALK/tree tgit rev-parse HEAD)
}
