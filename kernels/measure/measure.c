// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures one group of events at all points and repetitions. Each thread is pinned to a CPU and opens
 * counters of its own; all threads start a point together. Repetitions are the outer loop, so that a slow
 * drift shows as noise between repetitions.
 */
#include "kernels/measure/measure.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { max_tries = 5 };

/* A lock that holds threads back until all of them are created. If one could not be created, the others would wait for
 * it at the barrier for ever, so they are cancelled. */
struct gate {
	pthread_mutex_t lock;
	bool is_cancelled;
};

struct worker {
	struct gate *gate;
	struct ep_measurement *measurement;
	const struct ep_event *events; /* (G) events of the group */
	size_t n_events;
	size_t thread;
	pthread_barrier_t *start;
	int rc;
};

static double *value_at(const struct worker *w, size_t event, size_t rep, size_t point)
{
	const struct ep_measurement *m = w->measurement;
	size_t n_points = m->run->set.basis.rows.n, n_threads = m->run->n_threads;

	return m->values + ((event * m->n_reps + rep) * n_threads + w->thread) * n_points + point;
}

static int count_once(struct worker *w, struct ep_count_group *group, size_t point, double *counts)
{
	struct ep_run *run = w->measurement->run;
	const struct ep_count_source *source = w->measurement->source;

	if (run->kernel->prepare)
		run->kernel->prepare(run, point, w->thread);
	if (run->n_threads > 1)
		pthread_barrier_wait(w->start);
	source->start(group);
	run->kernel->work(run, point, w->thread);
	return source->stop(group, counts);
}

/* Counts one point, and tries again if the counters were shared with other programs. Several threads do not try again:
 * before each count every thread waits for all others, so all must count equally often. */
static int count_point(struct worker *w, struct ep_count_group *group, size_t rep, size_t point)
{
	struct ep_run *run = w->measurement->run;
	size_t n_tries = run->n_threads > 1 ? 1 : max_tries;
	double counts[EP_COUNT_GROUP_MAX], divisor = run->kernel->divisor(run, point);
	int rc = -EAGAIN;

	group->item = (struct ep_work_item){ &run->set.basis, point, divisor };
	for (size_t i = 0; i < n_tries && rc == -EAGAIN; i++)
		rc = count_once(w, group, point, counts);
	for (size_t g = 0; !rc && g < w->n_events; g++) {
		double value = counts[g] / divisor;

		if (run->grid > 0)
			value = run->grid * floor(value / run->grid + 0.5);
		*value_at(w, g, rep, point) = value;
	}
	return rc;
}

static int open_group(struct worker *w, struct ep_count_group *group, struct ep_error *err)
{
	size_t n_fit = 0;
	int rc;

	*group = (struct ep_count_group){ .events = w->events, .n = w->n_events };
	rc = w->measurement->source->open(group, &n_fit, err);
	if (!rc && n_fit < w->n_events) {
		w->measurement->source->close(group);
		rc = -EAGAIN;
	}
	return rc;
}

static bool pass_gate(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	bool may_pass = !gate->is_cancelled;
	pthread_mutex_unlock(&gate->lock);
	return may_pass;
}

static void run_points(struct worker *w)
{
	struct ep_run *run = w->measurement->run;
	size_t n_points = run->set.basis.rows.n;
	struct ep_count_group group;
	struct ep_error err;
	int rc = ep_cal_machine_pin(run->machine->cpus[w->thread % run->machine->n_cpus]);

	w->rc = rc ? rc : open_group(w, &group, &err);
	bool is_open = !w->rc;
	for (size_t rep = 0; rep < w->measurement->n_reps; rep++)
		for (size_t point = 0; point < n_points; point++) {
			if (is_open && (!w->rc || run->n_threads > 1))
				rc = count_point(w, &group, rep, point);
			else if (run->n_threads > 1)
				pthread_barrier_wait(w->start);
			w->rc = w->rc ? w->rc : rc;
		}
	if (is_open)
		w->measurement->source->close(&group);
}

static void *run_worker(void *argument)
{
	struct worker *w = argument;

	if (pass_gate(w->gate))
		run_points(w);
	return NULL;
}

static int run_workers(struct worker *workers, size_t n)
{
	struct gate *gate = workers[0].gate;
	pthread_t threads[EP_MAX_MEASURE_CPUS];
	size_t n_started = 1;
	int rc = 0;

	pthread_mutex_lock(&gate->lock);
	while (!rc && n_started < n) {
		rc = -pthread_create(&threads[n_started], NULL, run_worker, &workers[n_started]);
		n_started += !rc;
	}
	gate->is_cancelled = rc;
	pthread_mutex_unlock(&gate->lock);
	run_worker(&workers[0]);
	for (size_t i = 1; i < n_started; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < n && !rc; i++)
		rc = workers[i].rc;
	return rc;
}

/* Finds how many of the first events can be counted together, by opening them in the main thread. */
static int fit_group(struct ep_measurement *m, const struct ep_event *events, size_t n_events,
	size_t *out_n, struct ep_error *err)
{
	struct ep_count_group group = { .events = events, .n = n_events };
	int rc = m->source->open(&group, out_n, err);

	if (!rc) {
		group.n = *out_n;
		m->source->close(&group);
	}
	return rc;
}

int ep_measurement_group(struct ep_measurement *m, const struct ep_event *events, size_t n_events,
	size_t *out_n, struct ep_error *err)
{
	struct worker workers[EP_MAX_MEASURE_CPUS];
	struct gate gate = { PTHREAD_MUTEX_INITIALIZER, false };
	size_t n_threads = m->run->n_threads, n_max = n_events;
	pthread_barrier_t start;
	int rc;

	n_max = n_max < EP_COUNT_GROUP_MAX ? n_max : EP_COUNT_GROUP_MAX;
	*out_n = 1;
	rc = fit_group(m, events, n_max, out_n, err);
	if (rc)
		return rc;
	pthread_barrier_init(&start, NULL, (unsigned)n_threads);
	for (size_t t = 0; t < n_threads; t++)
		workers[t] = (struct worker){ &gate, m, events, *out_n, t, &start, 0 };
	rc = run_workers(workers, n_threads);
	pthread_barrier_destroy(&start);
	return rc ? ep_fail(err, rc, "%s",
			    rc == -EAGAIN ? "another program had its counters at each try"
					  : strerror(-rc))
		  : 0;
}

int ep_measurement_init(struct ep_measurement *m, struct ep_run *run,
	const struct ep_count_source *source, size_t n_reps, struct ep_error *err)
{
	size_t n = EP_COUNT_GROUP_MAX * n_reps * run->n_threads * run->set.basis.rows.n;

	*m = (struct ep_measurement){ run, source, n_reps, calloc(n, sizeof(double)) };
	return m->values ? 0 : ep_fail(err, -ENOMEM, "out of memory");
}

void ep_measurement_finish(struct ep_measurement *m)
{
	free(m->values);
	*m = (struct ep_measurement){ 0 };
}
