// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_loops [--lines] FILE...: looks for the loops of all code in programs and libraries, a line a
 * file: procedures, loops, bytes of code, CPU milliseconds that finding the loops took. --lines looks where they are in the
 * source as well, of procedures that have symbols, and adds how many have a line, of how many of
 * these the source is here, and of how many of these the line begins a loop (it has for, while, do,
 * goto, or a macro's EACH), or the line before is a do; then it prints those that do not.
 */
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

struct counts {
	uint32_t n_procedures, n_loops, n_named, n_lines, n_seen, n_right;
	uint64_t n_bytes;
	double ms;
};

static bool with_lines;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- all code ---- */

static void find_in_section(
	struct ep_object *object, const GElf_Shdr *header, struct counts *counts)
{
	uint64_t end = header->sh_addr + header->sh_size, next;

	for (uint64_t at = header->sh_addr; at < end; at = next) {
		struct ep_procedure_code code;
		struct ep_loops loops = { 0 };

		next = (at | 15) + 1; /* behind padding */
		if (!ep_object_code(object, at, &code))
			continue;
		counts->n_procedures++;
		counts->n_bytes += code.n_bytes;
		counts->ms -= now_ms();
		if (ep_loops_find(&code, &loops))
			fprintf(stderr, "cannot look at 0x%llx\n", (unsigned long long)at);
		counts->ms += now_ms();
		counts->n_loops += loops.n_rows;
		ep_loops_finish(&loops);
		if (code.address + code.n_bytes > at)
			next = code.address + code.n_bytes;
	}
}

static void find_all(struct ep_object *object, Elf *elf, struct counts *counts)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
			header.sh_flags & SHF_EXECINSTR)
			find_in_section(object, &header, counts);
}

/* ---- lines ---- */

static bool begins_loop(const char *text)
{
	static const char *const words[] = { "for", "while", "do", "goto", "EACH" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static void look_at_source(const struct ep_loop_place *loop, struct counts *counts)
{
	EP_AUTOFCLOSE FILE *file = fopen(loop->file, "re");
	char text[4096], before[4096] = "";

	for (uint32_t i = 1; file && i <= loop->line && fgets(text, sizeof(text), file); i++) {
		if (i == loop->line) {
			bool is_right = begins_loop(text) || strstr(before, "do");

			counts->n_seen++;
			counts->n_right += is_right;
			if (!is_right)
				printf("%s: %s", loop->name, text);
		}
		memcpy(before, text, sizeof(before));
	}
}

static void name_all(struct ep_symbols *symbols, Elf *elf)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	uint32_t loop;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);

		/* a procedure's first address finds all its loops */
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size &&
				ep_symbols_loop(symbols, 0, symbol.st_value, false, &loop))
				abort();
	}
}

static void look_at_lines(const char *path, Elf *elf, struct counts *counts)
{
	struct ep_module_info module = { .path = path };
	struct ep_trace trace = { .modules = &module, .n_modules = 1 };
	struct ep_symbols_options options = { 0 };
	struct ep_symbols *symbols = ep_symbols_create(&trace, &options);

	name_all(symbols, elf);
	counts->n_named = ep_symbols_count_loops(symbols);
	for (uint32_t i = 0; i < counts->n_named; i++) {
		const struct ep_loop_place *loop = ep_symbols_loop_get(symbols, i);

		counts->n_lines += loop->file != NULL;
		if (loop->file)
			look_at_source(loop, counts);
	}
	ep_symbols_destroy(symbols);
	ep_strings_finish(&trace.strings);
}

static void look_at(const char *path, Elf *elf)
{
	struct ep_object_question question = { .path = path };
	enum ep_module_status status;
	struct ep_object *object = ep_object_open(&question, &status);
	struct counts counts = { 0 };

	if (!object)
		return;
	find_all(object, elf, &counts);
	if (with_lines)
		look_at_lines(path, elf, &counts);
	printf("%s\t%u\t%u\t%llu\t%.1f", path, counts.n_procedures, counts.n_loops,
		(unsigned long long)counts.n_bytes, counts.ms);
	if (with_lines)
		printf("\t%u\t%u\t%u\t%u", counts.n_named, counts.n_lines, counts.n_seen,
			counts.n_right);
	printf("\n");
	ep_object_destroy(object);
}

int main(int argc, char **argv)
{
	elf_version(EV_CURRENT);
	for (int i = 1; i < argc; i++) {
		EP_AUTOFREE char *path = realpath(argv[i], NULL);
		EP_AUTOFCLOSE FILE *file = path ? fopen(path, "re") : NULL;
		Elf *elf = file ? elf_begin(fileno(file), ELF_C_READ_MMAP, NULL) : NULL;

		with_lines |= !strcmp(argv[i], "--lines");
		if (elf && elf_kind(elf) == ELF_K_ELF)
			look_at(path, elf);
		elf_end(elf);
	}
	return 0;
}
