#!/bin/sh
# What needs a guest to itself: a kernel that stands in its debugger, one that is locked down, which
# nothing undoes, and what the stackmap tool needs elsewhere.
#
# Usage: tracing.sh, as root, in a guest with the series, with somebody who answers the debugger on
# the console with ftdump and go: harness/check-alone.
#
# Output: behind a line "files:", in base64, an archive of stack_map_bin, kallsyms and modules.
# Exit code: 0, or 1 with a line that says why.
set -eu

cd /sys/kernel/tracing
fail() { echo "error: $*"; exit 1; }

# /bin/true is all that executes while the event is on: the buffer has one stack.
echo 1 >options/stackmap
echo 1 >options/stacktrace
echo 1 >options/graph-time
echo 1 >events/sched/sched_process_exec/enable
/bin/true
echo 0 >tracing_on
grep -q ' => .*exec' trace || fail "no stack was recorded"
cp trace_options /tmp/options
console=$(sed 's/.*\bconsole=\([^ ,]*\).*/\1/' /proc/cmdline)
echo "$console" >/sys/module/kgdboc/parameters/kgdboc
sed 's/^/alone: /' trace | grep ' => ' >/dev/kmsg
echo g >/proc/sysrq-trigger
cmp /tmp/options trace_options || fail "ftdump has changed options"
echo '' >/sys/module/kgdboc/parameters/kgdboc

# A stack with a frame in a module
mkdir instances/alone
cd instances/alone
modprobe xfs
echo xfs_init_fs_context >set_ftrace_filter
echo 1 >options/stackmap
echo 1 >options/func_stack_trace
echo function >current_tracer
mount -t xfs none /mnt 2>/dev/null && fail "a file system without a disk was mounted"
echo nop >current_tracer
mkdir /tmp/files
for file in stack_map_bin /proc/kallsyms /proc/modules; do
	cat $file >/tmp/files/${file##*/}
done
cd ../..

set --
for dir in . instances/alone; do
	for file in stack_map stack_map_bin stack_map_stat stack_map_size_kb options/stackmap \
		options/userstacktrace_delay options/userstacktrace_buildid; do
		set -- "$@" "$dir/$file"
	done
done
for file; do
	: <"$file" || fail "$file cannot be read"
done
for file in stack_map stack_map_size_kb options/stackmap; do
	: >>"$file" || fail "$file cannot be written"
done
mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
echo confidentiality >/sys/kernel/security/lockdown
for file; do
	for how in '<' '>>'; do
		said=$(sh -c ": $how $file" 2>&1) && fail "$file can be opened in a kernel that is locked down"
		case $file:$said in
		*'Operation not permitted'* | */options/*'No such device'*) ;;
		*) fail "$file: $said" ;;
		esac
	done
done

echo files:
tar -C /tmp/files -cz . | base64
