// SPDX-License-Identifier: BSD-3-Clause
/* Names the stubs of the procedure linkage table, which have no symbols. A stub jumps to the address in a word of
 * memory, and the relocation of that word names the procedure (x86-64). One thread at a time may use an ELF file. */
#include <gelf.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

#define STUB_BYTES 16
#define STUB_READ 11 /* most bytes of endbr64, bnd and jmp *distance(%rip) */

/* Finds the section that contains the address. Returns false if there is none, or if it is not a section of stubs. */
static bool find_stubs(Elf *elf, uint64_t address, GElf_Shdr *out_header, Elf_Scn **out_section)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		const char *name;

		if (!gelf_getshdr(section, out_header) || out_header->sh_type != SHT_PROGBITS ||
			address < out_header->sh_addr ||
			address - out_header->sh_addr >= out_header->sh_size)
			continue;
		name = elf_strptr(elf, names, out_header->sh_name);
		*out_section = section;
		return name && !strncmp(name, ".plt", 4);
	}
	return false;
}

/* Returns the address of the word that holds the jump target of the stub around an address; 0: there is no stub. */
static uint64_t find_slot(const GElf_Shdr *header, Elf_Scn *section, uint64_t address)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint64_t size = header->sh_entsize ? header->sh_entsize : STUB_BYTES;
	uint64_t start = (address - header->sh_addr) / size * size;
	Elf_Data *data = elf_getdata(section, NULL);
	uint8_t bytes[STUB_READ] = { 0 };
	int32_t distance;
	size_t at = 0;

	if (!data || !data->d_buf || start >= data->d_size)
		return 0;
	memcpy(bytes, (const uint8_t *)data->d_buf + start,
		data->d_size - start < STUB_READ ? data->d_size - start : STUB_READ);
	if (!memcmp(bytes, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	at += bytes[at] == 0xf2; /* skips the prefix bnd, if there is one */
	if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return 0;
	memcpy(&distance, bytes + at + 2, sizeof(distance));
	return header->sh_addr + start + at + 6 + (uint64_t)(int64_t)distance;
}

static const char *symbol_of(Elf *elf, size_t table_idx, size_t symbol_idx)
{
	Elf_Scn *table = elf_getscn(elf, table_idx);
	Elf_Data *data = table ? elf_getdata(table, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	const char *name;

	if (!data || !gelf_getshdr(table, &header) || !gelf_getsym(data, (int)symbol_idx, &symbol))
		return NULL;
	name = elf_strptr(elf, header.sh_link, symbol.st_name);
	return name && *name ? name : NULL;
}

static const char *find_relocation(Elf *elf, uint64_t slot)
{
	GElf_Shdr header;
	GElf_Rela entry;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
			!header.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++)
			if (gelf_getrela(data, (int)i, &entry) && entry.r_offset == slot)
				return symbol_of(elf, header.sh_link, GELF_R_SYM(entry.r_info));
	}
	return NULL;
}

const char *ep_linkage_target(Elf *elf, uint64_t address)
{
	GElf_Ehdr ehdr;
	GElf_Shdr header;
	Elf_Scn *section;
	uint64_t slot = 0;

	if (!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64)
		return NULL;
	if (find_stubs(elf, address, &header, &section))
		slot = find_slot(&header, section, address);
	return slot ? find_relocation(elf, slot) : NULL;
}
