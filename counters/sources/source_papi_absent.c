// SPDX-License-Identifier: BSD-3-Clause
/* The papi source where PAPI's header was missing at build time: prepare reports this. */
#include <errno.h>

#include "source.h"

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	(void)plan, (void)settings;
	return ep_fail(
		err, -ENOSYS, "evprof was built without PAPI: install libpapi-dev and build again");
}

const struct ep_source ep_source_papi = {
	.name = "papi",
	.prepare = prepare,
};
