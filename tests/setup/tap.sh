# SPDX-License-Identifier: BSD-3-Clause
# For scripts here that print TAP: root of the tree, work (a folder that is removed at the end), n, failed.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failed=0

# expect NAME EXPECTED ACTUAL
expect() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1: '$3', expected '$2'"
		failed=1
	fi
}
