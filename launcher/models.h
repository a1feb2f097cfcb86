/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the events that a run must count for models of the formula files. Used by the launcher only. */
#ifndef EVPROF_LAUNCHER_MODELS_H
#define EVPROF_LAUNCHER_MODELS_H

#include <stdbool.h>

#include "common/formula/plan.h"
#include "counters/settings.h"

/* Puts events of models into EVPROF_EVENTS: those of the models that settings name. If settings name neither models nor
 * events, this CPU's own models are taken if hardware events count. Error: no formula file has the name of a model that
 * was asked for. 1: a model cannot be counted here, err says why, and those that can be counted are set. Models that
 * were not asked for may fail without a message. */
int ep_models_set_events(const struct ep_settings *settings, struct ep_error *err) EP_MUST_CHECK;

/* Calls ep_event_plan_create. If the request names neither CPU nor counters, the plan is for the CPU and the counters
 * that a program really gets here, so that its groups need not be split later. */
int ep_models_plan(const struct ep_event_plan_request *request, struct ep_event_plan **out_plan,
	struct ep_error *err) EP_MUST_CHECK;

/* Tells whether no hardware event counts here while the plan has events that do not count. */
bool ep_models_lack_counters(const struct ep_event_plan *plan);

#endif
