/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the losses of Top-Down trees in plain words, and gives the symptoms that their remedies are for. */
#ifndef EVPROF_REPORTER_ADVISE_LOSSES_H
#define EVPROF_REPORTER_ADVISE_LOSSES_H

#include "reporter/advise/assess.h"

struct ep_loss_kind {
	const char *name;  /* name of the metric in the formula files */
	const char *words; /* words that end a sentence: "... were lost WORDS" */
	/* set of bits 1 << enum ep_symptom, which its remedies are for; 0: there are none */
	uint32_t symptoms;
};

/* Returns the description of a metric's loss; NULL: the metric is not known. */
const struct ep_loss_kind *ep_loss_kind_find(const char *name);

/* Describes a loss as "43 % of the issue slots (give or take 3) were lost waiting for data (Memory_Bound in
 * Backend_Bound)", with the names that evreport metrics shows. whose is "the" or "its". */
void ep_loss_describe(const struct ep_loss_path *path, const char *whose, char *out, size_t size);

/* Sets the cycles of those symptoms of a loss that fit the procedure: the cycles that LCPI knows, or, where it
 * knows none, 1 for the likely symptoms. assessment may be NULL. */
void ep_loss_symptoms(const struct ep_loss_kind *loss, const struct ep_assessment *assessment,
	double out_cycles[EP_N_SYMPTOMS]);

#endif
