# Where Debian packages come from (sourced after lib.sh).
#
# MIRROR names the archive to use; by default it is the one that this host's
# apt is set up with.

SUITE=trixie
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

mirror() {
	[ -z "${MIRROR-}" ] || { echo "$MIRROR"; return; }
	_m=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		grep -E '/debian/*$|^mirror\+file:.*/debian\.list/*$' | head -n 1)
	# Debian's cloud images name a file with addresses.
	case $_m in
	mirror+file:*)
		_m=${_m#mirror+file:}
		_m=$(awk '!/^#/ && NF { print $1; exit }' "${_m%/}")
	esac
	[ -n "$_m" ] || die "apt on this host names no Debian archive" "MIRROR=<address of a Debian mirror> make ..."
	echo "$_m"
}

# packages FILE: the names in FILE, joined by commas
packages() { sed 's/#.*//' "$1" | tr -s ' \t\n' ',' | sed 's/^,//; s/,$//'; }

# bootstrap OUTPUT.tar OPTION...: a file system of $SUITE as a tarball, complete or absent
bootstrap() {
	_tar=$1
	shift
	_m=$(mirror)
	set -- "$@" "$SUITE" "$_tar.part" "deb [signed-by=$KEYRING] $_m $SUITE main"
	# Only a release has updates.
	[ "$SUITE" = sid ] || set -- "$@" "deb [signed-by=$KEYRING] $_m $SUITE-updates main"
	at_exit "rm -f $(quote "$_tar.part")"
	# mmdebstrap has a shell write to a descriptor of its own, and dash takes numbers below 10 only:
	# ours are closed for it.
	long "$(basename "$_tar" .tar)" "$_tar.log" \
		sh -c 'exec "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-' sh mmdebstrap --format=tar --mode=auto \
		--aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' "$@" ||
		die "mmdebstrap failed" "see $_tar.log; is the archive $_m reachable, and the disk not full?"
	mv "$_tar.part" "$_tar"
}
