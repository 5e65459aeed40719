# Cases of selfcheck (sourced by tests/run): the CI workflow

case_ci() { sed -i "$1" ci/github.yml && harness/check-ci; }
want=0 prints= mutant=
try 'ci: the workflow' case_ci ''
want=2 prints='"sh -c make" is no make target' mutant='harness/check-ci s/^    if run != SETUP and/    if False and/'
try 'ci: a command that is no make target' case_ci 's/run: make vmtest$/run: sh -c make/'
try_ci() { want=2 prints=$2 mutant="harness/check-ci $3"; try "ci: $1" case_ci "$4"; }
try_ci 'a target that does not exist' '"make nosuch" is no make target' 's/or words\[1\] not in targets//' 's/run: make vmtest$/run: make nosuch/'
try_ci 'the faults are forgotten' 'make faults is in no job' "s/^        if f'make {target}' not in run:/        if False:/" 's/run: make faults/run: make check/'
try_ci 'no deadline' 'vmtest: no deadline' 's/not in job:/in (job, ):/' 's/timeout-minutes: 300/name: x/'
try_ci 'a cache key of a file that is gone' 'made of harness/gone' 's/if not there(file)/if False/' 's,harness/rootfs,harness/gone,'
try_ci 'a cache key that lacks a file' 'key of cache.rootfs-..img is made of' "s/^    if kept != 'ccache' and/    if False and/" "s/'harness.mkimage', //"
try_ci 'an action without a version' 'has no version' 's/^    if uses and/    if False and/' 's/checkout@v4/checkout@main/'
try_ci 'an architecture is forgotten' "there are .'arm64', 'x86_64'" "s/^    if set(matrix.*/    if False:/" 's/arch: \[x86_64, arm64\]/arch: [x86_64]/'
try_ci 'a variant that does not exist' 'no variant kmsan' 's/if not archs <= .*/if False:/' 's/"kasan", "kcsan"/"kasan", "kcsan", "kmsan"/'
try_ci 'a variant is forgotten' 'variant kcsan is never run' 's/if variant not in named/if False/' 's/, "kcsan"//'
try_ci 'a shard is forgotten' 'are not all of 2 parts' 's/^    if shards != .*/    if False:/' 's/, 3.3\]/]/'
try_ci 'bad form' 'syntax error' 's/if subprocess.run/if 0 and subprocess.run/;s/yield/pass; yield/' 's/^  vmtest:/  vmtest: [/'
try_ci 'a cache that only the host sees' 'CACHE is .*not a directory of the checkout' "s/^    if not re.fullmatch(r'.a-z.+', cache):/    if False:/" \
	's,^  CACHE: cache$,  CACHE: ${{ github.workspace }}/cache,'
try_ci 'what is kept is somewhere else' '/root/ccache is kept, and not in CACHE' "s/^    if caches and/    if False and/" \
	's,path: cache/ccache$,path: /root/ccache,'
try_ci 'a shard that the harness is not told' 'shard is in the matrix, and SHARD is not of it' 's/^        if f.matrix.{name} . not in .*/        if False:/' '/SHARD: /d'
try_ci 'a name that the matrix lacks' 'matrix.varient is not in the matrix' 's/^        if name not in matrix:/        if False:/' 's/results-${{ matrix.arch }}-${{ matrix.variant/results-${{ matrix.arch }}-${{ matrix.varient/'
try_ci 'the variant full with the default list' 'full is run without LIST=full' "s/^    if 'full' in json.*/    if False:/" '/LIST: /d'
try_ci 'results that are lost when a test fails' 'vmtest: its results are not kept' 's/^    if not keeps and/    if False and/' '/upload-artifact/{n;s/always()/success()/}'
case_ci_lacks() { sed -i 's/^kcsan\t[^\t]*/kcsan\tx86_64/' config/variants; case_ci ''; }
want=2 prints="no variant kcsan on .'arm64', 'x86_64'" mutant='harness/check-ci s/if not archs <= .*/if False:/'
try 'ci: a variant that an architecture lacks' case_ci_lacks
