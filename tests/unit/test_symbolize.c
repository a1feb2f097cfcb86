// SPDX-License-Identifier: BSD-3-Clause
/* Names for addresses of this very program, and for those of files that are not what they were. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

static uint64_t base;

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

static __attribute__((noinline)) uint64_t here(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

enum { INNER_LINE = __LINE__ + 3 };
static inline __attribute__((always_inline)) uint64_t inner(void)
{
	uint64_t address = here();

	__asm__ volatile("" : "+r"(address));
	return address;
}

enum { OUTER_LINE = __LINE__ + 3 };
static __attribute__((noinline)) uint64_t outer(void)
{
	uint64_t address = inner();

	__asm__ volatile("" : "+r"(address));
	return address;
}

/* Inlined in one place, called in another. */
static inline __attribute__((always_inline)) uint64_t often(void)
{
	uint64_t address = here();

	__asm__ volatile("nop" : "+r"(address)); /* or it is merged with inner */
	return address;
}

static __attribute__((noinline)) uint64_t with_often_inside(void)
{
	uint64_t address = often();

	__asm__ volatile("" : "+r"(address));
	return address;
}

static uint64_t (*volatile often_by_itself)(void) = often;

/* A trace with one module, and nothing else. */
struct fixture {
	struct ep_trace trace;
	struct ep_module_info module;
	struct ep_symbols *symbols;
};

static void start(struct fixture *f, const char *path, const char *sysroot, uint64_t run_start_ns)
{
	struct ep_symbols_options options = { .sysroot = sysroot, .run_start_ns = run_start_ns };

	f->module.path = path;
	f->trace.modules = &f->module;
	f->trace.n_modules = 1;
	f->symbols = ep_symbols_create(&f->trace, &options);
	dl_iterate_phdr(take_base, NULL);
}

static void finish(struct fixture *f)
{
	ep_symbols_destroy(f->symbols);
	ep_strings_finish(&f->trace.strings);
}

static const char *self_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

TEST(inlined_frames_with_their_lines)
{
	struct fixture f = { 0 };
	const struct ep_frame *frames;
	uint64_t address = outer();
	uint32_t n = 0;

	start(&f, self_path(), NULL, 0);
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, address - base, true, &frames, &n), 0);
	CHECK_INT(n, 2);
	CHECK_INT(ep_symbols_module_status(f.symbols, 0), EP_MODULE_FOUND);
	if (n == 2) {
		const struct ep_symbol *in = ep_symbols_get(f.symbols, frames[0].symbol_idx);
		const struct ep_symbol *out = ep_symbols_get(f.symbols, frames[1].symbol_idx);

		CHECK_STR(in->name, "inner");
		CHECK(in->is_inlined && in->is_known);
		CHECK_INT(frames[0].line, INNER_LINE);
		CHECK_STR(ep_base_name(frames[0].file), "test_symbolize.c");
		CHECK_STR(out->name, "outer");
		CHECK(!out->is_inlined);
		CHECK_INT(frames[1].line, OUTER_LINE);
		CHECK_INT(out->line, OUTER_LINE - 2);
	}
	finish(&f);
}

/* A row that stands for calls as well is not marked as inlined, whichever came first. */
TEST(a_procedure_that_is_called_too_is_not_inlined)
{
	for (int called_first = 0; called_first < 2; called_first++) {
		struct fixture f = { 0 };
		const struct ep_frame *frames;
		uint32_t idx = 0, n = 0;

		start(&f, self_path(), NULL, 0);
		for (int i = 0; i < 2; i++) {
			bool is_call = i != called_first;
			uint64_t address = is_call ? often_by_itself() : with_often_inside();

			CHECK_INT(
				ep_symbols_resolve(f.symbols, 0, address - base, true, &frames, &n),
				0);
			CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, "often");
			CHECK(!i || frames[0].symbol_idx == idx);
			idx = frames[0].symbol_idx;
			if (!i)
				CHECK_INT(ep_symbols_get(f.symbols, idx)->is_inlined, !is_call);
		}
		CHECK(!ep_symbols_get(f.symbols, idx)->is_inlined);
		finish(&f);
	}
}

