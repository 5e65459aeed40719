# Shared by the scripts of the harness (sourced, not run): places, messages,
# progress, cleanup.  POSIX sh.
#
# Exit codes of every script, unless its header says otherwise:
#   0 done, 2 (or that of the command that failed) could not be done: the message names the next step,
#   130 interrupted, 141 nobody reads the output any more, 143 terminated.

# With it, cd prints where it goes.
unset CDPATH
H=$(cd "${0%/*}" && pwd -P)
H=${H%/tests}
TOP=${H%/harness}
OUT=$TOP/out
CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vmtest}
case $CACHE in /*) ;; *) CACHE=$(pwd -P)/$CACHE ;; esac
# Not TREE and PATCHES, which a user may have for other things: what is there is replaced.
TREE=${VMTEST_TREE:-$OUT/tree}
PATCHES=${VMTEST_PATCHES:-$TOP/patches}
JOBS=${JOBS:-$(nproc)}
# now: in $_now, seconds of a clock that nobody sets; without a process, as it is asked all the time
now() {
	read -r _now _ </proc/uptime
	_now=${_now%.*}
}
now
case ${START-} in '' | *[!0-9]*) START=$_now ;; esac
export LC_ALL=C.UTF-8 TZ=UTC START
# Of a hook, or git rebase -x, that called this: each git here is to find its own repository.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_PREFIX

# Print the header comment of the calling script.
usage() {
	sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p;}' "$0"
}

# takes ARGUMENT NAME...: an argument that is none of these is an error; '' is none at all
takes() {
	one_of "$@" || { usage >&2; exit 2; }
}

# Answer --help in scripts that take no other option.
case ${1-} in --help | -h) usage; exit 0 ;; esac

# die MESSAGE [NEXT-STEP]...
die() {
	printf 'error: %s\n' "$1" >&2
	shift
	for _next; do printf ' next: %s\n' "$_next" >&2; done
	exit 2
}

note() {
	now
	printf '[%3d:%02d] %s\n' $(((_now - START) / 60)) $(((_now - START) % 60)) "$*"
}

# Print words so that a shell reads them back as they are.
quote() {
	_q=
	for _w; do
		case $_w in
		'' | *[!A-Za-z0-9_./:=,+@%-]*)
			_w="'$(printf '%s' "$_w" | sed "s/'/'\\\\''/g")'" ;;
		esac
		_q="$_q${_q:+ }$_w"
	done
	printf '%s' "$_q"
}

# Cleanup: commands given to at_exit run in reverse order, once, however the
# script ends, and whatever becomes of those before.  A second signal does not
# cut it short: part sends one to a script that is at it when its parent ends.
_cleanup=:
at_exit() {
	_cleanup="$* ; $_cleanup"
	trap '_rc=$?; trap - EXIT; trap "" INT TERM HUP PIPE; set +e; eval "$_cleanup"; exit $_rc' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	trap 'exit 141' PIPE
}

# no_verdict: for at_exit, where an exit code is a verdict: before $judged is set, what goes wrong
# says nothing of what was to be judged
no_verdict() {
	case ${judged:-none}-$_rc in
	none-0 | none-2 | none-130 | none-141 | none-143 | y-*) return ;;
	esac
	echo "error: the run ended with $_rc, before there was a verdict" >&2
	echo " next: read what is above; df -h $(quote "$OUT" "$CACHE")" >&2
	_rc=2
}

# stop_child: for at_exit; end the job $_child
stop_child() {
	[ -n "${_child-}" ] || return 0
	kill "$_child" 2>/dev/null && wait "$_child" 2>/dev/null
	_child=
}

# long NAME LOG CMD...: run a long command with its output in LOG; print the
# command, a line of progress every 30 s, and on failure the end of the log.
# Returns the command's exit code.
long() {
	_name=$1 _log=$2
	shift 2
	note "$_name: $(quote "$@")"
	note "$_name: log in ${_log#"$TOP"/}"
	now
	_t0=$_now _beat=30
	at_exit stop_child
	"$@" >"$_log" 2>&1 </dev/null &
	_child=$!
	while kill -0 "$_child" 2>/dev/null; do
		sleep 0.3
		now
		_took=$((_now - _t0))
		if [ $_took -ge $_beat ]; then
			_beat=$((_took + 30))
			note "$_name: $_took s, $(wc -l <"$_log") lines, last: $(tail -n 1 "$_log" | cut -c 1-90)"
		fi
	done
	_rc=0
	wait "$_child" || _rc=$?
	_child=
	if [ $_rc -ne 0 ]; then
		note "$_name: failed with $_rc; the end of its log:"
		tail -n 25 "$_log" | sed 's/^/    /'
		! grep -qF 'No space left on device' "$_log" || die "$_name: a disk is full" "df -h $(quote "$OUT" "$CACHE")"
		return $_rc
	fi
	now
	note "$_name: done in $((_now - _t0)) s"
}

# drop_half_made OBJ: of a build there that was killed.  It can have left half of a file, which make
# would take for whole; what it has compiled comes back from ccache.
drop_half_made() {
	[ ! -e "$1/.building" ] || find "$1" -newer "$1/.building" -type f -delete
}

# building OBJ CMD...: what CMD makes there is half made if it is killed
building() {
	_obj=$1 _built=0
	shift
	touch "$_obj/.building"
	"$@" || _built=$?
	rm -f "$_obj/.building"
	return $_built
}

# build_in OBJ NAME CMD...: build there, with the log OBJ/build.log
build_in() {
	_at=$1 _what=$2
	shift 2
	building "$_at" long "$_what" "$_at/build.log" "$@"
}

# hold FD WHY [-s]: lock the file that is open there, alone or (-s) together with others.  Who has to
# wait is told why, and can be ended meanwhile: a trap waits for what runs in the foreground.
hold() {
	flock -n ${3-} "$1" && return
	note "waiting for another run, which $2" >&2
	at_exit stop_child
	part flock ${3-} "$1" &
	_child=$!
	wait "$_child"
	_child=
}

# lock FILE [FD]: one run at a time, for as long as this script and what it starts live; the lock that FD
# (9) held before is given up
lock() {
	eval "exec ${2:-9}>\"\$1\""
	flock -n "${2:-9}" || busy "$1"
}
busy() {
	_what=${1#"$TOP"/}
	_what=${_what%.lock}
	die "a run works in ${_what%/lock}" "wait for it to end"
}

# hold_tree [-s | -x]: out/tree stays as it is for this script and those that it calls, until it ends or
# calls drop_tree; with -x, they alone may change it.  On the way from one to the other, and back, it
# is nobody's for a moment: look again.  Not to be called with -x by who holds a lock of the cache,
# for which another may wait that reads the tree.
hold_tree() {
	if [ "${TREE_LOCK-}" != "$OUT/tree.lock" ]; then
		mkdir -p "$OUT"
		exec 7>"$OUT/tree.lock"
		export TREE_LOCK="$OUT/tree.lock"
	fi
	case ${1-} in
	-x) hold 7 "works with ${TREE#"$TOP"/}" ;;
	*) hold 7 "changes ${TREE#"$TOP"/}" -s ;;
	esac
}

drop_tree() {
	[ "${TREE_LOCK-}" = "$OUT/tree.lock" ] || return 0
	flock -u 7
	exec 7>&-
	unset TREE_LOCK
}

# hold_cache NAME WHAT: one run at a time makes that, of all clones with this cache; drop_cache
hold_cache() {
	mkdir -p "$CACHE"
	exec 6>"$CACHE/$1.lock"
	hold 6 "makes $2"
}
drop_cache() { exec 6>&-; }

# part CMD...: run another script of the harness; it ends when this one does,
# even if this one is killed.  exec_part is for a job: it takes the job's place.
part() { setpriv --pdeathsig TERM -- "$@"; }
exec_part() { exec setpriv --pdeathsig TERM -- "$@"; }

# wait_part CMD...: like part, for a script with "at_exit stop_child": a signal to this script
# alone ends it at once, with CMD.  A shell looks at no signal while a command is in front.
wait_part() {
	_rc=0
	exec_part "$@" &
	_child=$!
	wait "$_child" || _rc=$?
	_child=
	return $_rc
}

# wait_tee PID WHAT: the job that writes WHAT has written all of it; or the run ends as if it had written itself
wait_tee() {
	wait "$1" || case $? in
	141) exit 141 ;;
	*) die "$2 was not written" "df -h $(quote "$OUT" "${TMPDIR:-/tmp}")" ;;
	esac
}

# hash FILE...: one hash over names and contents; the files are in this checkout, wherever that is.
hash() {
	for _f; do
		set -- "$@" "${_f#"$TOP"/}"
		shift
	done
	(cd "$TOP" && sha256sum -- "$@") | sha256sum | cut -c 1-16
}

# archs: the architectures there are; the first is the default.
archs() { (cd "$H/arch" && ls -- *.sh) | sed 's/\.sh$//' | sort -r; }

# topics: the names of the topics of the series
topics() { sed '/^#/d; s/\t.*//' "$H/topics"; }

