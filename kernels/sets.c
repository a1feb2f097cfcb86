// SPDX-License-Identifier: BSD-3-Clause
/* Embeds the data files in the program, so that evcal needs no installed data. */
#include "kernels/sets.h"

#include <string.h>

#include "common/cleanup.h"

#define EMBED(symbol, path)                                                                        \
	__asm__(".pushsection .rodata\n" #symbol ":\n\t.incbin \"" path "\"\n\t.byte 0\n"          \
		".popsection\n");                                                                  \
	extern const char symbol[]

#define EMBED_SET(name)                                                                            \
	EMBED(set_##name##_basis, "kernels/sets/" #name "/basis.csv");                             \
	EMBED(set_##name##_signatures, "kernels/sets/" #name "/signatures.csv");                   \
	EMBED(set_##name##_params, "kernels/sets/" #name "/params.json")

EMBED_SET(branch);
EMBED_SET(flops);
EMBED_SET(gpu);

EMBED(known_branch, "kernels/sets/known/branch.csv");
EMBED(known_dcache, "kernels/sets/known/dcache.csv");
EMBED(known_flops, "kernels/sets/known/flops.csv");

const char *const ep_known_events[] = { known_branch, known_dcache, known_flops, NULL };

/* clang-format off: it would split the name that is turned into a string */
#define SET_ROW(name)                                                                              \
	{                                                                                          \
#name, set_##name##_basis, set_##name##_signatures, set_##name##_params            \
	}
/* clang-format on */

static const struct ep_builtin_set sets[] = {
	SET_ROW(branch),
	SET_ROW(flops),
	SET_ROW(gpu),
};

const struct ep_builtin_set *ep_builtin_set_find(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(sets); i++)
		if (!strcmp(sets[i].name, name))
			return &sets[i];
	return NULL;
}