/* The one frame of an address in a module that is not to be named. */
static void check_nameless(
	struct fixture *f, enum ep_module_status status, enum ep_symbol_kind kind, const char *name)
{
	const struct ep_frame *frames;
	uint32_t n = 0;

	CHECK_INT(ep_symbols_resolve(f->symbols, 0, outer() - base, true, &frames, &n), 0);
	CHECK_INT(n, 1);
	CHECK_INT(ep_symbols_module_status(f->symbols, 0), status);
	CHECK_STR(ep_symbols_get(f->symbols, frames[0].symbol_idx)->name, name);
	CHECK_INT(ep_symbols_get(f->symbols, frames[0].symbol_idx)->kind, kind);
	CHECK(!ep_symbols_get(f->symbols, frames[0].symbol_idx)->is_known);
	finish(f);
}

TEST(another_build_gives_no_names)
{
	struct fixture f = { .module = { .build_id = { 1, 2, 3, 4 }, .build_id_size = 4 } };

	start(&f, self_path(), NULL, 0);
	check_nameless(&f, EP_MODULE_CHANGED, EP_SYMBOL_MODULE, "[test_symbolize]");
}

TEST(absent_files_and_no_files)
{
	struct fixture absent = { 0 }, vdso = { 0 }, none = { 0 };

	start(&absent, "/nowhere/libx.so.1", NULL, 0);
	check_nameless(&absent, EP_MODULE_ABSENT, EP_SYMBOL_MODULE, "[libx.so.1]");
	start(&vdso, "[vdso]", NULL, 0);
	check_nameless(&vdso, EP_MODULE_NO_FILE, EP_SYMBOL_MODULE, "[vdso]");
	start(&none, "", NULL, 0);
	check_nameless(&none, EP_MODULE_NO_FILE, EP_SYMBOL_RUN_TIME, "[code made at run time]");
}

/* The trace may name a module like the row that the reader makes for the kernel's time. */
TEST(only_the_readers_own_module_is_the_kernel)
{
	struct fixture own = { .module = { .is_kernel = true } }, named = { 0 };

	start(&own, "[kernel]", NULL, 0);
	check_nameless(&own, EP_MODULE_NO_FILE, EP_SYMBOL_KERNEL, "[kernel]");
	start(&named, "[kernel]", NULL, 0);
	check_nameless(&named, EP_MODULE_NO_FILE, EP_SYMBOL_MODULE, "[kernel]");
}

/* The build-id in the notes of our own vdso. */
static void take_vdso_id(struct ep_module_info *module)
{
	const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) *headers = (const void *)((const char *)image + image->e_phoff);

	for (int i = 0; i < image->e_phnum; i++) {
		const char *at = (const char *)image + headers[i].p_offset;
		const char *end = at + headers[i].p_filesz;

		while (headers[i].p_type == PT_NOTE && at < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *id = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID) {
				memcpy(module->build_id, id, note->n_descsz);
				module->build_id_size = note->n_descsz;
			}
			at = id + ((note->n_descsz + 3) & ~3u);
		}
	}
}

/* Its name differs by architecture: __vdso_clock_gettime, __kernel_clock_gettime. */
static uint64_t vdso_address(const char **out_name)
{
	static const char *const names[] = { "__vdso_clock_gettime", "__kernel_clock_gettime" };
	static const char *const libraries[] = { "linux-vdso.so.1", "linux-vdso64.so.1" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(libraries) * EP_ARRAY_SIZE(names); i++) {
		void *library = dlopen(libraries[i / 2], RTLD_NOLOAD | RTLD_NOW);
		void *found = library ? dlsym(library, names[i % 2]) : NULL;

		*out_name = names[i % 2];
		if (found)
			return (uintptr_t)found - getauxval(AT_SYSINFO_EHDR);
	}
	return 0;
}

