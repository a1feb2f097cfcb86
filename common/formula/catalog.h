/* SPDX-License-Identifier: BSD-3-Clause */
/* The formula files that came with evprof or are the user's: where they are, which serve a CPU. */
#ifndef EVPROF_COMMON_FORMULA_CATALOG_H
#define EVPROF_COMMON_FORMULA_CATALOG_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_catalog_entry {
	char *path;
	char *name; /* model: "topdown" */
	char *cpu;  /* key: "skx"; of a file without one, that of the CPU which it serves */
	char *title;
	char *serves; /* patterns of CPU identifiers, NULL: none of its own */
	char *events; /* event table */
};

struct ep_catalog {
	char *root;
	struct ep_catalog_entry *entries; /* the user's, then the shipped ones, sorted by path */
	uint32_t n_entries, capacity;
};

/* Reads the headings of all files below $EVPROF_FORMULAS, the installed folder, or the source
 * tree's when the program runs from its build folder. Without EVPROF_FORMULAS, files in
 * $XDG_DATA_HOME/evprof/formulas (~/.local/share/...) take the place of shipped ones of the same
 * model and CPU. -ENOENT, or a file's error. */
int ep_catalog_open(struct ep_catalog *out, struct ep_error *err) EP_MUST_CHECK;
void ep_catalog_close(struct ep_catalog *catalog);

/* NULL when there is none. */
const struct ep_catalog_entry *ep_catalog_find(
	const struct ep_catalog *catalog, const char *name, const char *cpu);
/* Chooses the CPU's entry of that name, else the one that serves all CPUs ("generic"). cpu may be NULL. -ENOENT:
 * the message lists the names that there are. */
int ep_catalog_choose(const struct ep_catalog *catalog, const char *name, const char *cpu,
	const struct ep_catalog_entry **out_entry, struct ep_error *err) EP_MUST_CHECK;
/* The user's file of this name has no metrics: its parameters are what evcal measured on such a CPU. */
#define EP_CATALOG_LATENCIES "latencies"
/* The user's file of this name has the roofs that evcal roofs measured on a machine with such a CPU. */
#define EP_CATALOG_ROOFS "roofs"
struct ep_formula_file;
/* Reads the entry's file; parameters of it that evcal measured have that value and source, unless the
 * CPU has no such thing (their value is not known). Errors as of ep_formula_file_read. */
int ep_catalog_read(const struct ep_catalog *catalog, const struct ep_catalog_entry *entry,
	struct ep_formula_file *out, struct ep_error *err) EP_MUST_CHECK;
/* Tells whether the text names a file, as "./mine" and "mine.formula" do, and not a model of the catalog. */
bool ep_catalog_is_path(const char *name);
/* Returns the path of the CPU's event table, allocated; NULL: it has none, or out of memory. */
char *ep_catalog_table_path(const struct ep_catalog *catalog, const char *cpu);
/* The key of the CPU with this identifier ("GenuineIntel-6-55-4", "arm-0x41-0xd40", and as a trace
 * has it: a MIDR, "2.2 (pvr 004e 1202)"), or NULL. */
const char *ep_catalog_cpu_of(const struct ep_catalog *catalog, const char *cpuid);

/* This machine's identifier from /proc/cpuinfo; allocated, NULL when it cannot be told. */
char *ep_catalog_own_cpuid(void);

#endif
