# Cases of selfcheck (sourced by tests/run): configuration

case_config() {
	printf 'CONFIG_KEYS=y\nCONFIG_NET_NS=y\n# CONFIG_SLOB is not set\nCONFIG_NR_CPUS=8\n' >fragment
	printf '%s\n' "$@" >.config
	harness/kconfig --assert .config fragment
}
want=0 prints='4 symbols asked for, all set' mutant='harness/kconfig s/^\t\tgot != $0/\t\tgot == $0/'
try 'kconfig: all there' case_config CONFIG_KEYS=y CONFIG_NET_NS=y CONFIG_NR_CPUS=8
want=2 prints='CONFIG_NET_NS: y was asked for, the kernel got n' mutant='harness/kconfig s/^\t\tgot != $0/0/'
try 'kconfig: a dropped symbol' case_config CONFIG_KEYS=y '# CONFIG_NET_NS is not set' CONFIG_NR_CPUS=8
try 'kconfig: a symbol that is gone' case_config CONFIG_KEYS=y CONFIG_NR_CPUS=8
want=2 prints='CONFIG_NR_CPUS: 8 was asked for, the kernel got 2'
try 'kconfig: another value' case_config CONFIG_KEYS=y CONFIG_NET_NS=y CONFIG_NR_CPUS=2
want=2 prints='CONFIG_SLOB: n was asked for, the kernel got y'
try 'kconfig: a symbol that must be off' case_config CONFIG_KEYS=y CONFIG_NET_NS=y CONFIG_NR_CPUS=8 CONFIG_SLOB=y

# kcsan is strict on purpose, and not by what the tree's Kconfig has for a default.
case_kcsan_choices() {
	awk '$1 ~ /^(menu)?config$/ { name = $2 }
		$1 ~ /^(bool|tristate)$/ && $2 ~ /^"/ { print "CONFIG_" name }' /src/lib/Kconfig.kcsan | sort >choices
	grep -o 'CONFIG_KCSAN[A-Z_]*' config/kcsan.config | sort -u >chosen
	grep -qx CONFIG_KCSAN_STRICT choices && comm -3 choices chosen | sed 's/^\t*/not in both: /' >odd
	! grep . odd
}
want=0 prints= mutant='config/kcsan.config /KCSAN_REPORT_RACE_UNKNOWN_ORIGIN/d'
try 'kcsan: every choice of the tree is made' case_kcsan_choices
mutant='config/kcsan.config s/KCSAN_PERMISSIVE/KCSAN_LENIENT/'
try 'kcsan: every choice is one of the tree' case_kcsan_choices
case_kcsan_config() { # ARCH
	sed -i "s,/obj,$PWD/obj,g" harness/kconfig
	mkdir obj
	. "harness/arch/$1.sh"
	export ARCH=$1 CROSS_COMPILE=$CROSS
	harness/kconfig $(sed -n "s/^KSELFTESTS='\(.*\)'$/\1/p" harness/lib.sh | tr ' ' '\n' |
		sed 's,.*,/src/tools/testing/selftests/&/config,' | xargs ls -d 2>/dev/null) \
		config/common.config "config/$1.config" config/kcsan.config && grep KCSAN obj/.config
}
want=0 prints='^CONFIG_KCSAN_WEAK_MEMORY=y$' mutant='config/kcsan.config /^CONFIG_KCSAN_STRICT=y$/d'
try 'kcsan: what is asked for is there, x86_64' case_kcsan_config x86_64
# Four seconds each: what can be missing from the fragment is missing on either.
mutant=
try 'kcsan: what is asked for is there, arm64' case_kcsan_config arm64
