// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums time by the language of the code: scripts, interpreters and virtual machines, compiled code, and the
 * kernel. The language is found by module. Compiled languages are not told apart, since they leave no
 * reliable sign in a module.
 */
#include <ctype.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/facts/runtimes.h"

/* Programs and libraries that run code of another language, by the beginning of their names. */
static const struct runtime {
	const char *program, *library;
	const char *name;
	/* language of the code that the runtime makes at run time; NULL: it makes none */
	const char *made;
	/* the runtime always has its library: a program of this name without the library is another program */
	bool has_library;
} runtimes[] = {
	{ "python", "libpython", EP_RUNTIME_PYTHON, NULL, false },
	{ "pypy", "libpypy", "PyPy", "Python", true },
	{ "node", "libnode", "Node's runtime", "JavaScript", false },
	{ "java", "libjvm", "Java's virtual machine", "Java", true },
	{ "luajit", "libluajit", "LuaJIT", "Lua", false },
	{ "lua", "liblua", "Lua's interpreter", NULL, false },
	{ "perl", "libperl", "Perl's interpreter", NULL, false },
	{ "ruby", "libruby", "Ruby's interpreter", "Ruby", false },
	{ "R", "libR", "R's interpreter", NULL, true },
	{ "octave-cli", "liboctinterp", "Octave's interpreter", NULL, true },
	{ "php", "libphp", "PHP's interpreter", "PHP", false },
	{ "julia", "libjulia", "Julia's runtime", "Julia", true },
	{ "dotnet", "libcoreclr", ".NET's runtime", "C#", true },
};

enum {
	SCRIPT,
	NATIVE,
	KERNEL,
	RUN_TIME,
	UNKNOWN,
	FIRST_RUNTIME,
	N_LANGUAGES = FIRST_RUNTIME + EP_ARRAY_SIZE(runtimes),
};

/* Tells whether a file's name is a runtime's: "libpython3.11.so.1.0", "libpypy3-c.so", "perl5.36" and "node"
 * are, "pythonia" is not. */
static bool begins_with(const char *base, const char *name, const char *behind)
{
	size_t size = strlen(name);

	return !strncmp(base, name, size) &&
	       (!base[size] || isdigit((unsigned char)base[size]) || strchr(behind, base[size]));
}

static bool is_library(const struct runtime *runtime, const char *path)
{
	return begins_with(ep_base_name(path), runtime->library, ".-");
}

static bool is_loaded(const struct ep_trace *trace, const struct runtime *runtime)
{
	for (uint32_t i = 0; i < trace->n_modules; i++)
		if (is_library(runtime, trace->modules[i].path))
			return true;
	return false;
}

static bool is_program(
	const struct ep_trace *trace, const struct runtime *runtime, const char *path)
{
	return begins_with(ep_base_name(path), runtime->program, ".") &&
	       (!runtime->has_library || is_loaded(trace, runtime));
}

static uint32_t find_runtime(const struct ep_trace *trace, const char *path)
{
	for (uint32_t i = 0; i < EP_ARRAY_SIZE(runtimes); i++)
		if (is_program(trace, &runtimes[i], path) || is_library(&runtimes[i], path))
			return FIRST_RUNTIME + i;
	return EP_NONE;
}

const char *ep_runtime_of_file(const struct ep_trace *trace, const char *path)
{
	uint32_t runtime = find_runtime(trace, path);

	return runtime == EP_NONE ? NULL : runtimes[runtime - FIRST_RUNTIME].name;
}

/* Tells whether a script is in a folder of Python's own library, or of packages installed beside it, or has no file. */
bool ep_script_is_of_library(const char *path)
{
	return path[0] == '<' || strstr(path, "/lib/python3");
}

static uint32_t language_of(const struct ep_trace *trace, const struct ep_module_info *module)
{
	uint32_t runtime;

	if (module->is_script)
		return SCRIPT;
	if (module->is_kernel)
		return KERNEL;
	if (!strncmp(module->path, "/memfd:", 7)) /* .NET maps its code from a file in memory */
		return RUN_TIME;
	runtime = find_runtime(trace, module->path);
	return runtime == EP_NONE ? NATIVE : runtime;
}

/* Names the language of code made at run time: it is known only if a single one of the runtimes in the trace
 * can have made it. */
static const char *name_run_time(struct ep_builder *builder, const uint32_t *languages)
{
	uint32_t n_modules = builder->trace->n_modules, maker = EP_NONE;

	for (uint32_t i = 0; i < n_modules; i++) {
		uint32_t l = languages[i];

		if (l < FIRST_RUNTIME || l == maker || !runtimes[l - FIRST_RUNTIME].made)
			continue;
		if (maker != EP_NONE)
			return "made at run time";
		maker = l;
	}
	if (maker == EP_NONE)
		return "made at run time";
	return ep_builder_text(
		builder, "%s, made at run time", runtimes[maker - FIRST_RUNTIME].made);
}

static const char *name_of(struct ep_builder *builder, uint32_t language, const uint32_t *languages)
{
	static const char *const names[] = {
		[SCRIPT] = "Python",
		[NATIVE] = "native",
		[KERNEL] = "kernel",
		[UNKNOWN] = "unknown",
	};

	if (language == RUN_TIME)
		return name_run_time(builder, languages);
	return language < FIRST_RUNTIME ? names[language] : runtimes[language - FIRST_RUNTIME].name;
}

static void add_rows(
	struct ep_builder *builder, const struct ep_attribution *found, const uint32_t *languages)
{
	struct ep_report_table *table = &builder->report->languages;

	if (!ep_table_start(builder, table, found->n_tallies))
		return;
	for (uint32_t l = 0; l < found->n_tallies; l++) {
		struct ep_report_row *row = &table->rows[table->n_rows];

		if (ep_tally_is_empty(&found->tallies[l]))
			continue;
		row->name = row->short_name = name_of(builder, l, languages);
		row->module = row->module_name = "";
		row->kind = EP_SYMBOL_MODULE;
		row->is_known = l != UNKNOWN;
		row->is_script = l == SCRIPT;
		ep_row_set_cost(builder, EP_BY_MODULE, &found->tallies[l], row);
		table->n_rows++;
	}
	ep_table_finish_rows(builder, table);
}

void ep_build_languages(struct ep_builder *builder)
{
	struct ep_trace *trace = builder->trace;
	struct ep_attribution found = { 0 };
	uint32_t *languages;

	if (!builder->options->languages || builder->out_of_memory)
		return;
	languages = ep_builder_calloc(builder, trace->n_modules + 2, sizeof(*languages));
	if (!languages)
		return;
	for (uint32_t i = 0; i < trace->n_modules; i++)
		languages[i] = language_of(trace, &trace->modules[i]);
	languages[trace->n_modules] = UNKNOWN;
	languages[trace->n_modules + 1] = RUN_TIME;
	if (ep_attribute_groups(trace, builder->symbols, languages, &found))
		builder->out_of_memory = true;
	else
		add_rows(builder, &found, languages);
	ep_attribution_finish(&found);
}
