#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Boots guests whose emulated PMU sits behind the real kernel drivers, runs evprof inside and judges what
# comes back. Everything it fetches and builds stays in a cache directory; the host's packages are not touched.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_root=$(cd "$here/../.." && pwd)
all_guests="a64fx neoverse-n1 kunpeng920 power9 no-pmu"
cache=${EVPROF_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/evprof-guest}
scenarios=
update=
console=

usage() {
	cat <<EOF
usage: tests/guest/run.sh [OPTIONS] [GUEST...]
Guests: $all_guests (by default those of EVPROF_GUESTS, or all)
  --only PATTERN   only the scenarios whose name matches the shell pattern (of some guests fewer by default)
  --update         take what pmuprobe says as the expected facts (review the diff)
  --console        show the guest's console
  --cache DIR      packages, builds and results (default: $cache)
Prints ok and not ok lines; the traces and logs of guest G end up in DIR/tree-*/G/out.
EOF
}

while [ $# -gt 0 ]; do
	case $1 in
	--only) scenarios=$2; shift ;;
	--update) update=--update ;;
	--console) console=1 ;;
	--cache) cache=$2; shift ;;
	-h|--help) usage; exit 0 ;;
	-*) usage >&2; exit 2 ;;
	*) break ;;
	esac
	shift
done
guests=${*:-${EVPROF_GUESTS:-$all_guests}}

# The work of one tree: two checkouts may run at the same time.
tree=$cache/tree-$(printf %s "$source_root" | cksum | cut -d' ' -f1)
mkdir -p "$cache" "$tree"
export TMPDIR=$tree

# One unit test knows the CPUs by name. The rest asks nothing of the PMU and says the same in all guests of an
# architecture: it runs on each kind of core once, with a PMU (a64fx, which has all that neoverse-n1 has, power9) and
# without (no-pmu, whose core kunpeng920 has, too).
unit_of_names=test_event_names
# So it is with scenarios in which the PMU counts two fixed events, whatever the program does: one driver serves the
# three Arm guests. Without a PMU others are not judged.
of_programs='threads|threads_mpx|processes|exec|naps|faults|bash|xz|user_*'
without_pmu='unit|default|ocoe|faults|threads|processes|exec|bash|xz|doctor'

# What a guest is, in variables.
describe_guest() {
	units=
	usual='*'
	case $1 in
	a64fx) arch=arm64 cpu=a64fx ;;
	neoverse-n1) arch=arm64 cpu=neoverse-n1 units=$unit_of_names usual="!($of_programs)" ;;
	kunpeng920) arch=arm64 cpu=cortex-a72,midr=0x481fd010 units=$unit_of_names usual="!($of_programs)" ;;
	power9) arch=ppc64el cpu=power9 ;;
	no-pmu) arch=arm64 cpu=cortex-a72,pmu=off usual="@($without_pmu)" ;;
	*) echo "unknown guest '$1' (known: $all_guests)" >&2; exit 2 ;;
	esac
	# a64fx panics without gic-version=3. shift=N fixes the instructions per virtual time (2^N ns each), which is
	# what makes instructions count at all. POWER counts the kernel's instructions too; at half the virtual time per
	# instruction the timer ticks weigh half as much.
	case $arch in
	arm64)
		triplet=aarch64-linux-gnu cpu_family=aarch64 tty=ttyAMA0
		qemu=(qemu-system-aarch64 -M virt,gic-version=3 -icount shift=1,sleep=off)
		kernel_package=linux-image-cloud-arm64 ;;
	ppc64el)
		triplet=powerpc64le-linux-gnu cpu_family=ppc64 tty=hvc0
		qemu=(qemu-system-ppc64 -icount shift=0,sleep=off
			-M pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off)
		kernel_package=linux-image-powerpc64le ;;
	esac
	qemu+=(-cpu "$cpu")
	root=$cache/$arch/root
	libdir=usr/lib/$triplet
}

# Prints why this guest cannot be had here, or nothing.
missing_tools() {
	local tool lacking=
	for tool in "${qemu[0]}" "$triplet-gcc" cpio dpkg-deb apt-get meson ninja python3; do
		command -v "$tool" >/dev/null || lacking+=" $tool"
	done
	[ -z "$lacking" ] || echo "not installed:$lacking (apt-get install" \
		"$(tr '\n' ' ' <"$here/packages" | sed 's/ $//'))"
}