# need_topic: TOPIC is one of harness/topics
need_topic() {
	_topics=$(topics | paste -sd' ')
	[ -n "${TOPIC-}" ] || die "TOPIC is not set" "TOPIC=<one of: $_topics>"
	one_of "$TOPIC" $_topics || die "TOPIC=$TOPIC is unknown" "use one of: $_topics"
}

# numbers NAME...: what these variables hold, if they are set
numbers() {
	for _v; do
		eval "_n=\${$_v-}"
		case $_n in *[!0-9]* | 0* | ??????????*) die "$_v=$_n is no number above 0, or too large" "$_v=<number>" ;; esac
	done
}

# switches NAME...: these variables are 1, or left out
switches() {
	for _v; do
		eval "_n=\${$_v-}"
		case $_n in '' | 1) ;; *) die "$_v=$_n is neither 1 nor empty" "$_v=1, or leave it out" ;; esac
	done
}

# is_set NAME...: the first of these variables that has a value, if one has
is_set() {
	for _v; do
		eval "[ -z \"\${$_v-}\" ]" || { echo "$_v"; return; }
	done
}

# one_of WORD NAME...: is it one of these names?
one_of() {
	_word=$1
	shift
	for _w; do [ "$_w" != "$_word" ] || return 0; done
	return 1
}

