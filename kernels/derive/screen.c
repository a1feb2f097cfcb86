// SPDX-License-Identifier: BSD-3-Clause
/*
 * Screens the events in one pass over the measurements; the data that remain are small. There are E events, P points, D
 * dims (expectations) and K kept events; events are projected in batches of B.
 */
#include "kernels/derive/screen.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers/array.h"
#include "kernels/derive/noise.h"

const char *const ep_event_status_name[] = { "zero", "noisy", "unrepresentable", "kept" };

/* A batch of 48 points and 16 dims fits the L2 cache: 256 * (48 + 16) * 8 bytes = 128 KiB. */
enum { batch_size = 256 };

struct screening {
	const struct ep_events *events;
	const struct ep_projector *projector;
	const struct ep_params *params;
	struct ep_screen *screen; /* the result */

	double *sums;     /* (R) memory to work in */
	double *means;    /* (B, P) the events' statistics over repetitions */
	double *x_batch;  /* (B, D) coordinates */
	double *residual; /* (B) relative residuals */
	size_t *pending;  /* (B) indexes of the events in the batch */
	size_t n_pending;
	uint32_t kept_capacity, x_capacity;
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

static int open_screening(struct screening *s)
{
	size_t n_points = s->projector->n_points, n_dims = s->projector->n_dims;

	s->sums = malloc(max_reps(s->events) * sizeof(double));
	s->means = malloc(batch_size * n_points * sizeof(double));
	s->x_batch = malloc(batch_size * n_dims * sizeof(double));
	s->residual = malloc(batch_size * sizeof(double));
	s->pending = malloc(batch_size * sizeof(size_t));
	if (!s->sums || !s->means || !s->x_batch || !s->residual || !s->pending)
		return -ENOMEM;
	return 0;
}

static void close_screening(struct screening *s)
{
	free(s->sums);
	free(s->means);
	free(s->x_batch);
	free(s->residual);
	free(s->pending);
}

static int keep_event(struct screening *s, size_t event, const double *x)
{
	struct ep_screen *screen = s->screen;
	size_t n_dims = s->projector->n_dims;
	uint32_t n = (uint32_t)screen->n_kept;

	if (EP_ARRAY_RESERVE(screen->kept, n, s->kept_capacity) ||
		ep_array_reserve((void **)&screen->x, n, &s->x_capacity, n_dims * sizeof(*x)))
		return -ENOMEM;
	memcpy(screen->x + n * n_dims, x, n_dims * sizeof(*x));
	screen->kept[screen->n_kept++] = event;
	return 0;
}

static int flush_batch(struct screening *s)
{
	size_t n_dims = s->projector->n_dims;
	int rc = 0;

	ep_projector_apply(s->projector, s->n_pending, s->means, s->x_batch, s->residual);
	for (size_t b = 0; b < s->n_pending && !rc; b++) {
		bool fits = s->residual[b] <= s->params->projection_cut;

		s->screen->residual[s->pending[b]] = s->residual[b];
		s->screen->status[s->pending[b]] = fits ? EP_EVENT_KEPT : EP_EVENT_UNREPRESENTABLE;
		if (fits)
			rc = keep_event(s, s->pending[b], s->x_batch + b * n_dims);
	}
	s->n_pending = 0;
	return rc;
}

/* Sets the status and variability of an event. Returns true if the event goes on to the projection. */
static bool is_quiet(struct screening *s, size_t event, const double *values, size_t n_reps)
{
	struct ep_screen *screen = s->screen;
	size_t n_points = s->events->n_points;

	screen->residual[event] = NAN;
	if (ep_noise_all_zero(values, n_reps * n_points)) {
		screen->status[event] = EP_EVENT_ZERO;
		screen->variability[event] = NAN;
		return false;
	}
	screen->variability[event] = ep_noise_max_rnmse(values, n_reps, n_points, s->sums);
	screen->status[event] = EP_EVENT_NOISY;
	return screen->variability[event] <= s->params->tau;
}

static int screen_events(struct screening *s)
{
	const struct ep_events *events = s->events;
	size_t n_points = events->n_points;
	int rc = open_screening(s);

	for (size_t e = 0; !rc && e < events->names.n; e++) {
		size_t n_reps = events->first_row[e + 1] - events->first_row[e];
		const double *values = events->values + events->first_row[e] * n_points;

		if (!is_quiet(s, e, values, n_reps))
			continue;
		ep_noise_combine(values, n_reps, n_points, s->params->combine,
			s->means + s->n_pending * n_points);
		s->pending[s->n_pending++] = e;
		if (s->n_pending == batch_size)
			rc = flush_batch(s);
	}
	if (!rc && s->n_pending)
		rc = flush_batch(s);
	close_screening(s);
	return rc;
}

int ep_screen_init(struct ep_screen *screen, const struct ep_events *events,
	const struct ep_projector *projector, const struct ep_params *params, struct ep_error *err)
{
	struct screening screening = { events, projector, params, screen };
	size_t n_events = events->names.n;
	int rc = -ENOMEM;

	*screen = (struct ep_screen){ 0 };
	screen->status = malloc(n_events + 1);
	screen->variability = malloc((n_events + 1) * sizeof(double));
	screen->residual = malloc((n_events + 1) * sizeof(double));
	if (screen->status && screen->variability && screen->residual)
		rc = screen_events(&screening);
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
