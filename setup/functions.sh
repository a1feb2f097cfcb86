# SPDX-License-Identifier: BSD-3-Clause
# Shared by quickstart.sh and test.sh (bash): packages and build. Sets root and build.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${EVPROF_BUILD:-$root/build}

say() { echo "== $*" >&2; }

# read_list FILE...: package names without comments
read_list() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@"; }

# program_packages FILE: the packages that a list of programs names in its second column
program_packages() { sed 's/#.*//' "$1" | cut -s -d'|' -f2 | tr ' ' '\n' | grep -vx -e '-*' || true; }

# missing_packages NAME...: those that are not installed
missing_packages() {
	local installed
	installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p')
	printf '%s\n' "$@" | grep -vxF -e "$installed" || true
}

can_be_root() {
	[ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages NAME...: apt-get what the machine lacks of them
install_packages() {
	local missing
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		say "no apt here: building with what is installed (see $root/setup/packages.txt)"
		return 0
	fi
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	missing=$(echo $missing)
	# RUNLEVEL: servers among the packages are not to start.
	local apt="env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600"
	if can_be_root; then
		say "installing: $missing"
		as_root $apt update >&2 && as_root $apt install -y --no-install-recommends $missing >&2 &&
			return 0
	fi
	say "these packages are missing; install them as root, then start again:"
	say "    apt-get update && apt-get install -y --no-install-recommends $missing"
	return 1
}

# can_preload PATH: whether LD_PRELOAD can name what lies there; it splits at spaces and colons and expands $
can_preload() {
	case $1 in
	*[[:space:]:\$]*) return 1 ;;
	esac
}

# build_tree [TARGET...]: configures once, then builds what changed of the targets, or all; silent unless it fails
build_tree() {
	local log path first=
	for path in "$root" "$build"; do
		can_preload "$path" && continue
		say "the loader cannot preload from a folder with a space, a colon or a dollar in its name: $path"
		return 1
	done
	mkdir -p "$build" 2>/dev/null
	if [ ! -w "$build" ]; then
		say "$build belongs to another user; EVPROF_BUILD=FOLDER builds elsewhere"
		return 1
	fi
	log=$build/setup.log
	if [ ! -e "$build/build.ninja" ]; then
		say "configuring $build"
		first=" for the first time: a minute or more; $log tells how far it is"
		if ! meson setup "$build" "$root" >"$log" 2>&1; then
			cat "$log" >&2
			return 1
		fi
	fi
	say "building$first"
	if ! ninja -C "$build" "$@" >"$log" 2>&1; then
		cat "$log" >&2
		return 1
	fi
}

# list_tests: lines of "SUITE+SUITE NAME", one for each test of the build
list_tests() { meson test -C "$build" --list 2>/dev/null | sed -n 's|^[^:]*:\([^ ]*\) / |\1 |p'; }

# find_tests PATTERN...: names of the tests that a pattern matches, by name or by suite; fails
# where a pattern matches none, and says which names come near
find_tests() {
	local tests pattern suites name found all="" status=0
	tests=$(list_tests)
	for pattern in "$@"; do
		found=
		while read -r suites name; do
			case $name:+$suites+ in $pattern:* | *:*+$pattern+*) found+=" $name" ;; esac
		done <<<"$tests"
		all+=$found
		[ -n "$found" ] && continue
		say "no test and no suite is named $pattern; near it:" \
			$(echo "$tests" | cut -d' ' -f2 | grep -iF -e "$pattern" | head -12)
		say "all of them: meson test -C $build --list"
		status=1
	done
	[ $status -eq 0 ] && printf '%s\n' $all | sort -u
	return $status
}