# The guest's packages: the libraries that evprof is built against, as on the host, and what runs inside.
guest_packages="$(sed -n 's/^\(lib[^#]*-dev\|zlib1g-dev\)$/\1/p' "$source_root/setup/packages.txt" |
	sed 's/^libopenblas-dev$/libopenblas-serial-dev/' | tr '\n' ' ')libpapi-dev busybox-static xz-utils bash coreutils"

# apt with a state of its own and an empty dpkg status: the whole closure is resolved and fetched for another
# architecture without telling the host's dpkg.
guest_apt() {
	local command=$1
	shift
	"$command" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o Dir::State="$apt" -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status" \
		-o Dir::Cache="$apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User= \
		-o APT::Install-Recommends=false -q "$@"
}

fetch_packages() {
	local apt=$cache/$arch/apt debs=$cache/$arch/debs kernel names
	rm -rf "$apt" "$debs"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$debs"
	: >"$apt/status"
	# Not every suite of the host has every architecture: what is missing shows below.
	guest_apt apt-get update || true
	kernel=$(guest_apt apt-cache depends $kernel_package |
		sed -n 's/.*Depends: \(linux-image-[0-9].*\)$/\1/p' | head -1)
	[ -n "$kernel" ] || { echo "no package $kernel_package for $arch"; return 1; }
	names=$(guest_apt apt-get install --print-uris -y $guest_packages |
		sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p")
	(cd "$debs" && guest_apt apt-get download $kernel $names)
}

# One directory that both the cross compiler and pkg-config take for the guest's /.
unpack_packages() {
	local arch_dir=$cache/$arch deb link target
	rm -rf "$root" "$arch_dir/kernel"
	mkdir -p "$root"/usr/{lib,bin,sbin} "$arch_dir/kernel"
	ln -s usr/lib usr/bin usr/sbin "$root/"
	for deb in "$arch_dir"/debs/*.deb; do
		case $deb in
		*/linux-image-*) dpkg-deb --fsys-tarfile "$deb" |
			tar -x --wildcards --no-same-owner -C "$arch_dir/kernel" './boot/vmlinu*' \
				'*/drivers/virtio/virtio*.ko' '*/drivers/block/virtio_blk.ko' || return 1 ;;
		*) dpkg-deb --fsys-tarfile "$deb" |
			tar -x --keep-directory-symlink --no-same-owner -C "$root" || return 1 ;;
		esac
	done
	# What update-alternatives would have done.
	for link in "$root/$libdir"/openblas-serial/*.so*; do
		ln -sf "openblas-serial/${link##*/}" "$root/$libdir/"
	done
	ln -sf ../openblas-serial/pkgconfig/openblas.pc "$root/$libdir/pkgconfig/"
	ln -sf ../openblas-serial/pkgconfig/lapack-openblas.pc "$root/$libdir/pkgconfig/lapack.pc"
	ln -sf ../openblas-serial/pkgconfig/blas-openblas.pc "$root/$libdir/pkgconfig/blas.pc"
	find "$root" -type l -lname '/*' | while read -r link; do
		target=$(readlink "$link")
		ln -sfn "$(realpath -m --relative-to="${link%/*}" "$root$target")" "$link"
	done
	rm -rf "$arch_dir/debs" "$arch_dir/apt" "$root/usr/share/doc" "$root/usr/share/man"
}

prepare_packages() {
	local stamp=$cache/$arch/stamp wanted log=$cache/$arch/fetch.log
	wanted="$kernel_package $guest_packages"
	mkdir -p "$cache/$arch"
	exec 8>"$cache/$arch/lock"
	flock 8
	if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
		echo "# fetching the packages of $arch (some 60 MB, once)" >&2
		rm -f "$stamp"
		{ fetch_packages && unpack_packages; } >"$log" 2>&1 || {
			why="packages of $arch cannot be had ($(tail -1 "$log"))"
			return 1
		}
		printf %s "$wanted" >"$stamp"
	fi
	exec 8>&-
}

# (Called under "if": errors are returned by hand, the shell's own exit on errors is off there.)
build_evprof() {
	local build=$tree/build-$arch stage=$tree/stage-$arch program name unit_tests installed
	cat >"$tree/cross-$arch.ini" <<EOF
[constants]
root = '$root'
[binaries]
c = '$triplet-gcc'
ar = '$triplet-gcc-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'
[host_machine]
system = 'linux'
cpu_family = '$cpu_family'
cpu = '$cpu_family'
endian = 'little'
[properties]
sys_root = root
pkg_config_libdir = root + '/$libdir/pkgconfig'
[built-in options]
c_args = ['--sysroot=' + root, '-g1']
c_link_args = ['--sysroot=' + root, '-Wl,-rpath-link,' + root + '/$libdir']
EOF
	# Headers only, the same for every processor; the host's build needs them too.
	[ -e "$root/usr/include/valgrind" ] || cp -r /usr/include/valgrind "$root/usr/include/" || return 1
	# An old build directory may no longer fit the tree: then once more from the start.
	if ! ninja -C "$build" build.ninja; then
		rm -rf "$build"
		meson setup --prefix=/usr --libdir=lib --cross-file "$tree/cross-$arch.ini" "$build" "$source_root" ||
			return 1
	fi
	# What is installed, and the unit tests of what runs inside programs: the guest's processor has encodings,
	# stacks and system calls of its own.
	unit_tests=(tests/unit/test_event_names)
	for program in "$source_root"/common/*.c "$source_root"/preload/{,*/}*.c; do
		name=tests/unit/test_$(basename "$program" .c)
		# the reporter's file of that name has the test, which reads the weights of the source tree
		[ "$name" != tests/unit/test_models ] || continue
		! grep -q "^build $name:" "$build/build.ninja" || unit_tests+=("$name")
	done
	installed=$(meson introspect --installed "$build" |
		python3 -c 'import json, os, sys
for path in json.load(sys.stdin): print(os.path.relpath(path, sys.argv[1]))' "$build" | grep -v '^\.\.')
	# And the libraries that stand in for others in them.
	mapfile -t -O ${#unit_tests[@]} unit_tests < <(grep -o '^build tests/unit/[^ ]*\.so:' "$build/build.ninja" |
		sed 's/^build //; s/:$//')
	ninja -C "$build" "${unit_tests[@]}" $installed || return 1
	rm -rf "$stage"
	mkdir -p "$stage/t/unit"
	DESTDIR=$stage meson install -C "$build" --quiet --no-rebuild || return 1
	(cd "$build" && cp "${unit_tests[@]}" "$stage/t/unit/")
	for program in "$here"/*.c; do
		"$triplet-gcc" --sysroot="$root" -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Wall -pthread "$program" \
			-o "$stage/t/$(basename "$program" .c)" || return 1
	done
	cp "$here/scenarios.sh" "$stage/t/"
}

# Copies the shared libraries that the given ELF files need, and theirs, into the image.
copy_libraries() {
	local todo=("$@") file library
	while [ ${#todo[@]} -gt 0 ]; do
		file=${todo[0]}
		todo=("${todo[@]:1}")
		for library in $(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
			[ ! -e "$image/$libdir/$library" ] && [ -e "$root/$libdir/$library" ] || continue
			cp -L "$root/$libdir/$library" "$image/$libdir/"
			todo+=("$root/$libdir/$library")
		done
	done
}

pack_image() {
	local image=$tree/$guest/image applet modules
	rm -rf "$image"
	mkdir -p "$image"/{dev,proc,sys,tmp,etc,out,modules} "$image"/usr/{bin,lib} "$image/$libdir"
	ln -s usr/lib usr/bin "$image/"
	cp -a "$root"/lib64 "$image/" 2>/dev/null || true
	cp -L "$root"/lib/ld-linux-aarch64.so.1 "$image/usr/lib/" 2>/dev/null || true
	cp "$root/bin/busybox" "$root"/bin/{bash,xz,env,sort,timeout} "$image/usr/bin/"
	for applet in $busybox_applets; do
		[ -e "$image/usr/bin/$applet" ] || ln -s busybox "$image/usr/bin/$applet"
	done
	cp -a "$tree/stage-$arch/." "$image/"
	if [ -n "$units" ]; then
		find "$image/t/unit" -name 'test_*' ! -name "$units" -delete
	fi
	# Loaded by name when needed, so that no ELF file names them (libanl: by a unit test).
	cp -L "$root/$libdir"/{libpfm.so.4,libpapi.so.7.0,libdeflate.so.0,libgcc_s.so.1,libz.so.1,libanl.so.1} \
		"$image/$libdir/"
	mapfile -t elf < <(find "$image" -type f \( -perm /111 -o -name '*.so*' \))
	copy_libraries "${elf[@]}"
	modules=$(echo "$cache/$arch"/kernel/lib/modules/*/kernel/drivers)
	cp "$modules"/virtio/virtio{,_ring,_pci,_pci_legacy_dev,_pci_modern_dev}.ko \
		"$modules"/block/virtio_blk.ko "$image/modules/"
	printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/bash\n' >"$image/etc/passwd"
	printf 'guest\n' >"$image/etc/hostname"
	install -m755 "$here/init.sh" "$image/init"
	(cd "$image" && find . -print0 | cpio --null -o -H newc --quiet --owner=0:0) >"$tree/$guest/initramfs.cpio"
}
busybox_applets="sh mount umount cat echo ls poweroff dmesg grep insmod tar sync mkdir cmp head tail sleep true
	false sed cut rm cp mv id chmod ln touch kill wc tr su hostname date test dd md5sum uname ps printf"

