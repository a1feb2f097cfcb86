// SPDX-License-Identifier: BSD-3-Clause
/* The linkage stubs of this very program. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

struct stubs {
	unsigned n_addresses, n_named;
	unsigned n_getppid; /* addresses inside of its stub */
};

static void look_at(Elf *elf, const GElf_Shdr *header, struct stubs *stubs)
{
	for (uint64_t at = header->sh_addr; at < header->sh_addr + header->sh_size; at++) {
		const char *name = ep_linkage_target(elf, at);

		stubs->n_addresses++;
		stubs->n_named += name != NULL;
		stubs->n_getppid += name && !strcmp(name, "getppid");
	}
}

TEST(stubs_have_the_names_of_their_targets)
{
	EP_AUTOCLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stubs stubs = { 0 };
	size_t names;
	Elf *elf;

	CHECK(getppid() > 0); /* called through a stub */
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	CHECK(!elf_getshdrstrndx(elf, &names));
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name;

		gelf_getshdr(section, &header);
		name = elf_strptr(elf, names, header.sh_name);
		if (!strncmp(name, ".plt", 4))
			look_at(elf, &header, &stubs);
		if (!strcmp(name, ".text"))
			CHECK(!ep_linkage_target(elf, header.sh_addr));
	}
	CHECK(!ep_linkage_target(elf, UINT64_MAX));
#if defined(__x86_64__)
	CHECK(stubs.n_named > 0 && stubs.n_named <= stubs.n_addresses);
	CHECK_MSG(stubs.n_getppid == 16 || stubs.n_getppid == 8, "%u", stubs.n_getppid);
#else
	CHECK_INT(stubs.n_named, 0);
#endif
	elf_end(elf);
}
