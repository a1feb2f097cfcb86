// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the symbol of an address. libdw searches all symbols of a file for each address, which took minutes for a
 * compiler with 60,000 of them; therefore the symbols are sorted here. libdw is still asked if an address may belong
 * to several symbols, or to one without a size. It is asked once for each stretch of code in which its answer cannot
 * change. One thread at a time may use a file's symbols.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

/* Tells whether libdw may return a symbol. libdw never returns a symbol without a name, nor one that is not code or
 * data of this file. */
static bool is_meant(const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return name && *name && symbol->st_shndx != SHN_UNDEF && type != STT_SECTION &&
	       type != STT_FILE && type != STT_TLS;
}

static bool ask(Dwfl_Module *module, uint64_t address, struct ep_elf_symbol *out)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);

	if (!name || !*name)
		return false;
	*out = (struct ep_elf_symbol){ address - offset, symbol.st_size, name,
		GELF_ST_TYPE(symbol.st_info) };
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct ep_elf_symbol *first = a, *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

static int by_value(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

static uint64_t end_of(const struct ep_elf_symbol *symbol)
{
	return symbol->size > UINT64_MAX - symbol->start ? UINT64_MAX
							 : symbol->start + symbol->size;
}

static int reserve(struct ep_elf_symbols *symbols, size_t n, size_t n_sections)
{
	size_t n_borders = 2 * (n + n_sections);

	symbols->rows = malloc((n + 1) * sizeof(*symbols->rows));
	symbols->reach = malloc((n + 1) * sizeof(*symbols->reach));
	symbols->borders = malloc((n_borders + 1) * sizeof(*symbols->borders));
	symbols->answers = calloc(2 * n_borders + 2, sizeof(*symbols->answers));
	return symbols->rows && symbols->reach && symbols->borders && symbols->answers ? 0
										       : -ENOMEM;
}

static void add_border(struct ep_elf_symbols *symbols, uint64_t start, uint64_t end)
{
	symbols->borders[symbols->n_borders++] = start;
	symbols->borders[symbols->n_borders++] = end;
}

static void read_symbols(struct ep_elf_symbols *symbols, Dwfl_Module *module, int n)
{
	for (int i = 0; i < n; i++) {
		struct ep_elf_symbol *row = &symbols->rows[symbols->n];
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);

		if (!is_meant(&symbol, name))
			continue;
		*row = (struct ep_elf_symbol){ address, symbol.st_size, name,
			GELF_ST_TYPE(symbol.st_info) };
		symbols->has_sizeless |= !row->size;
		add_border(symbols, row->start, end_of(row));
		symbols->n++;
	}
}

/* Adds the borders of sections, since a label without a size covers the code up to the end of its section. */
static void read_sections(struct ep_elf_symbols *symbols, Elf *elf, GElf_Addr bias, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		Elf_Scn *section = elf_getscn(elf, i);
		GElf_Shdr header;

		if (section && gelf_getshdr(section, &header))
			add_border(symbols, header.sh_addr + bias,
				header.sh_addr + bias + header.sh_size);
	}
}

static void sort(struct ep_elf_symbols *symbols)
{
	uint64_t reach = 0;

	qsort(symbols->rows, symbols->n, sizeof(*symbols->rows), by_start);
	qsort(symbols->borders, symbols->n_borders, sizeof(*symbols->borders), by_value);
	for (size_t i = 0; i < symbols->n; i++) {
		uint64_t end = end_of(&symbols->rows[i]);

		reach = end > reach ? end : reach;
		symbols->reach[i] = reach;
	}
}

/* Reads the symbols. If that fails, symbols->serves stays false, and libdw is asked for each address. */
static void read_all(struct ep_elf_symbols *symbols, Dwfl_Module *module)
{
	int n = dwfl_module_getsymtab(module);
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t n_sections;

	symbols->is_open = true;
	if (n <= 0 || !elf || elf_getshdrnum(elf, &n_sections) ||
		reserve(symbols, (size_t)n, n_sections))
		return;
	symbols->serves = true;
	read_symbols(symbols, module, n);
	read_sections(symbols, elf, bias, n_sections);
	sort(symbols);
}

/* Returns how many of the n sorted values are not above the address; size is the distance between two values in
 * bytes. */
static size_t n_up_to(const void *values, size_t n, size_t size, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t value;

		memcpy(&value, (const char *)values + middle * size, sizeof(value));
		if (value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Counts the symbols that contain an address; counting ends at 2. *out is the one of them that begins last. */
static int n_around(
	const struct ep_elf_symbols *symbols, uint64_t address, const struct ep_elf_symbol **out)
{
	size_t i = n_up_to(symbols->rows, symbols->n, sizeof(*symbols->rows), address);
	int n_found = 0;

	for (; i && n_found < 2 && symbols->reach[i - 1] > address; i--)
		if (end_of(&symbols->rows[i - 1]) > address && !n_found++)
			*out = &symbols->rows[i - 1];
	return n_found;
}

/* Returns where libdw's answer for an address is kept: that for the stretch around it, or, if the address is a border,
 * that for the border alone. */
static struct ep_elf_answer *answer_at(const struct ep_elf_symbols *symbols, uint64_t address)
{
	size_t n =
		n_up_to(symbols->borders, symbols->n_borders, sizeof(*symbols->borders), address);

	return &symbols->answers[2 * n + (n && symbols->borders[n - 1] == address)];
}

bool ep_elf_symbols_find(struct ep_elf_symbols *symbols, Dwfl_Module *module, uint64_t address,
	struct ep_elf_symbol *out)
{
	const struct ep_elf_symbol *only = NULL;
	struct ep_elf_answer *answer;
	int n_found;

	if (!symbols->is_open)
		read_all(symbols, module);
	if (!symbols->serves)
		return ask(module, address, out);
	n_found = n_around(symbols, address, &only);
	if (!n_found && !symbols->has_sizeless)
		return false;
	if (n_found == 1) {
		*out = *only;
		return true;
	}
	answer = answer_at(symbols, address);
	if (!answer->is_known) {
		answer->is_known = true;
		answer->is_any = ask(module, address, &answer->symbol);
	}
	*out = answer->symbol;
	return answer->is_any;
}

void ep_elf_symbols_finish(struct ep_elf_symbols *symbols)
{
	free(symbols->rows);
	free(symbols->reach);
	free(symbols->borders);
	free(symbols->answers);
}
