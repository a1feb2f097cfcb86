// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_derive [EVENTS [REPS]]: time of the analysis on a generated set (48 points x 16 dims), and
 * of reading the same set as CSV. Best of five; events per second is what should stay level.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/cat_large.h"
#include "kernels/derive/derive.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double time_derive(const struct ep_set *set, size_t *out_n_chosen)
{
	struct ep_derivation derivation;
	struct ep_error err;
	double start = now_ms();

	if (ep_derive(&derivation, set, &err)) {
		ep_error_print(&err, "bench_derive");
		exit(1);
	}
	double ms = now_ms() - start;
	*out_n_chosen = derivation.n_chosen;
	ep_derivation_finish(&derivation);
	return ms;
}

static void write_csv(const struct ep_set *set, const char *path)
{
	const struct ep_events *events = &set->events;
	FILE *out = fopen(path, "w");

	fprintf(out, "event,rep,thread");
	for (size_t p = 0; p < events->n_points; p++)
		fprintf(out, ",%s", set->basis.rows.items[p]);
	for (size_t e = 0; e < events->names.n; e++)
		for (size_t row = events->first_row[e]; row < events->first_row[e + 1]; row++) {
			fprintf(out, "\n%s,%zu,0", events->names.items[e],
				row - events->first_row[e]);
			for (size_t p = 0; p < events->n_points; p++)
				fprintf(out, ",%.10g", events->values[row * events->n_points + p]);
		}
	fprintf(out, "\n");
	fclose(out);
}

static double time_read(const struct ep_set *set, const char *path)
{
	struct ep_events events;
	struct ep_error err;
	double start = now_ms();

	if (ep_events_read(&events, path, &set->basis.rows, &err)) {
		ep_error_print(&err, "bench_derive");
		exit(1);
	}
	double ms = now_ms() - start;
	ep_events_finish(&events);
	return ms;
}

int main(int argc, char **argv)
{
	size_t n_events = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
	size_t n_reps = argc > 2 ? strtoul(argv[2], NULL, 0) : 2, n_chosen = 0;
	double derive_ms = 1e9, read_ms = 1e9;
	char path[] = "/tmp/evprof-bench-XXXXXX";
	struct ep_error err;
	struct ep_set set;
	struct stat st;

	if (cat_large_init(&set, "flops", n_events, 1, n_reps, &err) || close(mkstemp(path)))
		return 1;
	write_csv(&set, path);
	stat(path, &st);
	for (int i = 0; i < 5; i++) {
		double ms = time_derive(&set, &n_chosen);

		derive_ms = ms < derive_ms ? ms : derive_ms;
		ms = time_read(&set, path);
		read_ms = ms < read_ms ? ms : read_ms;
	}
	unlink(path);
	printf("%zu events x %zu points x %zu reps: analysis %.1f ms (%zu chosen), "
	       "reading %.1f MB of CSV %.1f ms, %.0f MB/s\n",
		n_events, set.basis.rows.n, n_reps, derive_ms, n_chosen, (double)st.st_size / 1e6,
		read_ms, (double)st.st_size / 1e3 / read_ms);
	cat_large_finish(&set);
	return 0;
}
