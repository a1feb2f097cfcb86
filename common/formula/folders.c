// SPDX-License-Identifier: BSD-3-Clause
/* Finds folders by environment variables. */
#include "common/formula/folders.h"

#include <stdio.h>
#include <stdlib.h>

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

const char *ep_folder_named(void)
{
	return variable("EVPROF_FORMULAS");
}

char *ep_folder_of_user(void)
{
	const char *data = variable("XDG_DATA_HOME"), *home = variable("HOME");
	char *path = NULL;
	int n;

	if (!data && !home)
		return NULL;
	n = data ? asprintf(&path, "%s/evprof", data)
		 : asprintf(&path, "%s/.local/share/evprof", home);
	return n < 0 ? NULL : path;
}
