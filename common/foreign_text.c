// SPDX-License-Identifier: BSD-3-Clause
#include "foreign_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/cleanup.h"

/* Characters outside of ASCII that a terminal executes, in UTF-8: C1 controls, marks and overrides of the writing
 * direction (which show the letters of a name in another order), and ends of lines. lead has the bytes before the
 * last one, which is from first to last. */
static const struct {
	const char *lead;
	uint8_t first, last;
} obeyed[] = {
	{ "\xc2", 0x80, 0x9f },     /* C1: CSI is U+009B */
	{ "\xd8", 0x9c, 0x9c },     /* U+061C */
	{ "\xe2\x80", 0x8e, 0x8f }, /* U+200E and F */
	{ "\xe2\x80", 0xa8, 0xae }, /* U+2028 to 202E */
	{ "\xe2\x81", 0xa6, 0xa9 }, /* U+2066 to 2069 */
};

/* Returns the number of bytes of the character at text if a terminal executes it; 0: a terminal does not. */
static size_t obeyed_bytes(const char *text, size_t size)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(obeyed); i++) {
		size_t n = strlen(obeyed[i].lead);

		if (size > n && !memcmp(text, obeyed[i].lead, n) &&
			(uint8_t)text[n] >= obeyed[i].first && (uint8_t)text[n] <= obeyed[i].last)
			return n + 1;
	}
	return (uint8_t)*text < ' ' || *text == 0x7f;
}

/* Returns how many bytes follow the first byte of a character. */
static size_t following(uint8_t lead)
{
	return lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
}

static bool is_plain(uint8_t byte)
{
	return byte >= ' ' && byte < 0x7f;
}

struct walk {
	const char *text, *kept;
	size_t size, at;
	size_t n_open; /* bytes from at on that belong to a character which began before at */
};

/* Advances w->at past the next character that a terminal executes and that is not in kept. Returns the number of bytes
 * of this character; 0: there is none before the end of the text. */
static size_t next_obeyed(struct walk *w)
{
	while (w->at < w->size) {
		const char *here = w->text + w->at;
		uint8_t byte = (uint8_t)*here;
		size_t n;

		if (is_plain(byte)) { /* nearly all characters of names */
			w->n_open = 0;
			w->at++;
			continue;
		}
		n = obeyed_bytes(here, w->size - w->at);
		/* A byte from 0x80 to 0x9f outside of UTF-8 characters is a C1 control for a Latin-1 terminal. */
		if (!n && !w->n_open && byte >= 0x80 && byte <= 0x9f)
			n = 1;
		if (n == 1 && memchr(w->kept, byte, strlen(w->kept)))
			n = 0;
		w->n_open = n                                    ? 0
			    : w->n_open && (byte & 0xc0) == 0x80 ? w->n_open - 1
								 : following(byte);
		w->at += n ? n : 1;
		if (n)
			return n;
	}
	return 0;
}

size_t ep_foreign_text_find(const char *text, size_t size, const char *kept)
{
	struct walk w = { text, kept, size, 0, 0 };
	size_t n = next_obeyed(&w);

	return w.at - n;
}

void ep_foreign_text_clean(char *text, size_t size, const char *kept)
{
	struct walk w = { text, kept, size, 0, 0 };

	for (size_t n; (n = next_obeyed(&w));)
		memset(text + w.at - n, '?', n);
}
