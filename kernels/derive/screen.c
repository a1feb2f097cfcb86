// SPDX-License-Identifier: BSD-3-Clause
/*
 * One pass over the measurements, in two threads when the table is large: what is left after it is
 * small. E events, P points, D dims, K kept; events are projected in batches of B.
 */
#include "kernels/derive/screen.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/derive/noise.h"

const char *const ep_event_status_name[] = { "zero", "noisy", "unrepresentable", "kept" };

/* A batch of 48 points and 16 dims stays inside L2: 256 * (48 + 16) * 8 bytes = 128 KiB. */
enum { batch_size = 256, events_per_thread = 4096, n_threads_max = 2 };

/* The share of one thread: events first .. end - 1. */
struct thread_share {
	const struct ep_events *events;
	const struct ep_projector *projector;
	const struct ep_params *params;
	struct ep_screen *screen; /* its per-event arrays are filled */
	size_t first, end;

	double *sums;     /* (R) */
	double *means;    /* (B, P) */
	double *x_batch;  /* (B, D) */
	double *residual; /* (B) */
	size_t *pending;  /* (B), events in the batch */
	size_t n_pending;

	size_t n_kept, capacity;
	size_t *kept; /* (K) */
	double *x;    /* (K, D) */
	int rc;
};

static size_t max_reps(const struct ep_events *events)
{
	size_t most = 1;

	for (size_t e = 0; e < events->names.n; e++) {
		size_t n_reps = events->first_row[e + 1] - events->first_row[e];

		most = n_reps > most ? n_reps : most;
	}
	return most;
}

static int open_share(struct thread_share *share)
{
	size_t n_points = share->projector->n_points, n_dims = share->projector->n_dims;

	share->sums = malloc(max_reps(share->events) * sizeof(double));
	share->means = malloc(batch_size * n_points * sizeof(double));
	share->x_batch = malloc(batch_size * n_dims * sizeof(double));
	share->residual = malloc(batch_size * sizeof(double));
	share->pending = malloc(batch_size * sizeof(size_t));
	if (!share->sums || !share->means || !share->x_batch || !share->residual || !share->pending)
		return -ENOMEM;
	return 0;
}

static void close_share(struct thread_share *share)
{
	free(share->sums);
	free(share->means);
	free(share->x_batch);
	free(share->residual);
	free(share->pending);
	free(share->kept);
	free(share->x);
}

