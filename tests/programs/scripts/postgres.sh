# SPDX-License-Identifier: BSD-3-Clause
# A cluster in this folder, initdb to pg_ctl stop, with pgbench between; run as an ordinary user.
set -e
PATH=$(ls -d /usr/lib/postgresql/*/bin | tail -1):$PATH
export PGHOST=$PWD PGPORT=5432 PGDATABASE=postgres PGUSER=me
initdb -D data -U me -A trust -N --no-locale -E UTF8 >initdb.log
pg_ctl -D data -w -l log -o "-c listen_addresses= -c unix_socket_directories=$PWD -c fsync=off" start >/dev/null
pgbench -q -i -s 2 2>/dev/null
pgbench -n -c 4 -j 2 -t 250 --random-seed=7 >bench.log 2>&1
grep 'actually processed' bench.log
psql -qAt <<-'SQL'
	select count(*), (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history) from pgbench_history;
	set max_parallel_workers_per_gather = 2; set min_parallel_table_scan_size = 0;
	set parallel_setup_cost = 0; set parallel_tuple_cost = 0;
	select count(*), sum(aid) from pgbench_accounts where aid % 3 = 0;
	select pg_sleep(0.1) is not null; set statement_timeout = 200; select pg_sleep(5); set statement_timeout = 0;
	vacuum analyze pgbench_accounts; checkpoint;
SQL
pg_ctl -D data -w -m fast stop >/dev/null
grep -ciE 'panic|crash|terminated by signal|server process' log || true
rm -rf data log bench.log initdb.log
