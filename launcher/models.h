/* SPDX-License-Identifier: BSD-3-Clause */
/* From models of the formula files to the events that a run must count. Launcher only. */
#ifndef EVPROF_LAUNCHER_MODELS_H
#define EVPROF_LAUNCHER_MODELS_H

#include <stdbool.h>

#include "common/formula/plan.h"
#include "counters/settings.h"

/* Puts the events of the models that settings name, or else of this CPU's own models where
 * hardware events count and nobody asked for other events, into EVPROF_EVENTS. Error: no formula file
 * has the name of a model that was asked for. 1, and err says why: a model cannot be counted here, and
 * those that can are set; what nobody asked for may fail in silence. */
int ep_models_set_events(const struct ep_settings *settings, struct ep_error *err) EP_MUST_CHECK;

/* ep_event_plan_create; where the request names neither CPU nor counters, for those that a program
 * really gets here: groups that fit are not torn apart later. */
int ep_models_plan(const struct ep_event_plan_request *request, struct ep_event_plan **out_plan,
	struct ep_error *err) EP_MUST_CHECK;

/* Whether no hardware event counts here, and the plan has events that do not. */
bool ep_models_lack_counters(const struct ep_event_plan *plan);

#endif
