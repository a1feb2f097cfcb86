// SPDX-License-Identifier: BSD-3-Clause
/* Makes networks of the built-in weights: weights.S, which the build generates (embed.py), contains the files
 * of models/. */
#include "reporter/estimate/models.h"

#include <string.h>

extern const char ep_weights_mlp[], ep_weights_mlp_end[];
extern const char ep_weights_gru[], ep_weights_gru_end[];

void ep_models_finish(struct ep_models *m)
{
	ep_network_destroy(m->mlp);
	ep_network_destroy(m->gru);
	*m = (struct ep_models){ 0 };
}

static int replace(struct ep_models *m, const char *path, struct ep_error *err)
{
	struct ep_network *own = NULL;
	int rc = ep_network_read(path, &own, err);
	struct ep_network **place;

	if (rc)
		return rc;
	place = strcmp(ep_network_architecture(own), "mlp") ? &m->gru : &m->mlp;
	ep_network_destroy(*place);
	*place = own;
	return 0;
}

int ep_models_init(struct ep_models *out, const char *weights_path, struct ep_error *err)
{
	struct ep_models m = { 0 };
	int rc = ep_network_parse("built-in mlp weights", ep_weights_mlp,
		(size_t)(ep_weights_mlp_end - ep_weights_mlp), &m.mlp, err);

	if (!rc)
		rc = ep_network_parse("built-in gru weights", ep_weights_gru,
			(size_t)(ep_weights_gru_end - ep_weights_gru), &m.gru, err);
	if (!rc && weights_path)
		rc = replace(&m, weights_path, err);
	if (rc) {
		ep_models_finish(&m);
		return rc;
	}
	*out = m;
	return 0;
}
