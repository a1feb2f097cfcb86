/* SPDX-License-Identifier: BSD-3-Clause */
/* Which models to evaluate, and what they read. */
#ifndef EVPROF_REPORTER_METRICS_CHOOSE_H
#define EVPROF_REPORTER_METRICS_CHOOSE_H

#include "common/formula/event_table.h"
#include "common/formula/model.h"
#include "reporter/load/load.h"

struct ep_chosen_models {
	struct ep_model **models; /* (n_models) */
	uint32_t n_models;
	struct ep_event_table table; /* of the CPU; empty where there is none */
	char *cpu;                   /* key, NULL: not a CPU we have files for */
};

struct ep_model_choice {
	const char *names, *cpu, *cpuid; /* as ep_chosen_models_open takes them */
	const char *const *parameters;   /* "NAME=VALUE", NULL behind the last; NULL: none is set */
};

/* The same with parameters set in all models that have them. -ENOENT also where none has. */
int ep_chosen_models_open_choice(struct ep_chosen_models *out, const struct ep_model_choice *choice,
	struct ep_error *err) EP_MUST_CHECK;
/* names: "topdown,lcpi", files' paths among them; NULL: what the CPU offers, else software events.
 * cpu: key; NULL: that of cpuid. -ENOENT: the message lists what there is. */
int ep_chosen_models_open(struct ep_chosen_models *out, const char *names, const char *cpu,
	const char *cpuid, struct ep_error *err) EP_MUST_CHECK;
/* The CPU whose models fit a trace's counts, as ep_chosen_models_open takes it: the CPU's
 * identifier, or "valgrind" for the counts of its simulated machine; NULL: not known. */
const char *ep_trace_cpuid(const struct ep_trace *trace);
void ep_chosen_models_close(struct ep_chosen_models *chosen);

#endif
