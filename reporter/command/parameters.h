/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the values of --param NAME=VALUE, which may be given several times. */
#ifndef EVPROF_REPORTER_COMMAND_PARAMETERS_H
#define EVPROF_REPORTER_COMMAND_PARAMETERS_H

#include <errno.h>
#include <string.h>

#define EP_PARAMETER_USAGE                                                                         \
	"      --param NAME=VALUE  sets a parameter of the models, such as mem_lat=320; again for more\n"

enum { EP_PARAMETERS_MOST = 32 };

struct ep_parameters {
	const char *texts[EP_PARAMETERS_MOST + 1]; /* NULL follows the last */
	int n;
};

static inline int ep_parameters_take(void *into, const char *value)
{
	struct ep_parameters *parameters = into;

	if (!strchr(value, '=') || parameters->n == EP_PARAMETERS_MOST)
		return -EINVAL;
	parameters->texts[parameters->n++] = value;
	return 0;
}

#define EP_PARAMETERS_EXPECTED "NAME=VALUE, 32 times at most"

#endif
