// SPDX-License-Identifier: BSD-3-Clause
/* Finds the instructions of a procedure in its ELF file. */
#include <gelf.h>

#include "reporter/symbolize/symbolize_private.h"

/* Takes the part of a section's data from start to end. Returns false if the section does not have the data. */
static bool take_section(Elf_Scn *section, const GElf_Shdr *header, uint64_t start, uint64_t end,
	struct ep_procedure_code *out)
{
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !data->d_buf || end - header->sh_addr > data->d_size)
		return false;
	out->bytes = (const uint8_t *)data->d_buf + (start - header->sh_addr);
	out->n_bytes = end - start;
	out->address = start;
	return true;
}

bool ep_code_of_file(Elf *elf, uint64_t start, uint64_t end, struct ep_procedure_code *out)
{
	GElf_Ehdr ehdr;
	GElf_Shdr header;

	if (!elf || !gelf_getehdr(elf, &ehdr) || end <= start)
		return false;
	out->machine = ehdr.e_machine;
	out->is_big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		/* the type is checked because a debug file has the headers of code sections without their data */
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
			!(header.sh_flags & SHF_EXECINSTR) || start < header.sh_addr ||
			end - header.sh_addr > header.sh_size)
			continue;
		return take_section(section, &header, start, end, out);
	}
	return false;
}
