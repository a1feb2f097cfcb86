// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/facts/activity.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

const struct ep_activity_words ep_activity_words[EP_N_ACTIVITIES] = {
	[EP_ACTIVITY_OWN] = { "own", "the program's own code, and other libraries", NULL, false,
		false },
	[EP_ACTIVITY_MPI] = { "mpi", "MPI (passing data, waiting for other ranks)",
		"Work that is spread evenly over the ranks, or fewer and larger messages, reduce it.",
		true, true },
	[EP_ACTIVITY_OPENMP] = { "openmp", "OpenMP (threads that wait for others, or for work)",
		"Longer parallel parts, or schedule(dynamic), reduce it.", true, true },
	[EP_ACTIVITY_GPU] = { "gpu", "a GPU's runtime (starting work there, waiting for it)", NULL,
		true, true },
	[EP_ACTIVITY_ALGEBRA] = { "linear-algebra", "linear algebra (BLAS, LAPACK)", NULL, true,
		true },
	[EP_ACTIVITY_FFT] = { "fourier", "Fourier transforms", NULL, true, true },
	[EP_ACTIVITY_MATH] = { "math", "mathematical functions",
		"Where the last digits may differ, -O3 -ffast-math lets GCC use vector versions.",
		true, true },
	[EP_ACTIVITY_MEMORY] = { "memory", "allocating and freeing memory",
		"Memory that is kept and used again need not be allocated each time.", true, true },
	[EP_ACTIVITY_COPY] = { "copying", "copying, filling and comparing memory and text", NULL,
		true, true },
	[EP_ACTIVITY_LOCK] = { "locks", "locks and signals between threads",
		"Threads that need the same lock run one after the other.", true, true },
	[EP_ACTIVITY_IDLE] = { "idle-spinning",
		"threads that wait with their CPU (in a loop, sched_yield)",
		"Fewer threads (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS) leave the CPUs to the others.",
		true, false },
	[EP_ACTIVITY_EXCEPTIONS] = { "exceptions",
		"exceptions (throwing, unwinding the stack, catching)",
		"A failure that happens often is cheaper as a return value (std::optional, an error code).",
		true, true },
	[EP_ACTIVITY_FILES] = { "files", "reading, writing and formatting",
		"Numbers as text are slow to read and write: binary files, and larger blocks, are not.",
		true, true },
	[EP_ACTIVITY_LOADING] = { "loading", "starting (loading libraries, mpirun, MPI_Init)", NULL,
		true, false },
	[EP_ACTIVITY_IMPORT] = { "importing", "importing modules (Python)",
		"Each start pays for them: an import inside the one function that needs it costs only the runs that call it.",
		true, true },
	[EP_ACTIVITY_SYSTEM] = { "system-calls", "system calls (the kernel's work for the program)",
		"Fewer calls that each do more work take less time.", true, true },
	[EP_ACTIVITY_KERNEL] = { "kernel", "the kernel, for own code (system calls, page faults)",
		NULL, false, false },
};

