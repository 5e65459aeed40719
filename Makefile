# The front door: what the targets do is in harness/, mostly a script of that name.  Variables on make's
# command line reach the scripts through the environment.

.PHONY: help vmtest vmtest-baseline vmtest-failed run shell gdb selfcheck check check-series faults interrupts \
	apply export am doctor toolbox clean distclean \
	bench mutants storm sanitize litmus fuzz vmtest-all static-check bisect-check mbox range-diff get_maintainer \
	bisect-faults
.SILENT:

# As they were typed: make would take a $ in them for a variable.
typed = $(if $(value $1),$(eval override export $1 := $$(value $1)))
$(foreach v,CMD GDB_ARGS APPEND TESTS TRAILERS,$(call typed,$v))

help: ; harness/help

#: Build a patched kernel, boot it in QEMU, run the selftests:
#:   make vmtest [ARCH=x86_64|arm64] [VARIANT=default|debug|kasan|kcsan|full]
#:               [TESTS='bpf:build_id ftrace:*stack* kunit:*']
#:   make vmtest-baseline ...   the same tests on the kernel without the patches
#:   make vmtest-failed         only what failed in the run before
vmtest: ; harness/vmtest
vmtest-baseline: ; harness/vmtest --baseline
vmtest-failed: ; harness/vmtest --failed

#: Use a guest with the series:
#:   make run CMD='...'  one command; its output, and its exit code N as "Error N"
#:   make shell          a shell, with the selftests and trace-cmd, bpftool, strace
#:   make gdb            a guest that is stopped, and a gdb with the kernel's scripts
run: ; harness/run
shell: ; harness/shell
gdb: ; harness/gdb

#: Test this project:
#:   make check          all of it, by .ci/run too (about an hour cold on 2 CPUs); CHECK_MINUTES=75 is the limit
#:   make selfcheck      the harness's own judgement, without a guest
#:   make check-series   patches/ applies as it is, and survives a round trip
#:   make faults         guests that panic, hang, lie, run out of memory or disk (long)
#:   make bisect-faults  faults that bisect-check must find (long)
#:   make interrupts     ^C in every long phase of vmtest, each time from there on (long)
check: ; harness/check
selfcheck: ; harness/selfcheck
check-series: ; harness/check-series
faults: ; harness/faults
bisect-faults: ; harness/bisect-check --self-test
interrupts: ; harness/interrupts

#: Review the patches: [TOPIC=name] [RANGE=HEAD~2..HEAD, of out/tree]
#:   make static-check   what checkpatch, sparse, coccinelle, kernel-doc, Sphinx say that is new
#:   make bisect-check   every patch builds alone, every topic too, without a new warning
static-check: ; harness/static-check
bisect-check: ; harness/bisect-check

#: What a reviewer asks for:
#:   make bench [ARCH=] [BENCH=GLOB]    the base and the series, in instructions
#:   make mutants [ARCH=] [VARIANT=] [TOPIC=GLOB]  do the tests notice when a promise is broken?
#:   make storm TOPIC=NAME [ARCH=] [VARIANT=] [MINUTES=5]   a stress driver, counted
#:   make sanitize                      the table of the stackmap, with threads, under sanitizers
#:   make fuzz [MINUTES=10]             made-up files for the stackmap tool (libFuzzer)
#:   make litmus                        what the barriers of the stackmap are for (herd7)
#:   make vmtest-all [ARCH=]            the tests on every variant of the kernel
bench: ; harness/bench
mutants: ; harness/mutants
storm: ; harness/storm
sanitize: ; harness/sanitize
litmus: ; harness/litmus
fuzz: ; harness/fuzz
vmtest-all: ; harness/vmtest-all

#: Edit the patches:
#:   make apply          patches/ to out/tree, one commit a patch
#:   make export         commits of out/tree back to patches/ [TOPIC=name for new ones]
#:   make am KDIR=dir    put the patches on your own clone, or leave it as it was
apply: ; harness/apply
export: ; harness/export
am: ; harness/am

#: Send a topic (SUBMITTING.md tells; nothing here sends mail): TOPIC=name
#:   make mbox           the thread, in out/mbox/ [V=2] [TRAILERS='Assisted-by: ...; ...']
#:   make range-diff     what changed since a version that mbox made [V=1]
#:   make get_maintainer who gets it, and why
mbox: ; harness/mbox
range-diff: ; harness/range-diff
get_maintainer: ; harness/get-maintainer

#: Housekeeping:
#:   make doctor         what this host lacks, and the line that installs it
#:   make toolbox        the tree with the compilers (vmtest makes it when needed)
#:   make clean          remove builds and results; keep the base tree and the caches
#:   make distclean      remove everything that was made here, the caches too
doctor: ; harness/doctor
toolbox: ; harness/doctor --install && harness/toolbox
clean: ; harness/clean
distclean: ; harness/clean --all
#:
#: Variables: ARCH VARIANT TESTS LIST SHARD TOPIC RANGE V TRAILERS KDIR BASE_DEB BASELINE MIRROR SMP MEM
#:   JOBS ACCEL BENCH MINUTES CMD GDB_ARGS UPDATE CACHE FORCE APPEND NO_RETRY CONFIGS RESULTS BASE_REFRESH
#:   TEST_SECONDS BOOT_SECONDS SILENCE_SECONDS TOTAL_SECONDS PROBE_SECONDS CHECK_MINUTES
#:   (each script says more: harness/vmtest --help)
