// SPDX-License-Identifier: BSD-3-Clause
#include "common/os/plain_text.h"

#include <string.h>

#include "common/cleanup.h"

size_t ep_plain_number(char *out, uint64_t value, unsigned base)
{
	char digits[EP_PLAIN_DIGITS];
	size_t n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

/* Returns the value of a digit, or a large number for another character. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : UINT32_MAX;
}

uint64_t ep_plain_read(const char *text, unsigned base, const char **out_end)
{
	const char *at = text, *first;
	uint64_t value = 0;

	while (*at == ' ' || *at == '\t')
		at++;
	for (first = at; digit_of(*at) < base; at++) {
		unsigned digit = digit_of(*at);

		value = value > (UINT64_MAX - digit) / base ? UINT64_MAX : value * base + digit;
	}
	if (out_end)
		*out_end = at > first ? at : text;
	return value;
}

void ep_plain_copy(char *out, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);

	memcpy(out, text, n);
	out[n] = '\0';
}

const char *ep_plain_variable(char *const *environment, const char *name)
{
	size_t size = strlen(name);

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, size) && (*environment)[size] == '=')
			return *environment + size + 1;
	return NULL;
}

void ep_proc_path(char out[EP_PROC_PATH_BYTES], int pid, const char *file, const char *name)
{
	char number[EP_PLAIN_DIGITS + 1];
	const char *const parts[] = { number, file, name };
	size_t used = 5;

	number[ep_plain_number(number, pid > 0 ? (uint64_t)pid : 0, 10)] = '\0';
	memcpy(out, "/proc", used + 1);
	for (size_t i = 0; i < EP_ARRAY_SIZE(parts) && parts[i]; i++) {
		ep_plain_copy(out + used, EP_PROC_PATH_BYTES - used, "/");
		used += strlen(out + used);
		ep_plain_copy(out + used, EP_PROC_PATH_BYTES - used, parts[i]);
		used += strlen(out + used);
	}
}