# need_accel NAME...: ACCEL is one of these, by default the first
need_accel() {
	ACCEL=${ACCEL:-$1}
	one_of "$ACCEL" "$@" || die "ACCEL=$ACCEL is unknown" "use one of: $*"
}

# What sizes a guest is of the right form.
need_size() {
	numbers SMP PROBE_SECONDS BOOT_SECONDS SILENCE_SECONDS TOTAL_SECONDS TEST_SECONDS
	_cpus=$(sed -n 's/^CONFIG_NR_CPUS=//p' "$TOP/config/common.config")
	[ "${SMP:-1}" -le "$_cpus" ] || die "SMP=$SMP: the kernel is for $_cpus CPUs, says config/common.config" "SMP=$_cpus"
	printf '%s' "${MEM:-2G}" | grep -Eqx '[1-9][0-9]*[MG]?' || die "MEM=$MEM is no size of memory" "MEM=2G, or MEM=512M"
}

# The suites that are built from the tree's own kselftest makefiles.
KSELFTESTS='ftrace perf_events proc ring-buffer unwind user_events'

# Makes the guest's kernel, in the tool tree.  Where a variable is at each instruction costs gcc a
# fifth of its time; pahole needs to know where parameters are at the entry, or it drops functions
# (two thirds on arm64 with -fno-var-tracking).
KMAKE='make -C /src O=/obj KBUILD_BUILD_TIMESTAMP=@0 KCFLAGS=-fno-var-tracking-assignments'

# The tool tree of this checkout; others in the same cache may differ.
toolbox_dir() { echo "$CACHE/toolbox-$(hash "$H/packages.toolbox" "$H/toolbox" "$H/debian.sh")"; }

# default_arch: ARCH is one of archs, by default the first
default_arch() {
	export ARCH="${ARCH:-$(archs | head -n 1)}"
	need_arch
}

need_arch() {
	[ -e "$H/arch/$ARCH.sh" ] || die "ARCH=$ARCH is not supported" "use one of: $(archs | paste -sd' ')"
	. "$H/arch/$ARCH.sh"
}

# variants ARCH: those of an architecture, or with '' all
variants() { awk -v a="$1" '!/^#/ && NF && (a == "" || index("," $2 ",", "," a ",")) { print $1 }' "$TOP/config/variants"; }

# The line of config/variants: sets SCALE (of all deadlines), and the defaults of MEM and BOOT_SECONDS.
need_variant() {
	_line=$(awk -v v="$VARIANT" '!/^#/ && $1 == v' "$TOP/config/variants")
	[ -n "$_line" ] || die "VARIANT=$VARIANT is unknown" \
		"use one of: $(variants '' | paste -sd' ')"
	set -- $_line
	case ,$2, in *,"$ARCH",*) ;; *) die "VARIANT=$VARIANT does not exist for ARCH=$ARCH" "it is for: $2" ;; esac
	export SCALE=$3 MEM="${MEM:-$4}" BOOT_SECONDS="${BOOT_SECONDS:-${5:-120}}"
}

numbers JOBS
switches FORCE UPDATE NO_RETRY BASE_REFRESH CHECK_ONLY

# A script whose usage names no argument takes none: who mistypes an option does not start hours of work.
[ $# = 0 ] || ! usage | grep -qx "Usage: ${0##*/}" || takes "$1" ''

# Here, and not in these two, which are a part of the names of what they make: another comment there
# is another tool tree.
case ${0##*/} in
toolbox) [ -e "$(toolbox_dir)/.complete" ] || hold_cache toolbox "the tool tree" ;;
rootfs) [ -z "${1-}" ] || hold_cache "rootfs-$1" "the root file system" ;;
esac
