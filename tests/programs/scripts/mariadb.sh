#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A database of its own: made, started, asked, shut down.
set -e
as_root=
[ "$(id -u)" != 0 ] || as_root=--user=root
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(--no-defaults $as_root --datadir="$folder/data" --skip-networking --socket="$folder/socket" --pid-file="$folder/pid")
mariadb-install-db --no-defaults $as_root --datadir="$folder/data" --auth-root-authentication-method=normal \
	--skip-test-db >/dev/null
"$(command -v mariadbd || echo /usr/sbin/mariadbd)" "${options[@]}" 2>/dev/null &
for _ in $(seq 300); do
	[ -S "$folder/socket" ] && break
	sleep 0.1
done
mariadb --no-defaults -u root -S "$folder/socket" <<'END'
create database work;
use work;
create table a (i int primary key, s varchar(50));
insert into a select seq, md5(seq) from seq_1_to_100000;
select count(*), sum(length(s)), md5(group_concat(s order by i limit 1000)) from a;
select left(s, 1) k, count(*) from a group by k order by k;
END
mariadb-admin --no-defaults -u root -S "$folder/socket" shutdown
wait $!
echo "ended with $?"
