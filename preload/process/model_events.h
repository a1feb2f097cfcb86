/* SPDX-License-Identifier: BSD-3-Clause */
/* From models to the events that are counted, for programs that 'evprof run' did not start. */
#ifndef EVPROF_PRELOAD_PROCESS_MODEL_EVENTS_H
#define EVPROF_PRELOAD_PROCESS_MODEL_EVENTS_H

#include "counters/settings.h"

/* Puts the events of the models that settings name, or else of this CPU's own models where hardware
 * events count, into settings->events. Events that are there stay alone: the user's, or those that
 * evprof run planned. The root of a process tree alone needs it. Negative: models that were asked for are not counted, and err says why; what nobody
 * asked for may fail in silence. */
int ep_model_events_set(struct ep_settings *settings, struct ep_error *err) EP_MUST_CHECK;

#endif
