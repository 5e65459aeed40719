# From a checkout to a guest (sourced after lib.sh and git.sh).
#
# Sets: dir (of the builds), kernel, tree (that the kernel was built from),
# rootfs; and ARCH VARIANT ACCEL in the environment.

# The seconds of each phase go to $dir/phases.
phase=
phase() {
	now
	[ -z "$phase" ] || echo "$phase $((_now - phase_start))" >>"$dir/phases"
	phase=$1 phase_start=$_now
}

# lock_guest FILE: one guest of a kind at a time.  The lock held before goes to run-vm, which gives it
# up when the guest has its kernel and disks: then others may make them anew.
lock_guest() {
	exec 8>&9
	lock "$1"
	export UNLOCK=8
}

# place [--baseline]: where everything is, and what was asked for is there
place() {
	takes "${1-}" '' --baseline
	# The wide lists want a kernel that has what they look at.
	[ "${LIST-}" != full ] || VARIANT=${VARIANT:-full}
	export VARIANT=${VARIANT:-default} ACCEL=${ACCEL:-auto}
	default_arch
	need_variant
	part "$H/accel" "$ARCH"
	need_size
	"$H/plan" --check
	[ -z "${KDIR-}" ] || need_clean_kdir
	[ -n "${KDIR-}" ] || [ -z "${BASE_DEB-}" ] || need_base_deb
	dir=$OUT/$ARCH-$VARIANT
	[ "${1-}" != --baseline ] || dir=$dir-base
	kernel=$dir/kernel
	mkdir -p "$dir"
}

# get_source: host, tool tree, base and series
get_source() {
	hold_tree
	rm -f "$dir/phases"
	phase host
	part "$H/doctor" --install "$kernel"
	# Side by side, as each of them keeps one CPU busy.  A job does not get ^C: it is told here.
	phase base
	exec_part "$H/toolbox" &
	_toolbox=$!
	at_exit 'kill "$_toolbox" 2>/dev/null && wait "$_toolbox" 2>/dev/null'
	at_exit stop_child
	part "$H/apply"
	"$H/plan" --check "$TREE"
	phase toolbox
	wait "$_toolbox"
	_toolbox=
}

# build [--baseline]: kernel, selftests, root file system; and the accelerator
build() {
	tree=$TREE
	if [ "${1-}" = --baseline ]; then
		tree=$OUT/tree-base
		base_tree
	fi
	phase kernel
	wait_part "$H/build-kernel" "$ARCH" "$VARIANT" "$tree" "$kernel"
	phase selftests
	# The tests are those of the series in either case.
	wait_part "$H/build-selftests" "$ARCH" "$TREE" "$kernel" "$dir/selftests" "$tree"
	phase rootfs
	wait_part "$H/rootfs" "$ARCH" >"$dir/rootfs"
	rootfs=$(cat "$dir/rootfs")
	phase accel
	wait_part "$H/in-toolbox" -b "$dir" /dir env ACCEL="${ACCEL-}" START="$START" \
		SCALE="$SCALE" VARIANT="$VARIANT" PROBE_SECONDS="${PROBE_SECONDS-}" \
		/vmtest/harness/accel "$ARCH" "/dir/kernel/$IMAGE" >"$dir/accel"
	ACCEL=$(cat "$dir/accel")
	export ACCEL
	keep_parser "$dir"
}

# boot RESULT-DIR [MODE]: see run-vm.  From here on others may change out/tree.
boot() {
	drop_tree
	_mode=${2-}
	set -- "$H/in-toolbox" -r "$tree" -o "$kernel" -b "$1" /results -b "$CACHE" /cache -b "$dir" /dir \
		env ACCEL="$ACCEL" SMP="${SMP-}" MEM="${MEM-}" START="$START" APPEND="${APPEND-}" TERM="${TERM-}" \
		BOOT_SECONDS="${BOOT_SECONDS-}" SILENCE_SECONDS="${SILENCE_SECONDS-}" \
		TOTAL_SECONDS="${TOTAL_SECONDS-}" SCALE="$SCALE" VARIANT="$VARIANT" GDB_ARGS="${GDB_ARGS-}" UNLOCK="${UNLOCK-}" \
		/vmtest/harness/run-vm ${2-} "$ARCH" "/obj/$IMAGE" "/cache/${rootfs##*/}" /dir/selftests/tests.img
	note "boot: $(quote "$@")" >&2
	case $_mode in
	# A job cannot have the terminal.
	--shell | --gdb) part "$@" ;;
	*) wait_part "$@" ;;
	esac
}

judge() { part "$H/in-toolbox" -r "$dir/parser" -b "$dir" /dir /vmtest/harness/judge "$@"; }
