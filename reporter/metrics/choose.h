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
	struct ep_event_table table; /* table of the CPU's events; empty if there is none */
	char *cpu;                   /* key of the CPU; NULL: no formula files are known for it */
};

struct ep_model_choice {
	const char *names, *cpu, *cpuid; /* as in ep_chosen_models_open */
	/* texts "NAME=VALUE", NULL-terminated; NULL: no parameter is set */
	const char *const *parameters;
};

/* Opens models, and sets the parameters in all models that have them. Returns the errors of
 * ep_chosen_models_open, and -EINVAL if no model has one of the parameters. */
int ep_chosen_models_open_choice(struct ep_chosen_models *out, const struct ep_model_choice *choice,
	struct ep_error *err) EP_MUST_CHECK;
/* Opens models. names is a list of names or paths of models, such as "topdown,lcpi"; NULL: the default models
 * of the CPU, or generic ones if the CPU is not known, and the model "software". cpu is a key; NULL: the key
 * that belongs to cpuid. Returns 0, -ENOENT with a message that lists the existing models, or another error. */
int ep_chosen_models_open(struct ep_chosen_models *out, const char *names, const char *cpu,
	const char *cpuid, struct ep_error *err) EP_MUST_CHECK;
/* Returns the cpuid that ep_chosen_models_open takes for a trace: the identifier of the CPU that counted, or
 * "valgrind" if valgrind's simulated machine counted; NULL: not known. */
const char *ep_trace_cpuid(const struct ep_trace *trace);
void ep_chosen_models_close(struct ep_chosen_models *chosen);

#endif
