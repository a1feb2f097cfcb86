#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Puts the bundled scripts into a release's archive, which is built without esbuild and D3 then: dist.sh ESBUILD FLAGS...
# meson calls it with MESON_DIST_ROOT.
set -eu
if [ $# -eq 0 ]; then
	echo "dist.sh: a release has its page's scripts, which needs esbuild and D3: setup/packages.txt names Debian's packages" >&2
	exit 1
fi
folder=$MESON_DIST_ROOT/reporter/page
for name in page compare; do
	NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs "$@" "$folder/$name.js" "--outfile=$folder/bundled/$name.js"
done
