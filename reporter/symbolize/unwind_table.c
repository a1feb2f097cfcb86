// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds where procedures begin and end, from the search table of the unwinding information (.eh_frame_hdr), which
 * stripped files have too. One thread at a time may use an ELF file.
 */
#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

#define EH_HEADER_BYTES 12
#define EH_TABLE_ENCODING 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4, which linkers write */

/* Finds the table of (start, entry) pairs, both relative to *out_base. */
static const uint8_t *find_table(Elf *elf, uint64_t *out_base, uint32_t *out_n)
{
	size_t n_headers;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n_headers))
		return NULL;
	for (size_t i = 0; i < n_headers; i++) {
		Elf_Data *data;
		const uint8_t *bytes;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME)
			continue;
		data = elf_getdata_rawchunk(elf, header.p_offset, header.p_filesz, ELF_T_BYTE);
		bytes = data && data->d_size >= EH_HEADER_BYTES ? data->d_buf : NULL;
		if (!bytes || bytes[0] != 1 || bytes[3] != EH_TABLE_ENCODING)
			return NULL;
		memcpy(out_n, bytes + 8, sizeof(*out_n));
		*out_base = header.p_vaddr;
		return *out_n <= (data->d_size - EH_HEADER_BYTES) / 8 ? bytes + EH_HEADER_BYTES
								      : NULL;
	}
	return NULL;
}

/* Returns the bytes at an address of the file, at least size of them; NULL: the file has none. */
static const uint8_t *bytes_at(Elf *elf, uint64_t address, size_t size)
{
	size_t n_headers;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n_headers))
		return NULL;
	for (size_t i = 0; i < n_headers; i++) {
		uint64_t offset;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &header))
			continue;
		offset = address - header.p_vaddr;
		if (header.p_type != PT_LOAD || offset >= header.p_filesz ||
			header.p_filesz - offset < size)
			continue;
		/* The whole segment is taken at once, since libelf keeps each piece that it has given, and searches
		 * all pieces for the next one. */
		data = elf_getdata_rawchunk(
			elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);
		return data && data->d_size >= header.p_filesz
			       ? (const uint8_t *)data->d_buf + offset
			       : NULL;
	}
	return NULL;
}

#define FDE_HEADER_BYTES 8 /* length of the entry and offset of its CIE */

/* Returns the end of the procedure whose entry (FDE) lies at an address; UINT64_MAX: not known. The entry has the
 * start in one of several forms, and the CIE's augmentation says which (LSB, .eh_frame). The augmentation is not read
 * here: the form is the one that gives the known start. Four bytes and relative, as compilers write it, and eight
 * bytes, relative or absolute, are tried. */
static uint64_t end_of(Elf *elf, uint64_t fde, uint64_t start)
{
	const uint8_t *bytes = bytes_at(elf, fde, FDE_HEADER_BYTES + 8);
	uint64_t at = fde + FDE_HEADER_BYTES, wide[2];
	uint32_t narrow[2];

	if (!bytes)
		return UINT64_MAX;
	memcpy(narrow, bytes + FDE_HEADER_BYTES, sizeof(narrow));
	if (at + (uint64_t)(int32_t)narrow[0] == start)
		return start + narrow[1];
	bytes = bytes_at(elf, fde, FDE_HEADER_BYTES + sizeof(wide));
	if (!bytes)
		return UINT64_MAX;
	memcpy(wide, bytes + FDE_HEADER_BYTES, sizeof(wide));
	return wide[0] == start || at + wide[0] == start ? start + wide[1] : UINT64_MAX;
}

bool ep_unwind_table_find(Elf *elf, uint64_t address, uint64_t *out_start, uint64_t *out_end)
{
	uint32_t low = 0, high = 0;
	uint64_t base = 0;
	const uint8_t *table = find_table(elf, &base, &high);
	int32_t entry[2];

	while (table && low < high) {
		uint32_t middle = low + (high - low) / 2;

		memcpy(entry, table + 8 * (size_t)middle, sizeof(entry));
		if (base + entry[0] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!table || !low)
		return false;
	memcpy(entry, table + 8 * (size_t)(low - 1), sizeof(entry));
	*out_start = base + entry[0];
	*out_end = end_of(elf, base + entry[1], *out_start);
	return true;
}
