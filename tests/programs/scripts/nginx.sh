# SPDX-License-Identifier: BSD-3-Clause
# Master and workers on a socket in this folder; requests, a reload, a graceful end.
mkdir -p www logs; seq 1 20000 >www/file
cat >nginx.conf <<CONF
daemon on; worker_processes 2; pid $PWD/pid; error_log $PWD/error.log;
events { worker_connections 64; }
http { access_log off; client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2; fastcgi_temp_path $PWD/t3;
uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5;
server { listen unix:$PWD/sock; root $PWD/www; gzip on; gzip_types text/plain; gzip_min_length 1; } }
CONF
chmod 755 . www; nginx -c "$PWD/nginx.conf" 2>/dev/null; echo "start $?"
get() { curl -sS --unix-socket sock "http://localhost/$1"; }
for i in $(seq 100); do get file; done | md5sum
for i in $(seq 8); do for j in $(seq 20); do get file | cksum; done & done | sort -u; wait
get missing | grep -c 404
kill -HUP "$(cat pid)"; sleep 0.5; get file | md5sum
curl -sS --compressed --unix-socket sock http://localhost/file | md5sum
kill -QUIT "$(cat pid)"; for i in $(seq 50); do [ -e pid ] || break; sleep 0.1; done; ls pid 2>&1
grep -cE 'alert|emerg|crit' error.log; rm -rf www logs error.log nginx.conf t? pid sock; exit 0
