// SPDX-License-Identifier: BSD-3-Clause
/* Symbols by address, held against libdw's own search. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "reporter/symbolize/symbolize_private.h"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Code of ours between two labels without a size, with a symbol in a symbol, and one that is two. */
__asm__(".text\n"
	".globl label_before\nlabel_before:\n\t.skip 16\n"
	".globl outer_symbol\n.type outer_symbol, %function\nouter_symbol:\n\t.skip 8\n"
	".type inner_symbol, %function\ninner_symbol:\n\t.skip 8\n.size inner_symbol, 8\n\t.skip 8\n"
	".size outer_symbol, 24\n"
	".globl first_name\n.type first_name, %function\nfirst_name:\n"
	".globl second_name\n.type second_name, %function\nsecond_name:\n\t.skip 16\n"
	".size first_name, 16\n.size second_name, 16\n"
	"label_behind:\n\t.skip 16\n");

static int n_compared, n_named;

static void compare(struct ep_elf_symbols *symbols, Dwfl_Module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	struct ep_elf_symbol found;
	bool is_found = ep_elf_symbols_find(symbols, module, address, &found);

	n_compared++;
	n_named += is_found;
	CHECK_MSG(is_found == (name && *name), "%llx: %s, libdw %s", (unsigned long long)address,
		is_found ? found.name : "none", name ? name : "none");
	if (!is_found || !name)
		return;
	CHECK_STR(found.name, name);
	CHECK_INT(found.start, address - offset);
	CHECK_INT(found.size, symbol.st_size);
	CHECK_INT(found.type, GELF_ST_TYPE(symbol.st_info));
}

/* At the borders of each symbol of a file, beside them and within. */
static void compare_file(const char *path, int n_least)
{
	struct ep_elf_symbols symbols = { 0 };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = dwfl_report_offline(dwfl, path, path, -1);
	int n;

	dwfl_report_end(dwfl, NULL, NULL);
	n = dwfl_module_getsymtab(module);
	n_compared = n_named = 0;
	for (int i = 0; i < n; i += 1 + n / 1000) {
		GElf_Sym symbol;
		GElf_Addr address;

		if (!dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL))
			continue;
		compare(&symbols, module, address - 1);
		compare(&symbols, module, address);
		compare(&symbols, module, address + symbol.st_size / 2);
		compare(&symbols, module, address + symbol.st_size);
	}
	CHECK_MSG(n_compared >= n_least && n_named > n_least / 4, "%s: %d, %d named", path,
		n_compared, n_named);
	ep_elf_symbols_finish(&symbols);
	dwfl_end(dwfl);
}

TEST(names_of_this_program_are_libdws)
{
	compare_file("/proc/self/exe", 100);
}

TEST(names_of_a_stripped_library_are_libdws)
{
	Dl_info info;

	CHECK(dladdr(dlsym(RTLD_DEFAULT, "qsort"), &info));
	compare_file(info.dli_fname, 1000);
}

TEST(without_symbols_nothing_is_found)
{
	struct ep_elf_symbols symbols = { .is_open = true, .serves = true };
	struct ep_elf_symbol found;

	CHECK(!ep_elf_symbols_find(&symbols, NULL, 0x1000, &found));
}
