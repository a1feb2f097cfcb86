/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the formula files that came with evprof and those of the user. The catalog has their paths, and tells which
 * CPUs they are for. */
#ifndef EVPROF_COMMON_FORMULA_CATALOG_H
#define EVPROF_COMMON_FORMULA_CATALOG_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_catalog_entry {
	char *path;
	char *name; /* name of the model, such as "topdown" */
	/* key of the CPU, such as "skx"; a file without a key gets that of a CPU that serves matches */
	char *cpu;
	char *title;
	char *serves; /* patterns of CPU identifiers; NULL: the file has none */
	char *events; /* name of the event table */
};

struct ep_catalog {
	char *root;
	/* the user's entries, then the shipped ones, sorted by path */
	struct ep_catalog_entry *entries;
	uint32_t n_entries, capacity;
};

/* Reads the headings of all files below $EVPROF_FORMULAS, the installed folder, or the source tree's when the program
 * runs from its build folder. Without EVPROF_FORMULAS, files in $XDG_DATA_HOME/evprof/formulas (~/.local/share/...)
 * replace shipped ones of the same model and CPU. Returns -ENOENT, or the error of a file. */
int ep_catalog_open(struct ep_catalog *out, struct ep_error *err) EP_MUST_CHECK;
void ep_catalog_close(struct ep_catalog *catalog);

/* Returns the entry of this name and CPU; NULL: there is none. */
const struct ep_catalog_entry *ep_catalog_find(
	const struct ep_catalog *catalog, const char *name, const char *cpu);
/* Chooses the CPU's entry of that name, else the entry for all CPUs ("generic"). cpu may be NULL. -ENOENT: there is
 * none, and the message lists the names that exist. */
int ep_catalog_choose(const struct ep_catalog *catalog, const char *name, const char *cpu,
	const struct ep_catalog_entry **out_entry, struct ep_error *err) EP_MUST_CHECK;
/* The name of the user's file of latencies. It has no metrics; its parameters are those that evcal measured on a CPU of
 * that kind. */
#define EP_CATALOG_LATENCIES "latencies"
/* The name of the user's file with the roofs that 'evcal roofs' measured on a machine with a CPU of that kind. */
#define EP_CATALOG_ROOFS "roofs"
struct ep_formula_file;
/* Reads the entry's file. Parameters that evcal measured get the measured value and source. A parameter to which the
 * file gives no value stays without one, since the CPU lacks what it describes. Errors are those of
 * ep_formula_file_read. */
int ep_catalog_read(const struct ep_catalog *catalog, const struct ep_catalog_entry *entry,
	struct ep_formula_file *out, struct ep_error *err) EP_MUST_CHECK;
/* Tells whether the text is a path, such as "./mine" or "mine.formula", and not a model of the catalog. */
bool ep_catalog_is_path(const char *name);
/* Returns the path of the CPU's event table, allocated; NULL: it has none, or there is no memory. */
char *ep_catalog_table_path(const struct ep_catalog *catalog, const char *cpu);
/* Returns the key of the CPU with this identifier; NULL: there is none. Identifiers are such as "GenuineIntel-6-55-4"
 * and "arm-0x41-0xd40", and those in traces: a MIDR, or "2.2 (pvr 004e 1202)". */
const char *ep_catalog_cpu_of(const struct ep_catalog *catalog, const char *cpuid);

/* Returns this machine's identifier from /proc/cpuinfo, allocated; NULL: it is not known. */
char *ep_catalog_own_cpuid(void);

#endif
