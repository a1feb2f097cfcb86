/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the losses of Top-Down trees in plain words, and gives the symptoms whose remedies help against them. */
#ifndef EVPROF_REPORTER_ADVISE_LOSSES_H
#define EVPROF_REPORTER_ADVISE_LOSSES_H

#include "reporter/advise/assess.h"

struct ep_loss_kind {
	const char *name;  /* name of the metric in the formula files */
	const char *words; /* words that end a sentence: "... were lost WORDS" */
	/* the symptoms whose remedies help, as bits 1 << enum ep_symptom; 0: no remedy helps */
	uint32_t symptoms;
};

/* Returns the description of a metric's loss; NULL: the metric is not known. */
const struct ep_loss_kind *ep_loss_kind_find(const char *name);

/* Describes a loss as "43 % of the issue slots (give or take 3) were lost waiting for data (Memory_Bound in
 * Backend_Bound)", with the names that evreport metrics shows. whose is "the" or "its". */
void ep_loss_describe(const struct ep_loss_path *path, const char *whose, char *out, size_t size);

/* Sets the cycles of a loss's symptoms to those that LCPI knows of the procedure. If it knows none, or assessment is
 * NULL, the likely symptoms get 1. All others get NaN. */
void ep_loss_symptoms(const struct ep_loss_kind *loss, const struct ep_assessment *assessment,
	double out_cycles[EP_N_SYMPTOMS]);

#endif
