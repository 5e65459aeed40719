# Cases of selfcheck (sourced by tests/run): the accelerator: a QEMU that behaves like one with such a KVM

# In bin/, a QEMU to do that, and nothing of what goes into a guest
made_qemu() { # WHAT-QEMU-DOES
	mkdir bin
	# The console is the file behind logfile=.
	printf '%s\n' '#!/bin/sh' 'console=$(printf "%s\n" "$@" | sed -n "s/.*logfile=//p")' "$1" >bin/qemu-system-x86_64
	chmod +x bin/qemu-system-x86_64
	for tool in gcc cpio socat; do ln -s /bin/true bin/$tool; done
}

case_accel() { # ACCEL WHAT-QEMU-DOES
	made_qemu "$2"
	PATH=$PWD/bin:$PATH KVM=/dev/null PROBE_SECONDS=1 ACCEL=$1 harness/accel x86_64 bzImage
}
want=0 prints='^kvm$' mutant='harness/accel s/^\techo kvm$/\techo tcg/'
try 'accel: a KVM that works' case_accel auto 'echo "vmtest-init: user space" >"$console"'
want=0 prints='^tcg$' mutant='harness/accel s/^\tgrep -q .vmtest-init: user space.*/\treturn/'
try 'accel: a KVM that aborts' case_accel auto 'echo "failed to initialize kvm" >&2; exit 1'
try 'accel: a KVM whose guest resets' case_accel auto 'echo "SeaBIOS" >"$console"'
try 'accel: a KVM that hangs' case_accel auto 'sleep 1000'
want=2 prints='ACCEL=kvm: a guest with /dev/null did not reach user space' mutant='harness/accel s/^\tdie "ACCEL=kvm: .*/\techo kvm \\/'
try 'accel: ACCEL=kvm and a KVM that pretends' case_accel kvm 'exit 0'
case_accel_again() { case_accel auto "$1" >/dev/null; PATH=$PWD/bin:$PATH KVM=/dev/null PROBE_SECONDS=1 harness/accel x86_64 bzImage; }
want=0 prints='did not work before' mutant='harness/accel s/echo "$this_boot" >.*/:/'
try 'accel: a KVM that did not work is not asked again' case_accel_again \
	'case " $* " in *" kvm "*) exit 1 ;; *) echo "vmtest-init: user space" >"$console" ;; esac'
want=0 prints='this kernel says nothing about KVM' mutant='harness/accel s/if probe tcg .*/if :; then/'
try 'accel: a kernel that panics with and without KVM' case_accel_again 'echo "Kernel panic" >"$console"'
want=2 prints='ACCEL=xen is unknown' mutant='harness/accel /^need_accel/d'
try 'accel: ACCEL=xen' case_accel xen 'exit 0'

# --- a QEMU that aborts before the guest has begun, or later

case_abort() { # WHAT-QEMU-DOES
	made_qemu "$1"
	mkdir results
	: >results/plan
	PATH=$PWD/bin:$PATH RESULTS=$PWD/results ACCEL=tcg harness/run-vm x86_64 bzImage rootfs tests || return $?
	cat results/vm.status
}
want=0 prints='^end off$' mutant="harness/run-vm s/= 'qemu 134'/= never/"
try 'boot: QEMU aborts once' case_abort '[ -e aborted ] || { touch aborted; kill -ABRT $$; }'
want=0 prints='^end qemu 134$' mutant='harness/run-vm s/ && \[ -z "${QEMU_ABORTED-}" \]//'
try 'boot: QEMU aborts again' case_abort '[ ! -e again ] || exit 0; [ ! -e aborted ] || touch again; touch aborted; kill -ABRT $$'
want=0 prints='^end qemu 134$' mutant='harness/run-vm s/ && \[ "$(size [^ ]*)" = 0 \]//'
try 'boot: QEMU aborts behind a result' case_abort '[ ! -e aborted ] || exit 0; touch aborted; echo "ok 1 x" >results/results.ktap; kill -ABRT $$'

# QEMU ends with 0 if the lock is held until there is user space, and free soon after
case_unlock() {
	made_qemu '! flock -n lock true || exit 8; sleep 1; ! flock -n lock true || exit 9
		echo "# user space" >results/results.ktap; exec flock -w 3 lock true'
	mkdir results
	exec 3>&1 8>lock
	flock 8
	PATH=$PWD/bin:$PATH RESULTS=$PWD/results ACCEL=tcg UNLOCK=8 harness/run-vm --cmd x86_64 bzImage rootfs tests
	cat results/vm.status
}
want=0 prints='^end off$' mutant='harness/run-vm s/^\t\[ "$seen" = 0 \] || unlock$//'
try 'boot: others may build when the guest has its disks' case_unlock
mutant='harness/run-vm s/^\t\[ "$seen" = 0 \] || unlock$/\tunlock/'
try 'boot: others may not build before' case_unlock

case_gdb() { # WHAT-QEMU-DOES
	made_qemu "$1"
	printf '#!/bin/sh\nexit 3\n' >bin/gdb-multiarch
	chmod +x bin/gdb-multiarch
	mkdir results
	echo "${PLAN-}" >results/plan
	PATH=$PWD/bin:$PATH RESULTS=$PWD/results ACCEL=tcg harness/run-vm --gdb x86_64 bzImage rootfs tests
}
want=3 prints= mutant='harness/run-vm s/^\texit $rc$/\texit 0/'
try 'gdb: its exit code' case_gdb \
	'exec python3 -c "import socket, time; socket.socket(socket.AF_UNIX).bind(\"results/gdb.sock\"); time.sleep(60)"'
case_gdb_kunit() { ! PLAN='kunit x 240' case_gdb 'exit 0' 2>&1 | grep kunit.enable; }
want=0 prints= mutant='harness/run-vm s/^plan | gdb)/plan)/'
try 'gdb: the suites of KUnit that are asked for' case_gdb_kunit
want=2 prints='QEMU did not start: no such machine' mutant='harness/run-vm s/|| die "QEMU did not start.*/|| break/'
try 'gdb: a QEMU that does not start' case_gdb 'echo no such machine >&2; exit 1'

case_total() { # TESTS SETTING
	made_qemu 'exit 0'
	mkdir results
	for n in $(seq "$1"); do echo "${SUITE:-bpf} t$n 240"; done >results/plan
	eval "export $2"
	PATH=$PWD/bin:$PATH RESULTS=$PWD/results ACCEL=tcg harness/run-vm x86_64 bzImage rootfs tests
}
want=0 prints='total 3600 s$' mutant='harness/run-vm s,(NR > 180 ? 20 . NR : 3600),20 * NR,'
try 'boot: the total deadline of a short plan' case_total 3 SCALE=1
want=0 prints='total 36000 s$' mutant='harness/run-vm s/^\[ $mode != plan \] || total=.*//'
try 'boot: the total deadline of a long plan' case_total 900 SCALE=2
want=0 prints='total 60 s$' mutant='harness/run-vm s/${TOTAL_SECONDS:-$total}/$total/'
try 'boot: TOTAL_SECONDS' case_total 900 TOTAL_SECONDS=60
want=0 prints=' kunit.enable=0 ' mutant='harness/run-vm s/ extra="$extra kunit.enable=0"/ :/'
try 'boot: KUnit runs nothing that is not asked for' case_total 3 SCALE=1
case_kunit_runs() { ! SUITE=kunit case_total 3 SCALE=1 2>&1 | grep kunit.enable; }
want=0 prints= mutant='harness/run-vm s/^plan | gdb) .*/plan) false ;;/'
try 'boot: and what is' case_kunit_runs
