// SPDX-License-Identifier: BSD-3-Clause
/* Judges which of a file's M metrics can be trusted, by the verdicts of single metrics. Any thread may call these
 * functions. */
#include "common/formula/trust.h"

#include <string.h>

#include "common/cleanup.h"

/* The first words of verdicts that evcal check writes. */
static const struct {
	const char *words;
	enum ep_trust trust;
} verdicts[] = {
	{ "not tested", EP_TRUST_NOT_TESTED },
	{ "confirmed", EP_TRUST_CONFIRMED },
	{ "contradicted", EP_TRUST_CONTRADICTED },
};

static enum ep_trust trust_of(const char *verdict)
{
	for (size_t i = 0; verdict && i < EP_ARRAY_SIZE(verdicts); i++)
		if (!strncmp(verdict, verdicts[i].words, strlen(verdicts[i].words)))
			return verdicts[i].trust;
	return EP_TRUST_UNCHECKED;
}

/* Finds a metric by its name; of several metrics with the same name the first one counts, as in formulas. */
static const struct ep_metric_trust *find_by_name(
	const struct ep_formula_file *file, const struct ep_metric_trust *trusts, const char *name)
{
	for (uint32_t i = 0; i < file->n_metrics; i++)
		if (!strcmp(file->metrics[i].name, name))
			return &trusts[i];
	return NULL;
}

/* Finds a contradicted metric that an expression names, or on which a named metric depends. */
static const struct ep_formula_metric *find_contradicted(const struct ep_formula_file *file,
	const struct ep_metric_trust *trusts, const struct ep_ast *expr)
{
	for (uint32_t i = 0; i < expr->n_nodes; i++) {
		const struct ep_metric_trust *named = NULL;

		if (expr->nodes[i].op == EP_OP_NAME)
			named = find_by_name(file, trusts, ep_ast_name(expr, &expr->nodes[i]));
		if (named && named->trust == EP_TRUST_CONTRADICTED)
			return &file->metrics[named - trusts];
		if (named && named->trust == EP_TRUST_LEANS)
			return named->leans_on;
	}
	return NULL;
}

/* Marks the metrics that were not tested and whose expressions name a metric that cannot be trusted. Returns true if it
 * marked any: then metrics that name these must be marked, too. */
static bool spread_doubt(const struct ep_formula_file *file, struct ep_metric_trust *trusts)
{
	bool has_spread = false;

	for (uint32_t i = 0; i < file->n_metrics; i++) {
		if (trusts[i].trust != EP_TRUST_UNCHECKED && trusts[i].trust != EP_TRUST_NOT_TESTED)
			continue;
		trusts[i].leans_on = find_contradicted(file, trusts, &file->metrics[i].expr);
		if (!trusts[i].leans_on)
			continue;
		trusts[i].trust = EP_TRUST_LEANS;
		has_spread = true;
	}
	return has_spread;
}

void ep_trust_judge(const struct ep_formula_file *file, struct ep_metric_trust *out)
{
	bool may_spread = false;

	for (uint32_t i = 0; i < file->n_metrics; i++) {
		out[i] = (struct ep_metric_trust){ trust_of(file->metrics[i].verdict), NULL };
		may_spread |= out[i].trust == EP_TRUST_CONTRADICTED;
	}
	while (may_spread)
		may_spread = spread_doubt(file, out);
}