TEST(the_kernels_pages_of_this_kernel_and_of_another)
{
	struct fixture f = { 0 };
	const struct ep_frame *frames;
	const char *name;
	uint64_t address = vdso_address(&name);
	uint32_t n;

	if (!address) /* a machine without a vdso has none to name */
		return;
	take_vdso_id(&f.module);
	start(&f, EP_VDSO, NULL, 0);
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, address + 1, false, &frames, &n), 0);
	CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, name);
	finish(&f);
	f.module.build_id[0]++;
	start(&f, EP_VDSO, NULL, 0);
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, address + 1, false, &frames, &n), 0);
	CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, "[vdso]");
	finish(&f);
}

TEST(a_file_newer_than_the_run_is_named_but_said)
{
	struct fixture f = { 0 };
	const struct ep_frame *frames;
	uint32_t n = 0;

	start(&f, self_path(), NULL, 1000000000);
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, outer() - base, true, &frames, &n), 0);
	CHECK_INT(n, 2);
	CHECK_INT(ep_symbols_module_status(f.symbols, 0), EP_MODULE_NEWER);
	finish(&f);
}

TEST(jit_code_by_its_map)
{
	char root[] = "/tmp/evprof-symbols-XXXXXX", text[128];
	struct fixture f = { .module = { .pid = 77 } };
	const struct ep_frame *frames;
	uint32_t n = 0;
	FILE *file;

	CHECK(mkdtemp(root) != NULL);
	snprintf(text, sizeof(text), "%s/tmp", root);
	CHECK_INT(mkdir(text, 0700), 0);
	snprintf(text, sizeof(text), "%s/tmp/perf-77.map", root);
	file = fopen(text, "w");
	fputs("3000 10 void J.lambda$main$0(java.lang.String, int)\n2000 10 later\n1000 20 "
	      "LazyCompile:~run /x.js:1\nbad line\n2000 8 latest\n4000 10 StubRoutines (2)\n",
		file);
	fclose(file);
	start(&f, "", root, 0);
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, 0x101f, false, &frames, &n), 0);
	CHECK_STR(
		ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, "LazyCompile:~run /x.js:1");
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, 0x1020, true, &frames, &n), 0);
	CHECK_STR(
		ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, "LazyCompile:~run /x.js:1");
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, 0x2003, false, &frames, &n), 0);
	CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, "latest");
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, 0x3003, false, &frames, &n), 0);
	CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->short_name, "J.lambda$main$0");
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, 0x4003, false, &frames, &n), 0);
	CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->short_name, "StubRoutines (2)");
	CHECK_INT(ep_symbols_resolve(f.symbols, 0, 0x1020, false, &frames, &n), 0);
	CHECK_STR(ep_symbols_get(f.symbols, frames[0].symbol_idx)->name, "[code made at run time]");
	finish(&f);
	unlink(text);
	*strrchr(text, '/') = '\0';
	rmdir(text);
	rmdir(root);
}

TEST(mangled_names_become_readable)
{
	static const struct {
		const char *name, *with, *without;
	} rows[] = {
		{ "_ZN3app5solveEid", "app::solve(int, double)", "app::solve" },
		{ "_ZSt4sortIPiEvT_S1_", "std::sort<int*>(int*, int*)", "std::sort<int*>" },
		{ "_RNvC5crate4main", "crate::main", "crate::main" },
		{ "main", NULL, NULL },
		{ "_Zrubbish", NULL, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		char *with = ep_demangle(rows[i].name, true),
		     *without = ep_demangle(rows[i].name, false);

		CHECK_STR(with ? with : "none", rows[i].with ? rows[i].with : "none");
		CHECK_STR(without ? without : "none", rows[i].without ? rows[i].without : "none");
		free(with);
		free(without);
	}
}
