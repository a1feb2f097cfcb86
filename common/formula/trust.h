/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells which metrics of a file can be trusted, by the verdicts that evcal check wrote into it. */
#ifndef EVPROF_COMMON_FORMULA_TRUST_H
#define EVPROF_COMMON_FORMULA_TRUST_H

#include "common/formula/formula_file.h"

enum ep_trust {
	EP_TRUST_UNCHECKED, /* the file has no verdict on the metric */
	EP_TRUST_NOT_TESTED,
	EP_TRUST_CONFIRMED,
	EP_TRUST_CONTRADICTED,
	EP_TRUST_LEANS, /* depends on a contradicted metric, and is not confirmed itself */
};

struct ep_metric_trust {
	enum ep_trust trust;
	/* EP_TRUST_LEANS: the contradicted metric; else NULL */
	const struct ep_formula_metric *leans_on;
};

/* Judges all metrics. out (n_metrics) has pointers into file. */
void ep_trust_judge(const struct ep_formula_file *file, struct ep_metric_trust *out);

/* Tells whether the value cannot be trusted; each place that shows the value must say so. */
static inline bool ep_trust_is_warning(const struct ep_metric_trust *trust)
{
	return trust->trust == EP_TRUST_CONTRADICTED || trust->trust == EP_TRUST_LEANS;
}

#endif
