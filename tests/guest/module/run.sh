#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the PMU that programs drive, boots an x86-64 guest with it, checks its counts against what a program drove,
# and runs evprof there. Prints ok and not ok lines. Packages and the guest stay in a cache directory.
# EVPROF_GUEST_LONGER=N: the programs whose shares are judged run N times as long; EVPROF_GUEST_PERIOD: between their ticks, 2ms.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_root=$(cd "$here/../../.." && pwd)
host_build=$(realpath "${EVPROF_BUILD:-$source_root/build}")
longer=${EVPROF_GUEST_LONGER:-1}
cache=${EVPROF_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/evprof-guest}/x86-pmu
for tool in qemu-system-x86_64 gcc make apt-get dpkg-deb meson python3; do
	command -v "$tool" >/dev/null || { echo "ok - x86 guest # SKIP not installed: $tool"; exit 0; }
done
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "ok - x86 guest # SKIP the host is not amd64"; exit 0; }
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

# The package that a package of that name without a version depends on.
versioned() { apt-cache depends "$1" | sed -n 's/.*Depends: \(linux-[a-z]*-[0-9].*\)/\1/p' | head -1; }

fetch() {
	local headers common kbuild deb folder link
	headers=$(versioned linux-headers-cloud-amd64)
	[ -n "$headers" ] || return 1
	common=${headers%-cloud-amd64}-common
	kbuild=$(apt-cache depends "$headers" | sed -n 's/.*Depends: \(linux-kbuild-.*\)/\1/p' | head -1)
	rm -rf "$cache"/{debs,root}
	mkdir -p "$cache"/{debs,root}
	(cd "$cache/debs" && apt-get download -qq "$(versioned linux-image-cloud-amd64)" "$headers" "$common" \
		"$kbuild" busybox-static) || return 1
	for deb in "$cache"/debs/*.deb; do dpkg-deb -x "$deb" "$cache/root" || return 1; done
	# The headers name their neighbours as if they were installed.
	sed -i "s#/usr/src/#$cache/root/usr/src/#" "$cache/root/usr/src/$headers/Makefile"
	for folder in "$cache"/root/usr/src/linux-headers-*/{scripts,tools}; do
		link=$(readlink "$folder") || continue
		ln -sfn "$cache/root/usr/lib/$kbuild/${link##*/}" "$folder"
	done
	rm -rf "$cache/debs"
	touch "$cache/stamp"
}

# The module, the programs that drive it, and evprof as installed with what it needs; the host is the same Debian.
build() {
	local modules file
	rm -rf "$cache"/{module,image}
	mkdir -p "$cache/module" "$image"/{bin,dev,proc,sys,tmp,out,modules}
	cp "$here"/{evpmu.c,evpmu.h,Kbuild} "$cache/module/"
	make -C "$(echo "$cache"/root/usr/src/linux-headers-*-cloud-amd64)" M="$cache/module" modules || return 1
	gcc -Wall -static -O1 "$here/check_evpmu.c" -o "$image/bin/check_evpmu" || return 1
	gcc -Wall -O2 -pthread "$here/mixes.c" -o "$image/bin/mixes" || return 1
	gcc -Wall -O2 -g -pthread "$here/mixes.c" -o "$image/bin/mixes_inlined" || return 1
	cp "$cache/module/evpmu.ko" "$image/"
	cp "$cache/root/bin/busybox" "$image/bin/"
	modules=$(echo "$cache"/root/lib/modules/*/kernel/drivers)
	cp "$modules"/virtio/virtio{,_ring,_pci,_pci_legacy_dev,_pci_modern_dev}.ko "$modules"/block/virtio_blk.ko \
		"$image/modules/"
	DESTDIR=$image meson install -C "$host_build" --quiet || return 1
	for file in $(find "$image" -type f -perm /111) $(ldconfig -p | sed -n 's/.*libpfm\.so\.4.*=> //p'); do
		ldd "$file" 2>/dev/null | sed -n 's#.*[[:space:]]\(/[^ ]*\) (0x.*#\1#p'
		[[ $file == "$image"* ]] || echo "$file"
	done | sort -u | while read -r file; do
		install -D -m755 "$file" "$image/$file"
	done
	install -m755 "$here/init.sh" "$image/init"
	cp "$here/scenarios.sh" "$image/"
	(cd "$image" && find . | bin/busybox cpio -o -H newc >"$cache/initramfs.cpio")
}
image=$cache/image

# Results come back as a tar archive written on a virtio disk.
boot() {
	rm -rf "$cache/out" "$cache/disk.img"
	mkdir "$cache/out"
	truncate -s 128M "$cache/disk.img"
	timeout --foreground $((1800 * longer)) qemu-system-x86_64 -M q35 -cpu Skylake-Server-v1 -smp 1 -m 1024 -accel tcg -nodefaults -nographic \
		-serial stdio -no-reboot -kernel "$(echo "$cache"/root/boot/vmlinuz-*)" -initrd "$cache/initramfs.cpio" \
		-drive file="$cache/disk.img",format=raw,if=none,id=results -device virtio-blk-pci,drive=results \
		-append "console=ttyS0 quiet panic=-1 no_timer_check evprof.longer=$longer evprof.period=${EVPROF_GUEST_PERIOD:-2ms}" </dev/null >"$cache/console.log" 2>&1 || true
	tr -d '\r' <"$cache/console.log" | grep -E '^(ok|not ok|1\.\.)' >"$cache/verdict" || true
	tar -xf "$cache/disk.img" -C "$cache/out" --warning=no-timestamp 2>/dev/null
}

if [ ! -e "$cache/stamp" ] && ! fetch >"$cache/fetch.log" 2>&1; then
	echo "ok - x86 guest # SKIP its packages cannot be had ($(tail -1 "$cache/fetch.log"))"
	exit 0
fi
build >"$cache/build.log" 2>&1 || { echo "not ok - the module does not build:"; tail -12 "$cache/build.log"; exit 1; }
boot || echo "not ok - the guest left no results" >>"$cache/verdict"
python3 "$here/verdict.py" "$host_build/reporter/evreport" "$image" "$cache/out" >>"$cache/verdict" 2>&1 ||
	echo "# verdict.py's status: $?" >>"$cache/verdict"
cat "$cache/verdict"
planned=$(sed -n 's/^1\.\.//p' "$cache/verdict" | awk '{ n += $1 } END { print n + 0 }')
n_passed=$(grep -c '^ok' "$cache/verdict" || true)
n_failed=$(grep -c '^not ok' "$cache/verdict" || true)
if [ "$planned" != $((n_passed + n_failed)) ]; then
	echo "not ok - the guest did not finish; its console's end:"
	tail -20 "$cache/console.log" | sed 's/^/# /'
	n_failed=$((n_failed + 1))
fi
echo "$n_passed passed, $n_failed failed, 0 skipped"
[ "$n_failed" = 0 ]
