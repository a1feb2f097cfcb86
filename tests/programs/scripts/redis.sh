# SPDX-License-Identifier: BSD-3-Clause
# A server on a socket in this folder, with a client's benchmark, a forked save and an append-only file.
redis-server --port 0 --unixsocket "$PWD/redis.sock" --dir "$PWD" --appendonly yes --daemonize yes \
	--io-threads 2 --logfile "$PWD/log" --pidfile "$PWD/pid" >/dev/null
cli() { redis-cli -s "$PWD/redis.sock" "$@"; }
for _ in $(seq 100); do [ "$(cli ping 2>/dev/null)" = PONG ] && break; sleep 0.1; done
redis-benchmark -s "$PWD/redis.sock" -n 4000 -c 20 -t set,get,incr,lpush --csv | cut -d, -f1
for i in $(seq 200); do echo "set key$i value$i"; done | cli >/dev/null
cli get key77; cli dbsize; cli incr counter; cli eval 'local s = 0 for i = 1, 100000 do s = s + i end return s' 0
cli bgsave; for _ in $(seq 100); do [ "$(cli lastsave)" -gt 0 ] && break; done
cli bgrewriteaof >/dev/null; sleep 0.5
cli debug sleep 0 >/dev/null 2>&1; cli shutdown nosave; sleep 0.3
grep -ciE 'crash|assert|bug report' log
rm -rf log dump.rdb appendonlydir pid redis.sock
exit 0
