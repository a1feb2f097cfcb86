# SPDX-License-Identifier: BSD-3-Clause
# The same in small for dash.
i=0; while [ $i -lt 100 ]; do i=$((i + 1)); /bin/true || echo failed; done; echo $i
seq 1 20000 | sed 's/1/one/g' | cksum
trap 'echo bye' EXIT
(trap '' TERM; sh -c 'kill -TERM $$; echo survived')
sh -c 'kill -TERM $$'; echo "status $?"
x=$(echo a | cat | cat | cat); echo "$x"
sleep 5 & kill -INT $! ; kill -KILL $!; wait $! 2>/dev/null; echo "status $?"
exit 9
