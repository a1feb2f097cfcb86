/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the events to count from models, for programs that 'evprof run' did not start. */
#ifndef EVPROF_PRELOAD_PROCESS_MODEL_EVENTS_H
#define EVPROF_PRELOAD_PROCESS_MODEL_EVENTS_H

#include "counters/settings.h"

/* Puts the events of the models that the settings name into settings->events. Without such models, and where hardware
 * events can be counted, it puts the events of this CPU's default models. Events that are there already stay as they
 * are: the user's, or those that evprof run planned. Only the root of a process tree needs this. Returns a negative
 * errno where models that the user named are not counted, and err says why; default models may fail without an error. */
int ep_model_events_set(struct ep_settings *settings, struct ep_error *err) EP_MUST_CHECK;

#endif
