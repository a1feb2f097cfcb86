/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the events that can be used: events that are not all zero, not too noisy, and representable in the basis. */
#ifndef EVPROF_KERNELS_DERIVE_SCREEN_H
#define EVPROF_KERNELS_DERIVE_SCREEN_H

#include "kernels/derive/events.h"
#include "kernels/derive/params.h"
#include "kernels/derive/project.h"

enum ep_event_status {
	EP_EVENT_ZERO,
	EP_EVENT_NOISY,
	EP_EVENT_UNREPRESENTABLE,
	EP_EVENT_KEPT,
	EP_EVENT_N_STATUS,
};
extern const char *const ep_event_status_name[EP_EVENT_N_STATUS];

struct ep_screen {
	unsigned char *status; /* (E) status of each event, enum ep_event_status */
	double *variability;   /* (E) largest RNMSE; NaN for all-zero events */
	double *residual;      /* (E) relative residual; NaN for zero and noisy events */
	size_t counts[EP_EVENT_N_STATUS];
	size_t n_kept;
	size_t *kept; /* (K) indexes of kept events, ascending */
	double *x;    /* (K, D) coordinates of kept events in the basis */
};

int ep_screen_init(struct ep_screen *screen, const struct ep_events *events,
	const struct ep_projector *projector, const struct ep_params *params,
	struct ep_error *err) EP_MUST_CHECK;
void ep_screen_finish(struct ep_screen *screen);

#endif
