/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of two libraries that define the same function, probe_chain, which calls the next library's by
 * RTLD_NEXT. */
#include <dlfcn.h>

#define SEEN __attribute__((visibility("default")))

const char *probe_chain(void);
void NEXT_OWN(void);

/* The probe calls this function, so that the linker keeps the library. */
SEEN void NEXT_OWN(void)
{
}

SEEN const char *probe_chain(void)
{
	const char *(*next)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "probe_chain");

	if (next == probe_chain)
		return "itself";
	return next ? next() : NEXT_NAME;
}
