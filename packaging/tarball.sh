#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Packs a build into one archive that runs from any folder: packaging/tarball.sh [BUILD [FOLDER]].
#
# BUILD (build/) is a finished build; evprof-VERSION-linux-PROCESSOR.tar.gz comes into FOLDER (this one). The archive
# has what 'meson install' puts in place, and the libraries that evreport and evcal need besides the C library, found
# by an RPATH of the programs (meson's option relocatable). The C library of the machine where it runs must be as new as the one here.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${1:-$root/build}")
out=$(realpath "${2:-.}")

fail() {
	echo "tarball.sh: $*" >&2
	exit 1
}

for tool in meson readelf strip; do
	command -v $tool >/dev/null || fail "$tool is missing; as root: apt-get install meson binutils"
done
[ -x "$build/reporter/evreport" ] || fail "$build is no build with evreport; ./quickstart.sh makes one"
readelf -d "$build/reporter/evreport" | grep -qF '$ORIGIN/../lib/evprof' ||
	fail "$build was set up with -Drelocatable=false"

version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$root/meson.build")
name=evprof-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$(meson introspect "$build" --buildoptions |
	python3 -c 'import json, sys; print(*[o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"])')
# quickstart.sh builds less than is installed
{ DESTDIR=$work/there meson install -C "$build" --no-rebuild ||
	{ ninja -C "$build" && DESTDIR=$work/there meson install -C "$build" --no-rebuild; }; } >"$work/log" 2>&1 || {
	cat "$work/log" >&2
	fail "meson install failed"
}
mv "$work/there$prefix" "$work/$name"
cd "$work/$name"

# The C library and the loader belong together, and to the machine.
needed() {
	ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
		grep -Ev '/(libc|libm|libmvec|libdl|libpthread|librt|libresolv|libanl|libutil|libnsl)\.so\.[0-9]+$' || true
}

# Of a library that lies in the archive; on Debian, files of /usr/lib may be known as those of /lib.
copy_licence() {
	local package
	package=$({ dpkg -S "$1" || dpkg -S "${1#/usr}"; } 2>/dev/null | sed -n '1s/:.*//p') || return 0
	[ -z "$package" ] || [ ! -e "/usr/share/doc/$package/copyright" ] ||
		cp -L "/usr/share/doc/$package/copyright" "$licences/copyright.$package"
}

# Linked with the MPI and the GPU's runtime of one machine.
rm -f bin/evreport-reduce bin/evcal-gpu
programs=(bin/*)
own=lib/evprof
mkdir -p "$own"
licences=share/doc/evprof
mkdir -p "$licences"
for library in $(needed "${programs[@]}"); do
	cp -L "$library" "$own/"
	copy_licence "$(realpath "$library")"
done
find . -name 'libevprof*.so' -exec strip --strip-unneeded "${programs[@]}" {} +
cp -r "$root/LICENSE" "$root/reporter/page/d3.licence" "$root/NEWS.md" "$root/README.md" "$root/docs" "$licences/"
tar -C "$work" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"
echo "$out/$name.tar.gz"
