#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The guest's first and only process tree: mounts, runs the scenarios, writes /out on the results disk, powers off.
export PATH=/usr/bin:/t HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /out
hostname guest
# As a distribution's init leaves it; the kernel's own hard limit is 4096.
ulimit -Hn 524288
ulimit -Sn 1024
chmod 1777 /tmp /out
only=$(sed -n 's/.*evprof\.only=\([^ ]*\).*/\1/p' /proc/cmdline)
bash /t/scenarios.sh --guest --out /out --only "$only" >/out/log 2>&1
echo $? >/out/status
dmesg >/out/dmesg
cat /out/log
# Their order follows from their dependencies, and differs between kernels in what is built in.
for round in 1 2 3; do
	for module in /modules/*.ko; do insmod $module 2>/dev/null; done
done
tar -cf /dev/vda -C /out . && sync
poweroff -f
