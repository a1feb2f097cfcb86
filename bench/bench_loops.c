// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_loops FILE...: looks for the loops of all procedures in programs and libraries, and says how many
 * there are and what it took, a line a file: procedures, loops, loops with a line, those whose line in the
 * source begins a loop (where the source is here: for, while, do, goto or a name in capitals, a macro),
 * bytes of code, milliseconds. --lines prints each loop's line that begins none.
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
	uint32_t n_procedures, n_loops, n_lines, n_seen, n_right;
	uint64_t n_bytes;
};

static bool prints_lines;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool begins_loop(const char *text)
{
	static const char *const words[] = { "for", "while", "do", "goto", "FOR", "WHILE", "EACH",
		"each", "DO ", "end do" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* The line itself, or a `do` before it, which has no code. */
static void look_at_source(const struct ep_loop_place *loop, struct counts *counts)
{
	EP_AUTOFCLOSE FILE *file = fopen(loop->file, "re");
	char text[4096], before[4096] = "";

	for (uint32_t i = 1; file && i <= loop->line && fgets(text, sizeof(text), file); i++) {
		if (i == loop->line) {
			bool is_right = begins_loop(text) || strstr(before, "do");

			counts->n_seen++;
			counts->n_right += is_right;
			if (prints_lines && !is_right)
				printf("%s: %s", loop->name, text);
		}
		memcpy(before, text, sizeof(before));
	}
}

static void find_loops(struct ep_symbols *symbols, const GElf_Sym *symbol, struct counts *counts)
{
	uint32_t loop;

	counts->n_procedures++;
	counts->n_bytes += symbol->st_size;
	/* the first address finds all loops of the procedure */
	if (ep_symbols_loop(symbols, 0, symbol->st_value, false, &loop))
		abort();
}

static void find_all(struct ep_symbols *symbols, Elf *elf, struct counts *counts)
{
	GElf_Shdr header;
	GElf_Sym symbol;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		Elf_Data *data = elf_getdata(section, NULL);

		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size)
				find_loops(symbols, &symbol, counts);
	}
}

static void look_at(const char *path, Elf *elf)
{
	EP_AUTOFREE char *full = realpath(path, NULL);
	struct ep_module_info module = { .path = full ? full : path };
	struct ep_trace trace = { .modules = &module, .n_modules = 1 };
	struct ep_symbols_options options = { 0 };
	struct ep_symbols *symbols = ep_symbols_create(&trace, &options);
	struct counts counts = { 0 };
	double from = now_ms();

	find_all(symbols, elf, &counts);
	from = now_ms() - from;
	counts.n_loops = ep_symbols_count_loops(symbols);
	for (uint32_t i = 0; i < counts.n_loops; i++) {
		const struct ep_loop_place *loop = ep_symbols_loop_get(symbols, i);

		counts.n_lines += loop->file != NULL;
		if (loop->file)
			look_at_source(loop, &counts);
	}
	printf("%s\t%u\t%u\t%u\t%u\t%u\t%llu\t%.1f\n", path, counts.n_procedures, counts.n_loops,
		counts.n_lines, counts.n_seen, counts.n_right, (unsigned long long)counts.n_bytes,
		from);
	ep_symbols_destroy(symbols);
	ep_strings_finish(&trace.strings);
}

int main(int argc, char **argv)
{
	elf_version(EV_CURRENT);
	printf("file\tprocedures\tloops\twith_line\tsource_seen\tright\tbytes\tms\n");
	for (int i = 1; i < argc; i++) {
		EP_AUTOFCLOSE FILE *file = fopen(argv[i], "re");
		Elf *elf;

		if (!strcmp(argv[i], "--lines"))
			prints_lines = true;
		elf = file ? elf_begin(fileno(file), ELF_C_READ_MMAP, NULL) : NULL;
		if (elf && elf_kind(elf) == ELF_K_ELF)
			look_at(argv[i], elf);
		elf_end(elf);
	}
	return 0;
}
