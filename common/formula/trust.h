/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells which of a file's metrics may be believed, by the verdicts that evcal check wrote. */
#ifndef EVPROF_COMMON_FORMULA_TRUST_H
#define EVPROF_COMMON_FORMULA_TRUST_H

#include "common/formula/formula_file.h"

enum ep_trust {
	EP_TRUST_UNCHECKED, /* no verdict in the file */
	EP_TRUST_NOT_TESTED,
	EP_TRUST_CONFIRMED,
	EP_TRUST_CONTRADICTED,
	EP_TRUST_LEANS, /* computed from a metric that is contradicted, not confirmed itself */
};

struct ep_metric_trust {
	enum ep_trust trust;
	const struct ep_formula_metric *leans_on; /* LEANS: the contradicted metric, else NULL */
};

/* out (n_metrics): points into file. */
void ep_trust_judge(const struct ep_formula_file *file, struct ep_metric_trust *out);

/* Tells whether the value is not to be believed, which must be said wherever it is shown. */
static inline bool ep_trust_is_warning(const struct ep_metric_trust *trust)
{
	return trust->trust == EP_TRUST_CONTRADICTED || trust->trust == EP_TRUST_LEANS;
}

#endif
