# SPDX-License-Identifier: BSD-3-Clause
# What bash does: pipelines, subshells, jobs, traps, coprocesses, descriptors, substitutions.
set -o pipefail
seq 1 50000 | tee >(md5sum >sum) | grep 7 | sort -r | head -3
echo "pipe status ${PIPESTATUS[*]}"
for i in {1..60}; do (exit $i); echo -n "$? "; done; echo
total=0; while read -r n; do total=$((total + n)); done < <(seq 1 3000); echo $total
trap 'echo got USR1' USR1; kill -USR1 $$
trap 'echo got PROF' PROF; kill -PROF $$
trap 'echo got RTMIN+3' RTMIN+3; kill -RTMIN+3 $$
trap -p | wc -l
coproc UPPER { while read -r line; do echo "${line^^}"; done; }
echo hello >&"${UPPER[1]}"; read -r answer <&"${UPPER[0]}"; echo "$answer"
exec {UPPER[1]}>&-; wait "$UPPER_PID"
exec 9>nine; echo to nine >&9; exec 9>&-
exec {free}>free; echo "next descriptor $free"; exec {free}>&-
for i in 1 2 3 4 5; do sleep 0.0$i & done; wait; echo "jobs $(jobs -r | wc -l)"
(kill -SEGV $BASHPID) 2>/dev/null; echo "status $?"
( ulimit -n 20; exec 3<&0; cat /dev/null; echo "limit $(ulimit -n)" )
i=0; while ((i < 100000)); do ((i++)); done; echo $i
cat <<< "here" | (cat; echo there) | wc -c
shopt -s lastpipe; echo last | read -r word; echo "$word"
wait; sleep 0.2; test -s sum && cat sum
exit 42
