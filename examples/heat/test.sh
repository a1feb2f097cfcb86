#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The result depends neither on the threads nor on the numbering of the nodes. usage: test.sh HEAT
reference="hottest 6.617583, mean 0.284516"
n=0
failed=0
for options in "-t 1" "-t 3" "-t 2 -o" "-t 3 -k" "-t 2 -k -o" "-t 64"; do
	n=$((n + 1))
	result=$("$1" -n 8 -s 3 $options | tail -1)
	if [ "$result" = "$reference" ]; then
		echo "ok $n - heat $options"
	else
		echo "not ok $n - heat $options: '$result'"
		failed=1
	fi
done
n=$((n + 1))
# No heat leaves the block.
start=$("$1" -n 8 -s 0 | sed -n 's/.*mean //p')
if [ "$start" = 0.284516 ]; then
	echo "ok $n - the mean is that of the start"
else
	echo "not ok $n - the mean began as $start"
	failed=1
fi
n=$((n + 1))
if "$1" -x 2>/dev/null; then
	echo "not ok $n - a wrong option is refused"
	failed=1
else
	echo "ok $n - a wrong option is refused"
fi
echo "1..$n"
exit $failed