static int keep_room(struct thread_share *share)
{
	size_t capacity = share->capacity ? share->capacity * 2 : 2 * batch_size;

	if (share->n_kept + batch_size <= share->capacity)
		return 0;
	size_t *kept = realloc(share->kept, capacity * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	share->kept = kept;
	double *x = realloc(share->x, capacity * share->projector->n_dims * sizeof(*x));
	if (!x)
		return -ENOMEM;
	share->x = x;
	share->capacity = capacity;
	return 0;
}

static void keep_event(struct thread_share *share, size_t event, const double *x)
{
	size_t n_dims = share->projector->n_dims;

	memcpy(share->x + share->n_kept * n_dims, x, n_dims * sizeof(*x));
	share->kept[share->n_kept++] = event;
}

static int flush_batch(struct thread_share *share)
{
	size_t n_dims = share->projector->n_dims;
	int rc = keep_room(share);

	if (rc)
		return rc;
	ep_projector_apply(
		share->projector, share->n_pending, share->means, share->x_batch, share->residual);
	for (size_t b = 0; b < share->n_pending; b++) {
		bool fits = share->residual[b] <= share->params->projection_cut;

		share->screen->residual[share->pending[b]] = share->residual[b];
		share->screen->status[share->pending[b]] =
			fits ? EP_EVENT_KEPT : EP_EVENT_UNREPRESENTABLE;
		if (fits)
			keep_event(share, share->pending[b], share->x_batch + b * n_dims);
	}
	share->n_pending = 0;
	return 0;
}

/* True when the event goes on to the projection. */
static bool is_quiet(struct thread_share *share, size_t event, const double *values, size_t n_reps)
{
	struct ep_screen *screen = share->screen;
	size_t n_points = share->events->n_points;

	screen->residual[event] = NAN;
	if (ep_noise_all_zero(values, n_reps * n_points)) {
		screen->status[event] = EP_EVENT_ZERO;
		screen->variability[event] = NAN;
		return false;
	}
	screen->variability[event] = ep_noise_max_rnmse(values, n_reps, n_points, share->sums);
	screen->status[event] = EP_EVENT_NOISY;
	return screen->variability[event] <= share->params->tau;
}

static void *run_share(void *argument)
{
	struct thread_share *share = argument;
	const struct ep_events *events = share->events;
	size_t n_points = events->n_points;

	share->rc = open_share(share);
	for (size_t e = share->first; !share->rc && e < share->end; e++) {
		size_t n_reps = events->first_row[e + 1] - events->first_row[e];
		const double *values = events->values + events->first_row[e] * n_points;

		if (!is_quiet(share, e, values, n_reps))
			continue;
		ep_noise_combine(values, n_reps, n_points, share->params->combine,
			share->means + share->n_pending * n_points);
		share->pending[share->n_pending++] = e;
		if (share->n_pending == batch_size)
			share->rc = flush_batch(share);
	}
	if (!share->rc && share->n_pending)
		share->rc = flush_batch(share);
	return NULL;
}

static int run_shares(struct thread_share *shares, size_t n_shares)
{
	pthread_t threads[n_threads_max];
	size_t n_started = 1;
	int rc = 0;

	while (n_started < n_shares &&
		!pthread_create(&threads[n_started], NULL, run_share, &shares[n_started]))
		n_started++;
	run_share(&shares[0]);
	for (size_t i = 1; i < n_started; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = n_started; i < n_shares; i++)
		run_share(&shares[i]);
	for (size_t i = 0; i < n_shares && !rc; i++)
		rc = shares[i].rc;
	return rc;
}

static int collect_shares(
	struct ep_screen *screen, const struct thread_share *shares, size_t n_shares)
{
	size_t n_dims = shares[0].projector->n_dims;

	for (size_t i = 0; i < n_shares; i++)
		screen->n_kept += shares[i].n_kept;
	screen->kept = malloc((screen->n_kept + 1) * sizeof(*screen->kept));
	screen->x = malloc((screen->n_kept * n_dims + 1) * sizeof(*screen->x));
	if (!screen->kept || !screen->x)
		return -ENOMEM;
	for (size_t i = 0, at = 0; i < n_shares; at += shares[i++].n_kept) {
		if (!shares[i].n_kept)
			continue;
		memcpy(screen->kept + at, shares[i].kept, shares[i].n_kept * sizeof(*screen->kept));
		memcpy(screen->x + at * n_dims, shares[i].x,
			shares[i].n_kept * n_dims * sizeof(*screen->x));
	}
	return 0;
}

static int screen_events(struct ep_screen *screen, const struct thread_share *work, size_t n_events)
{
	struct thread_share shares[n_threads_max];
	size_t n_shares = n_events >= n_threads_max * events_per_thread ? n_threads_max : 1;

	for (size_t i = 0; i < n_shares; i++) {
		shares[i] = *work;
		shares[i].first = n_events * i / n_shares;
		shares[i].end = n_events * (i + 1) / n_shares;
	}
	int rc = run_shares(shares, n_shares);
	if (!rc)
		rc = collect_shares(screen, shares, n_shares);
	for (size_t i = 0; i < n_shares; i++)
		close_share(&shares[i]);
	return rc;
}

int ep_screen_init(struct ep_screen *screen, const struct ep_events *events,
	const struct ep_projector *projector, const struct ep_params *params, struct ep_error *err)
{
	struct thread_share work = { events, projector, params, screen };
	size_t n_events = events->names.n;
	int rc = -ENOMEM;

	*screen = (struct ep_screen){ 0 };
	screen->status = malloc(n_events + 1);
	screen->variability = malloc((n_events + 1) * sizeof(double));
	screen->residual = malloc((n_events + 1) * sizeof(double));
	if (screen->status && screen->variability && screen->residual)
		rc = screen_events(screen, &work, n_events);
	if (rc) {
		ep_screen_finish(screen);
		return ep_fail(err, rc, "out of memory");
	}
	for (size_t e = 0; e < n_events; e++)
		screen->counts[screen->status[e]]++;
	return 0;
}

void ep_screen_finish(struct ep_screen *screen)
{
	free(screen->status);
	free(screen->variability);
	free(screen->residual);
	free(screen->kept);
	free(screen->x);
	*screen = (struct ep_screen){ 0 };
}
