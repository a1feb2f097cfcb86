// SPDX-License-Identifier: BSD-3-Clause
#include "common/containers/strings.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/foreign_text.h"

void ep_strings_finish(struct ep_strings *strings)
{
	ep_names_finish(&strings->names);
}

const char *ep_strings_add(struct ep_strings *strings, const char *text, size_t size)
{
	EP_AUTOFREE char *copy = malloc(size + 1);
	uint32_t idx;

	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	ep_foreign_text_clean(copy, size, "");
	return ep_names_add(&strings->names, copy, &idx) ? NULL : strings->names.texts[idx];
}

const char *ep_strings_format(struct ep_strings *strings, const char *format, va_list args)
{
	EP_AUTOFREE char *text = NULL;
	int size = vasprintf(&text, format, args);

	if (size < 0) {
		text = NULL; /* the value that vasprintf leaves must not be freed */
		return NULL;
	}
	return ep_strings_add(strings, text, (size_t)size);
}
