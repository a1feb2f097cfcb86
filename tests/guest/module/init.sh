#!/bin/busybox sh
# SPDX-License-Identifier: BSD-3-Clause
export PATH=/bin:/usr/bin:/usr/local/bin
busybox=/bin/busybox
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sysfs /sys
$busybox mount -t devtmpfs dev /dev
$busybox mount -t tmpfs tmpfs /tmp
$busybox mount -t tmpfs tmpfs /out
$busybox --install -s /bin
echo 1 >/proc/sys/kernel/perf_event_paranoid
insmod /evpmu.ko n_general=4 n_fixed=2
check_evpmu
sh /scenarios.sh
dmesg >/out/dmesg
for round in 1 2 3; do
	for module in /modules/*.ko; do insmod $module 2>/dev/null; done
done
tar -cf /dev/vda -C /out . && sync
poweroff -f
