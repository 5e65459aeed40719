# (sourced) included TREE OBJECT: is there no such object, as another file of its directory, or of the
# one above, includes the C file?
included() {
	_d=${2%/*} _b=${2##*/}
	grep -qsxF "#include \"${_b%o}c\"" "$1/$_d"/*.c ||
		grep -qsxF "#include \"${_d##*/}/${_b%o}c\"" "$1/${_d%/*}"/*.c
}

# enabled CONFIG-FILE TREE OBJECT: does the makefile that names the object want it?
enabled() {
	! included "$2" "$3" || return 1
	_d=${3%/*} _b=${3##*/}
	while [ ! -e "$2/$_d/Makefile" ]; do
		case $_d in */*) ;; *) return 1 ;; esac
		_b=${_d##*/}/$_b _d=${_d%/*}
	done
	_s=$(sed -n "s,^[ \t]*obj-\$(\(CONFIG_[A-Z0-9_]*\)).*[ \t]$_b\([ \t].*\)\{0\,1\}\$,\1,p" "$2/$_d/Makefile" | head -n 1)
	case $_b in
	*_32.o | *_64.o)
		if grep -q "^[ \t]*obj-.*[ \t]${_b%_*}_\$(BITS)\.o" "$2/$_d/Makefile"; then
			grep -q '^CONFIG_64BIT=y' "$1" && _bits=64 || _bits=32
			[ "$_b" != "${_b%_*}_$_bits.o" ] || return 0
			[ -n "$_s" ] || return 1
		fi ;;
	esac
	[ -z "$_s" ] || grep -q "^$_s=[ym]" "$1"
}
