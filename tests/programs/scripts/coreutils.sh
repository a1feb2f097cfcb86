# SPDX-License-Identifier: BSD-3-Clause
# Many small programs, one after the other, each a process with a start and an end.
for i in $(seq 80); do
	seq $i | factor | md5sum
	printf '%d\n' $i | tr 0-9 a-j
done | sha256sum
seq 1 400000 >random; seq 1 100000 | shuf --random-source=random | sort -n | split -l 10000 - part.
wc -l part.* | tail -1; cat part.* | od -An -tx1 | tail -1; cut -c2 part.aa | uniq -c | head -3
dd if=/dev/zero of=zero bs=64k count=64 status=none; cksum zero; truncate -s 10 zero
ls -1 | wc -l; stat -c %s zero; mkfifo fifo; (cat fifo & echo through >fifo; wait); rm fifo
nice -n 5 nice; stdbuf -oL echo line; expr 6 \* 7; test 1 -eq 2; echo $?
date -u -d @0; numfmt --to=iec 1048576; basename "$PWD"; comm <(seq 3) <(seq 2 4) | cat -A
yes | head -100000 | md5sum; echo "${PIPESTATUS[0]}"
