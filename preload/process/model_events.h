/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds which events the models need, for programs that 'evprof run' did not start. */
#ifndef EVPROF_PRELOAD_PROCESS_MODEL_EVENTS_H
#define EVPROF_PRELOAD_PROCESS_MODEL_EVENTS_H

#include "counters/settings.h"

/* Sets settings->events to the events of the models that the settings name. If they name no model, takes this CPU's
 * default models, if hardware events can be counted. Does nothing if settings->events is set already, by the user or by
 * 'evprof run'. Only the root of a process tree needs this. Returns a negative errno if a model that the user named is
 * not counted, and err says why. That default models cannot be counted is no error. */
int ep_model_events_set(struct ep_settings *settings, struct ep_error *err) EP_MUST_CHECK;

#endif
