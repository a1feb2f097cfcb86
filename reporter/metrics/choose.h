/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the models to evaluate, and reads what they need. */
#ifndef EVPROF_REPORTER_METRICS_CHOOSE_H
#define EVPROF_REPORTER_METRICS_CHOOSE_H

#include "common/formula/event_table.h"
#include "common/formula/model.h"
#include "reporter/load/load.h"

struct ep_chosen_models {
	struct ep_model **models; /* (n_models) chosen models */
	uint32_t n_models;
	struct ep_event_table table; /* table of the CPU's events; empty where there is none */
	char *cpu;                   /* key of the CPU; NULL: there are no files for it */
};

struct ep_model_choice {
	const char *names, *cpu, *cpuid; /* as in ep_chosen_models_open */
	/* texts "NAME=VALUE", NULL behind the last; NULL: none is set */
	const char *const *parameters;
};

/* Opens models, and sets the parameters in all models that have them. Returns the errors of ep_chosen_models_open,
 * and -EINVAL where no model has a parameter of that name. */
int ep_chosen_models_open_choice(struct ep_chosen_models *out, const struct ep_model_choice *choice,
	struct ep_error *err) EP_MUST_CHECK;
/* Opens models. names is a list such as "topdown,lcpi", in which paths of files may stand; NULL: the models that
 * the CPU offers, else software events. cpu is a key; NULL: that of cpuid. Returns 0, -ENOENT with a message that
 * lists the models that there are, or another error. */
int ep_chosen_models_open(struct ep_chosen_models *out, const char *names, const char *cpu,
	const char *cpuid, struct ep_error *err) EP_MUST_CHECK;
/* Returns the CPU whose models fit a trace's counts, as ep_chosen_models_open takes it: the CPU's identifier, or
 * "valgrind" for the counts of its simulated machine; NULL: not known. */
const char *ep_trace_cpuid(const struct ep_trace *trace);
void ep_chosen_models_close(struct ep_chosen_models *chosen);

#endif
