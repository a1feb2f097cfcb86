# SPDX-License-Identifier: BSD-3-Clause
# A debugger's session: breakpoints, a stop, threads, a fork; no stop but those asked for.
cat >p.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sink;
void reached(int n) { sink += n; }
static void *work(void *arg) { for (long i = 0; i < 100000000; i++) sink += i; return arg; }
int main(void) {
	pthread_t t;
	reached(1);
	pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0);
	reached(2);
	if (!fork()) _exit(3);
	wait(0);
	return 4;
}
C
gcc -g -pthread p.c -o p
gdb -nx -q -batch -ex 'set debuginfod enabled off' -ex 'set print thread-events off' \
	-ex 'set print inferior-events off' -ex 'break reached' -ex run -ex 'info args' -ex continue -ex bt -ex continue ./p
rm -f p p.c
