/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls system(), popen() for reading and for writing, and pipelines, while another thread works. Every byte and every
 * status must be the same as without the preload. */
#include "probe.h"

static void run_system(void)
{
	probe_print_status("system true", system("true"));
	probe_print_status("system exit 9", system("exit 9"));
	probe_print_status("system kill", system("kill -TERM $$"));
	probe_print_status("system missing", system("no-such-command 2>/dev/null"));
	EXPECT_INT(system(NULL) != 0, 1);
}

static void read_pipeline(void)
{
	FILE *pipe = popen("seq 1 20000 | tr 1 2 | sort -n | md5sum | cut -c1-32", "r");
	char line[256] = "";

	EXPECT(fgets(line, sizeof(line), pipe) != NULL);
	printf("%s", line);
	probe_print_status("pclose", pclose(pipe));
}

static void write_pipe(void)
{
	FILE *pipe = popen("wc -c", "w");

	fflush(stdout);
	for (int i = 0; i < 30000; i++)
		fprintf(pipe, "%d\n", i);
	burn_ms(3);
	probe_print_status("pclose", pclose(pipe));
}

static void *work(void *stop)
{
	while (!atomic_load((atomic_int *)stop))
		burn_us(500);
	return NULL;
}

int main(void)
{
	atomic_int stop = 0;
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_create(&thread, NULL, work, &stop);
	for (int i = 0; i < 15; i++) {
		burn_us(i * 137 % 1000);
		run_system();
		read_pipeline();
		write_pipe();
	}
	stop = 1;
	pthread_join(thread, NULL);
	return probe_end();
}
