/* SPDX-License-Identifier: BSD-3-Clause */
/* The losses of Top-Down trees in plain words, and the remedies for them. */
#ifndef EVPROF_REPORTER_ADVISE_LOSSES_H
#define EVPROF_REPORTER_ADVISE_LOSSES_H

#include "reporter/advise/assess.h"

struct ep_loss_kind {
	const char *name;  /* the metric's, in the formula files */
	const char *words; /* "... were lost WORDS" */
	uint32_t symptoms; /* bits 1 << enum ep_symptom of what its remedies are for; 0: none are */
};

/* NULL: nothing is known of a metric of that name. */
const struct ep_loss_kind *ep_loss_kind_find(const char *name);

/* "43 % of the issue slots (give or take 3) were lost waiting for data (Memory_Bound in
 * Backend_Bound)", with the names that evreport metrics shows; whose: "the" or "its". */
void ep_loss_describe(const struct ep_loss_path *path, const char *whose, char *out, size_t size);

/* Which of the loss's symptoms fit the procedure, in cycles as far as LCPI knows them, else 1 for
 * the likely ones. assessment NULL: there is none. */
void ep_loss_symptoms(const struct ep_loss_kind *loss, const struct ep_assessment *assessment,
	double out_cycles[EP_N_SYMPTOMS]);

#endif