# Results come back as a tar archive written on a virtio disk: byte-exact, of any size, with two modules.
boot() {
	local kernel disk=$tree/$guest/disk.img log=$tree/$guest/console.log status=0
	kernel=$(echo "$cache/$arch"/kernel/boot/vmlinu*)
	rm -rf "$disk" "$tree/$guest/out"
	mkdir -p "$tree/$guest/out"
	truncate -s 128M "$disk"
	timeout --foreground 3000 "${qemu[@]}" -smp 1 -m 1024 -accel tcg -nodefaults -nographic -serial stdio -no-reboot \
		-kernel "$kernel" -initrd "$tree/$guest/initramfs.cpio" \
		-append "console=$tty quiet panic=-1 evprof.only=${scenarios:-$usual}" \
		-drive file="$disk",format=raw,if=none,id=results -device virtio-blk-pci,drive=results \
		</dev/null >"$log" 2>&1 || status=$?
	[ -z "$console" ] || cat "$log"
	if [ $status != 0 ] || ! tar -xf "$disk" -C "$tree/$guest/out" --warning=no-timestamp 2>/dev/null; then
		echo "not ok - $guest: the guest did not finish (qemu's status $status); its console's end:"
		tail -20 "$log" | sed 's/^/# /'
		return 1
	fi
	rm -f "$disk" "$tree/$guest/initramfs.cpio"
}