/* Shell patterns of a module and a name; NULL matches any. The first row that matches both is taken. */
static const struct {
	enum ep_activity activity;
	const char *module, *name;
} rules[] = {
	{ EP_ACTIVITY_LOADING, NULL, "*[Mm][Pp][Ii]_[Ii]nit*" },
	{ EP_ACTIVITY_LOADING, NULL, "*[Mm][Pp][Ii]_[Ff]inalize*" },
	{ EP_ACTIVITY_MPI, NULL, "MPI_[A-Z]*" },
	{ EP_ACTIVITY_MPI, NULL, "PMPI_[A-Z]*" },
	/* GROMACS' thread-MPI, which has threads in place of ranks */
	{ EP_ACTIVITY_MPI, NULL, "tMPI_[A-Z]*" },
	{ EP_ACTIVITY_MPI, "libmpi*", NULL },
	{ EP_ACTIVITY_MPI, "libpmpi*", NULL },
	{ EP_ACTIVITY_LOADING, "libopen-rte*", NULL }, /* mpirun */
	{ EP_ACTIVITY_MPI, "libopen-*", NULL },        /* Open MPI's lower layers */
	{ EP_ACTIVITY_MPI, "mca_*", NULL },
	{ EP_ACTIVITY_MPI, "libpmix*", NULL },
	{ EP_ACTIVITY_MPI, "libuc[pst]*", NULL }, /* UCX */
	{ EP_ACTIVITY_MPI, "libfabric*", NULL },
	{ EP_ACTIVITY_MPI, "libpsm*", NULL },
	{ EP_ACTIVITY_OPENMP, "libgomp*", NULL },
	{ EP_ACTIVITY_OPENMP, "libiomp*", NULL },
	{ EP_ACTIVITY_OPENMP, "libomp*", NULL },
	{ EP_ACTIVITY_OPENMP, NULL, "GOMP_*" },
	{ EP_ACTIVITY_OPENMP, NULL, "gomp_*" },
	{ EP_ACTIVITY_OPENMP, NULL, "__kmp*" },
	{ EP_ACTIVITY_GPU, "libcuda[.-]*", NULL }, /* NVIDIA */
	{ EP_ACTIVITY_GPU, "libcudart*", NULL },
	{ EP_ACTIVITY_GPU, "libcublas*", NULL },
	{ EP_ACTIVITY_GPU, "libcudnn*", NULL },
	{ EP_ACTIVITY_GPU, "libcufft*", NULL },
	{ EP_ACTIVITY_GPU, "libcurand*", NULL },
	{ EP_ACTIVITY_GPU, "libcusolver*", NULL },
	{ EP_ACTIVITY_GPU, "libcusparse*", NULL },
	{ EP_ACTIVITY_GPU, "libnccl*", NULL },
	{ EP_ACTIVITY_GPU, "libnvrtc*", NULL },
	{ EP_ACTIVITY_GPU, "libnvJitLink*", NULL },
	{ EP_ACTIVITY_GPU, "libnvidia-*", NULL },
	{ EP_ACTIVITY_GPU, "libamdhip64*", NULL }, /* AMD */
	{ EP_ACTIVITY_GPU, "libhsa-runtime64*", NULL },
	{ EP_ACTIVITY_GPU, "libamd_comgr*", NULL },
	{ EP_ACTIVITY_GPU, "libroc[bfs]*", NULL },
	{ EP_ACTIVITY_GPU, "libhip[bfs]*", NULL },
	{ EP_ACTIVITY_GPU, "librccl*", NULL },
	{ EP_ACTIVITY_GPU, "libMIOpen*", NULL },
	{ EP_ACTIVITY_GPU, "libze_*", NULL }, /* Intel */
	{ EP_ACTIVITY_GPU, "libigdrcl*", NULL },
	/* OpenBLAS's threads that wait for work */
	{ EP_ACTIVITY_IDLE, NULL, "blas_thread_server" },
	{ EP_ACTIVITY_ALGEBRA, "libopenblas*", NULL },
	/* in the Python packages of numpy and scipy */
	{ EP_ACTIVITY_ALGEBRA, "libscipy_openblas*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libblas*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libcblas*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "liblapack*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libscalapack*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libmkl_*", NULL },
	{ EP_ACTIVITY_ALGEBRA, NULL, "mkl_blas_*" }, /* inside of libtorch_cpu.so */
	{ EP_ACTIVITY_ALGEBRA, NULL, "mkl_lapack_*" },
	{ EP_ACTIVITY_ALGEBRA, "libblis*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libflexiblas*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libatlas*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libarmpl*", NULL },
	{ EP_ACTIVITY_ALGEBRA, "libessl*", NULL },
	{ EP_ACTIVITY_FFT, "libfftw*", NULL },
	{ EP_ACTIVITY_MATH, "libm.so*", NULL },
	{ EP_ACTIVITY_MATH, "libm-2.*", NULL },
	{ EP_ACTIVITY_MATH, "libmvec*", NULL },
	{ EP_ACTIVITY_MEMORY, "libjemalloc*", NULL },
	{ EP_ACTIVITY_MEMORY, "libtcmalloc*", NULL },
	{ EP_ACTIVITY_MEMORY, "libmimalloc*", NULL },
	{ EP_ACTIVITY_MEMORY, "libstdc++*", "operator new*" },
	{ EP_ACTIVITY_MEMORY, "libstdc++*", "operator delete*" },
	{ EP_ACTIVITY_MEMORY, "libc[.-]*", "*alloc" },
	{ EP_ACTIVITY_MEMORY, "libc[.-]*", "*free" },
	{ EP_ACTIVITY_MEMORY, "libc[.-]*", "*memalign" },
	{ EP_ACTIVITY_COPY, "libc[.-]*", "*mem[cs]*" },
	{ EP_ACTIVITY_COPY, "libc[.-]*", "*memmove*" },
	{ EP_ACTIVITY_COPY, "libc[.-]*", "*str[clnrsp]*" },
	{ EP_ACTIVITY_LOCK, "libpthread[.-]*", "*" },
	{ EP_ACTIVITY_LOCK, "libc[.-]*", "*pthread_[mcrsb]*_*lock*" },
	{ EP_ACTIVITY_LOCK, "libc[.-]*", "*pthread_*wait*" },
	{ EP_ACTIVITY_LOCK, "libc[.-]*", "*pthread_cond_*" },
	{ EP_ACTIVITY_LOCK, "libc[.-]*", "__lll_*" },
	{ EP_ACTIVITY_LOCK, "libc[.-]*", "*sem_*" },
	{ EP_ACTIVITY_IDLE, "libc[.-]*", "*sched_yield" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "__cxa_throw" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "__cxa_rethrow" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "__cxa_allocate_exception" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "__cxa_begin_catch" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "__cxa_end_catch" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "_Unwind_RaiseException" },
	{ EP_ACTIVITY_EXCEPTIONS, NULL, "_Unwind_Resume*" },
	{ EP_ACTIVITY_FILES, "libhdf5*", NULL },
	{ EP_ACTIVITY_FILES, "libnetcdf*", NULL },
	{ EP_ACTIVITY_FILES, "libpnetcdf*", NULL },
	{ EP_ACTIVITY_FILES, "libgfortran*", "_gfortran_st_*" },
	{ EP_ACTIVITY_FILES, "libgfortran*", "_gfortran_transfer_*" },
	/* functions without a name, which the functions of the two rows above jump to */
	{ EP_ACTIVITY_FILES, "libgfortran*", "libgfortran*+0x*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*printf*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*scanf*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*getline*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*strto[dfliu]*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*f[gp]ut[cs]*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*fget[cs]*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*fread*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "*fwrite*" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "read" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "__read" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "__GI___libc_read" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "write" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "__write" },
	{ EP_ACTIVITY_FILES, "libc[.-]*", "__GI___libc_write" },
	{ EP_ACTIVITY_LOADING, "ld-linux*", NULL },
	{ EP_ACTIVITY_LOADING, "ld64*", NULL },
	{ EP_ACTIVITY_LOADING, "ld-2.*", NULL },
	{ EP_ACTIVITY_LOADING, "libc[.-]*", "*dlopen*" },
	{ EP_ACTIVITY_LOADING, "libc[.-]*", "*dlsym*" },
	{ EP_ACTIVITY_IMPORT, "<frozen importlib._bootstrap>", "*:_find_and_load" },
};

/* Compares the letters before the first wildcard first, since most rules fail there. fnmatch handles
 * multibyte characters and is ten times slower. */
static bool matches(const char *pattern, const char *text)
{
	if (!pattern)
		return true;
	return !strncmp(pattern, text, strcspn(pattern, "*[")) && !fnmatch(pattern, text, 0);
}

enum ep_activity ep_activity_of(enum ep_symbol_kind kind, const char *module, const char *name)
{
	const char *file = ep_base_name(module);

	if (kind == EP_SYMBOL_KERNEL)
		return EP_ACTIVITY_KERNEL;
	for (size_t i = 0; i < EP_ARRAY_SIZE(rules); i++)
		if (matches(rules[i].module, file) && matches(rules[i].name, name))
			return rules[i].activity;
	return EP_ACTIVITY_OWN;
}

bool ep_activity_stands_out(enum ep_activity inner, enum ep_activity outer)
{
	if (outer == EP_ACTIVITY_OWN)
		return inner != EP_ACTIVITY_OWN;
	return outer == EP_ACTIVITY_ALGEBRA && inner == EP_ACTIVITY_IDLE;
}

bool ep_activity_hands_over(enum ep_activity outer, enum ep_activity inner)
{
	return (outer == EP_ACTIVITY_OPENMP && inner != EP_ACTIVITY_OPENMP) ||
	       (outer == EP_ACTIVITY_IDLE && inner == EP_ACTIVITY_ALGEBRA);
}

bool ep_activity_is_support(enum ep_symbol_kind kind, const char *module)
{
	static const char *const files[] = { "libc[.-]*", "libpthread[.-]*", "ld-linux*", "ld64*",
		"ld-2.*", "[[]vdso]", "linux-vdso*", "linux-gate*" };
	const char *file = ep_base_name(module);

	if (kind == EP_SYMBOL_KERNEL)
		return true;
	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++)
		if (matches(files[i], file))
			return true;
	return false;
}

/* ---- names of entries ---- */

static void drop_end(char *name, const char *end)
{
	size_t n = strlen(name), n_end = strlen(end);

	if (n > n_end + 5 && !strcmp(name + n - n_end, end))
		name[n - n_end] = '\0';
}

/* Writes the standard's name of an MPI function: MPI_Send for mpi_send_, pmpi_send__, Open MPI's Fortran
 * function ompi_send_f, and the module mpi_f08's mpi_send_f08_ (in MPICH MPI_Send_f08ts). */
static void name_mpi_entry(const char *name, char *out, size_t capacity)
{
	static const char *const ends[] = { "__", "_", "_f08ts", "_f08", "_f" };
	bool is_fortran = !strncmp(name, "ompi_", 5) && strlen(name) > 7 &&
			  !strcmp(name + strlen(name) - 2, "_f");

	name += is_fortran ||
		((*name == 'P' || *name == 'p') && (name[1] == 'M' || name[1] == 'm'));
	snprintf(out, capacity, "%s", name);
	if ((strncmp(out, "mpi_", 4) && strncmp(out, "MPI_", 4)) || !out[4])
		return;
	memcpy(out, "MPI", 3);
	out[4] = (char)toupper((unsigned char)out[4]);
	for (size_t i = 0; i < EP_ARRAY_SIZE(ends); i++)
		drop_end(out, ends[i]);
}

/* Drops the prefix and suffix that the packages of numpy and scipy, and ILP64 builds, add to BLAS' names, as
 * in scipy_cblas_dgemm64_. */
static void name_algebra_entry(const char *name, char *out, size_t capacity)
{
	static const char prefix[] = "scipy_";

	name += strncmp(name, prefix, sizeof(prefix) - 1) ? 0 : sizeof(prefix) - 1;
	snprintf(out, capacity, "%s", name);
	drop_end(out, "64_");
}

/* Drops the prefixes and suffixes that glibc adds to the names of its variants: __ieee754_exp_fma becomes
 * exp, __GI___libc_free becomes free. */
static void name_c_entry(const char *name, char *out, size_t capacity)
{
	static const char *const before[] = { "__GI_", "__libc_", "__ieee754_", "__new_", "___",
		"__", "_IO_" };
	static const char *const behind[] = { "_fma", "_fma4", "_avx", "_avx2", "_sse2", "_sse4_1",
		"_erms", "_unaligned", "_evex", "_avx512", "_avx512f", "_rtm", "_finite", "_ifunc",
		"_ssse3", "_generic", "_asimd", "_movbe", "_chk" };
	const char *suffix;

	for (size_t i = 0; i < EP_ARRAY_SIZE(before); i++)
		if (!strncmp(name, before[i], strlen(before[i])))
			name += strlen(before[i]);
	snprintf(out, capacity, "%s", name);
	for (size_t i = 0;
		i < EP_ARRAY_SIZE(behind) && (suffix = strrchr(out, '_')) && suffix != out; i++)
		if (!strcmp(suffix, behind[i])) {
			out[suffix - out] = '\0';
			i = (size_t)-1; /* begins with the first suffix again */
		}
}

bool ep_activity_is_module_body(const char *name)
{
	static const char body[] = ":<module>";
	size_t n = strlen(name), n_body = sizeof(body) - 1;

	return n > n_body && !strcmp(name + n - n_body, body);
}

void ep_activity_python_module(const char *path, char *out, size_t capacity)
{
	/* modules inside the interpreter, such as <frozen site> */
	static const char frozen[] = "<frozen ";
	const char *name = ep_base_name(path), *end = name + strcspn(name, ".");

	if (!strncmp(path, frozen, sizeof(frozen) - 1)) {
		name = path + sizeof(frozen) - 1;
		end = name + strcspn(name, ">");
	} else if (!strncmp(name, "__init__.", 9) && name > path + 1) {
		end = name - 1;
		for (name = end; name > path && name[-1] != '/';)
			name--;
	}
	snprintf(out, capacity, "%.*s", (int)(end - name), name);
}

void ep_activity_entry(enum ep_activity activity, const char *name, char *out, size_t capacity)
{
	switch (activity) {
	case EP_ACTIVITY_MPI:
		name_mpi_entry(name, out, capacity);
		break;
	case EP_ACTIVITY_ALGEBRA:
		name_algebra_entry(name, out, capacity);
		break;
	case EP_ACTIVITY_MATH:
	case EP_ACTIVITY_MEMORY:
	case EP_ACTIVITY_COPY:
	case EP_ACTIVITY_LOCK:
	case EP_ACTIVITY_FILES:
	case EP_ACTIVITY_SYSTEM:
		name_c_entry(name, out, capacity);
		break;
	default:
		snprintf(out, capacity, "%s", name);
	}
}
