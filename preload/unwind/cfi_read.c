// SPDX-License-Identifier: BSD-3-Clause
/* Reads entries of .eh_frame and of its table (LSB 5.0, 10.6). This code runs in signal handlers, as cfi.c does: it
 * allocates nothing, takes no lock, and reads only memory of the module. */
#include "cfi_read.h"

#include <string.h>

uint64_t ep_cfi_take_bytes(struct ep_cfi_cursor *c, size_t n)
{
	uint64_t value = 0;

	if ((size_t)(c->end - c->at) < n) {
		c->bad = true;
		c->at = c->end;
		return 0;
	}
	memcpy(&value, c->at, n);
	c->at += n;
	return value;
}

uint64_t ep_cfi_take_uleb(struct ep_cfi_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = ep_cfi_take_bytes(c, 1);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

int64_t ep_cfi_take_sleb(struct ep_cfi_cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = ep_cfi_take_bytes(c, 1);
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && shift < 64);
	if ((byte & 0x40) && shift < 64)
		value |= -(1ull << shift);
	return (int64_t)value;
}

/* The encoding is a DW_EH_PE_* value: the format is in the low four bits, the base in the high ones. */
uint64_t ep_cfi_take_encoded(struct ep_cfi_cursor *c, uint8_t encoding, uint64_t data_base)
{
	uint64_t here = (uint64_t)c->at, value;

	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		value = ep_cfi_take_bytes(c, 8);
		break;
	case 0x01:
		value = ep_cfi_take_uleb(c);
		break;
	case 0x02:
		value = ep_cfi_take_bytes(c, 2);
		break;
	case 0x03:
		value = ep_cfi_take_bytes(c, 4);
		break;
	case 0x09:
		value = ep_cfi_take_sleb(c);
		break;
	case 0x0a:
		value = (uint64_t)(int16_t)ep_cfi_take_bytes(c, 2);
		break;
	case 0x0b:
		value = (uint64_t)(int32_t)ep_cfi_take_bytes(c, 4);
		break;
	default:
		c->bad = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case 0x10: /* relative to the field */
		return value + here;
	case 0x30: /* relative to the header */
		return value + data_base;
	default:
		return value;
	}
}

/* Searches the table of .eh_frame_hdr in its usual form: sorted pairs of 4-byte offsets. */
const uint8_t *ep_cfi_search(uint64_t pc, const uint8_t *header, uint64_t high)
{
	struct ep_cfi_cursor c = { header, (const uint8_t *)high, false };
	uint64_t base = (uint64_t)header, n_entries;
	uint8_t frame_encoding, count_encoding, table_encoding;
	const int32_t *table;
	size_t low_idx = 0, high_idx;

	if (ep_cfi_take_bytes(&c, 1) != 1)
		return NULL;
	frame_encoding = ep_cfi_take_bytes(&c, 1);
	count_encoding = ep_cfi_take_bytes(&c, 1);
	table_encoding = ep_cfi_take_bytes(&c, 1);
	ep_cfi_take_encoded(&c, frame_encoding, base);
	n_entries = ep_cfi_take_encoded(&c, count_encoding, base);
	if (c.bad || table_encoding != 0x3b || n_entries > (uint64_t)(c.end - c.at) / 8 ||
		!n_entries || (uint64_t)c.at % sizeof(*table))
		return NULL;
	table = (const int32_t *)c.at;
	high_idx = n_entries;
	while (high_idx - low_idx > 1) {
		size_t middle = (low_idx + high_idx) / 2;

		if (base + (int64_t)table[2 * middle] <= pc)
			low_idx = middle;
		else
			high_idx = middle;
	}
	if (base + (int64_t)table[2 * low_idx] > pc)
		return NULL;
	return header + table[2 * low_idx + 1];
}

/* Sets out to the contents of the entry at p, which follow the entry's length. Returns false for the end mark and for
 * 64-bit entries. */
static bool open_entry(const uint8_t *p, uint64_t low, uint64_t high, struct ep_cfi_cursor *out)
{
	struct ep_cfi_cursor c = { p, (const uint8_t *)high, false };
	uint32_t length;

	if ((uint64_t)p < low || (uint64_t)p + 4 > high)
		return false;
	length = ep_cfi_take_bytes(&c, 4);
	if (!length || length == 0xffffffff || length > (size_t)(c.end - c.at))
		return false;
	out->at = c.at;
	out->end = c.at + length;
	out->bad = false;
	return true;
}

static bool parse_augmentation(struct ep_cfi_cursor *c, const char *letters, struct ep_cfi_cie *cie)
{
	cie->pointer_encoding = 0;
	if (letters[0] != 'z')
		return letters[0] == '\0';
	cie->has_augmentation_data = true;
	ep_cfi_take_uleb(c);
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->pointer_encoding = ep_cfi_take_bytes(c, 1);
			break;
		case 'P': {
			uint8_t encoding = ep_cfi_take_bytes(c, 1);

			ep_cfi_take_encoded(c, encoding & 0x7f, 0);
			break;
		}
		case 'L':
			ep_cfi_take_bytes(c, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* aarch64: return addresses signed with the B key */
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool parse_cie(const uint8_t *p, uint64_t low, uint64_t high, struct ep_cfi_cie *cie)
{
	const char *letters;
	uint64_t data_size;
	const uint8_t *data;
	struct ep_cfi_cursor c;
	uint8_t version;

	memset(cie, 0, sizeof(*cie));
	if (!open_entry(p, low, high, &c) || ep_cfi_take_bytes(&c, 4) != 0)
		return false;
	version = ep_cfi_take_bytes(&c, 1);
	letters = (const char *)c.at;
	if ((version != 1 && version != 3) || !memchr(letters, 0, c.end - c.at))
		return false;
	c.at += strlen(letters) + 1;
	cie->code_align = ep_cfi_take_uleb(&c);
	cie->data_align = ep_cfi_take_sleb(&c);
	cie->ra_reg = version == 1 ? ep_cfi_take_bytes(&c, 1) : ep_cfi_take_uleb(&c);
	if (letters[0] == 'z') {
		struct ep_cfi_cursor peek = c;

		data_size = ep_cfi_take_uleb(&peek);
		data = peek.at;
		if (data_size > (size_t)(c.end - data) || !parse_augmentation(&c, letters, cie))
			return false;
		c.at = data + data_size;
	} else if (letters[0]) {
		return false;
	}
	cie->program = c;
	return !c.bad;
}

bool ep_cfi_parse(const uint8_t *p, uint64_t low, uint64_t high, struct ep_cfi_cie *cie,
	struct ep_cfi_fde *fde)
{
	const uint8_t *cie_field;
	uint32_t cie_offset;
	struct ep_cfi_cursor c;

	if (!open_entry(p, low, high, &c))
		return false;
	cie_field = c.at;
	cie_offset = ep_cfi_take_bytes(&c, 4);
	if (!cie_offset || !parse_cie(cie_field - cie_offset, low, high, cie))
		return false;
	fde->begin = ep_cfi_take_encoded(&c, cie->pointer_encoding, 0);
	fde->end = fde->begin + ep_cfi_take_encoded(&c, cie->pointer_encoding & 0x0f, 0);
	if (cie->has_augmentation_data) {
		uint64_t size = ep_cfi_take_uleb(&c);

		if (size > (size_t)(c.end - c.at))
			return false;
		c.at += size;
	}
	fde->program = c;
	return !c.bad;
}