# Packages and build of one guest's architecture; prints the verdict line and fails where that is not possible.
prepare_guest() {
	local why
	why=$(missing_tools)
	if [ -n "$why" ] || ! prepare_packages; then
		echo "ok - $arch # SKIP $why"
		return 1
	fi
	if ! build_evprof >"$tree/build-$arch.log" 2>&1; then
		echo "not ok - evprof does not build for $arch:"
		tail -12 "$tree/build-$arch.log" | sed 's/^/# /'
		return 1
	fi
}

run_guest() {
	pack_image
	boot || return 0
	python3 "$here/verdict.py" $update --guest "$guest" \
		--evprof "$host_build/preload/evprof" --evreport "$host_build/reporter/evreport" \
		--sysroot "$tree/$guest/image" "$tree/$guest/out" 2>&1 ||
		echo "# verdict.py's status: $?"
}

exec 9>"$tree/lock"
flock 9
# The host's evprof plans what the guests' opened, its evreport reads what they wrote: of the same sources.
host_build=$(realpath "${EVPROF_BUILD:-$source_root/build}")
[ ! -e "$host_build/build.ninja" ] || ninja -C "$host_build" preload/evprof reporter/evreport >"$tree/build-host.log" 2>&1 || true
n_at_once=$(nproc)
prepared=
for guest in $guests; do
	describe_guest "$guest"
	mkdir -p "$tree/$guest"
	verdict=$tree/$guest/verdict
	case " $prepared " in
	*" $arch "*) ;;
	*) prepare_guest >"$tree/prepared-$arch" && : >"$tree/prepared-$arch"
		prepared+=" $arch" ;;
	esac
	cp "$tree/prepared-$arch" "$verdict"
	[ ! -s "$verdict" ] || continue
	# A guest keeps one processor busy. Its time is counted in instructions: neighbours do not change it.
	while [ "$(jobs -rp | wc -l)" -ge "$n_at_once" ]; do wait -n || true; done
	run_guest >"$verdict" &
done
wait
for guest in $guests; do
	verdict=$tree/$guest/verdict
	cat "$verdict"
	grep -q -e '^1\.\.' -e '^not ok' -e '# SKIP' "$verdict" || echo "not ok - $guest: no verdict" | tee -a "$verdict"
done
cd "$tree"
count() { for guest in $guests; do cat "$guest/verdict"; done | grep -c "$1" || true; }
n_failed=$(count '^not ok')
n_skipped=$(count '^ok .*# SKIP')
n_passed=$(($(count '^ok ') - n_skipped))
echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
[ "$n_failed" = 0 ]
