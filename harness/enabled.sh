# (sourced) enabled CONFIG-FILE TREE OBJECT: does the makefile that names the
# object want it?  A file that another one of its directory includes is no object.
enabled() {
	_d=${3%/*} _b=${3##*/}
	! grep -qsxF "#include \"${_b%o}c\"" "$2/$_d"/*.c || return 1
	while [ ! -e "$2/$_d/Makefile" ]; do
		case $_d in */*) ;; *) return 1 ;; esac
		_b=${_d##*/}/$_b _d=${_d%/*}
	done
	_s=$(sed -n "s,^[ \t]*obj-\$(\(CONFIG_[A-Z0-9_]*\)).*[ \t]$_b\([ \t].*\)\{0\,1\}\$,\1,p" "$2/$_d/Makefile" | head -n 1)
	[ -z "$_s" ] || grep -q "^$_s=[ym]" "$1"
}
