// SPDX-License-Identifier: BSD-3-Clause
/* The activities of procedures, by the names that libraries give them. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/facts/activity.h"

TEST(procedures_have_purposes)
{
	static const struct {
		const char *module, *name;
		enum ep_activity activity;
		enum ep_symbol_kind kind;
	} rows[] = {
		{ "/opt/app", "solve", EP_ACTIVITY_OWN },
		{ "/opt/app", "malloc_grid", EP_ACTIVITY_OWN },
		{ "/opt/app", "read", EP_ACTIVITY_OWN },
		{ "", "[code made at run time]", EP_ACTIVITY_OWN, EP_SYMBOL_RUN_TIME },
		{ "/usr/lib/libmpi.so.40", "ompi_request_default_wait", EP_ACTIVITY_MPI },
		{ "/usr/lib/openmpi/mca_btl_vader.so", "mca_btl_vader.so+0x4d50", EP_ACTIVITY_MPI },
		{ "/opt/app", "PMPI_Send", EP_ACTIVITY_MPI }, /* linked statically */
		{ "/opt/app", "MPI_helper", EP_ACTIVITY_OWN },
		{ "/usr/lib/libmpi.so.40", "PMPI_Init_thread", EP_ACTIVITY_LOADING },
		{ "/usr/lib/libmpi_mpifh.so.40", "mpi_finalize_", EP_ACTIVITY_LOADING },
		{ "/usr/lib/libgomp.so.1", "libgomp.so.1+0x1d0f0", EP_ACTIVITY_OPENMP },
		{ "/opt/intel/libiomp5.so", "__kmp_fork_barrier", EP_ACTIVITY_OPENMP },
		{ "/usr/lib/libopenblas.so.0", "dgemm_", EP_ACTIVITY_ALGEBRA },
		{ "/venv/numpy.libs/libscipy_openblas64_-6bb31eeb.so", "scipy_cblas_dgemm64_",
			EP_ACTIVITY_ALGEBRA },
		{ "/venv/numpy.libs/libopenblas64_p-r0-5007b62f.3.23.dev.so", "cblas_dgemm64_",
			EP_ACTIVITY_ALGEBRA },
		{ "/venv/torch/lib/libtorch_cpu.so", "mkl_blas_avx512_sgemm_kernel",
			EP_ACTIVITY_ALGEBRA },
		{ "/venv/torch/lib/libtorch_cpu.so", "at::native::mul", EP_ACTIVITY_OWN },
		{ "/venv/numpy.libs/libscipy_openblas64_-6bb31eeb.so", "blas_thread_server",
			EP_ACTIVITY_IDLE },
		{ "/usr/local/nvidia/lib64/libcuda.so.1", "cuLaunchKernel", EP_ACTIVITY_GPU },
		{ "/venv/nvidia/cu13/lib/libcublasLt.so.13", "cublasLtMatmul", EP_ACTIVITY_GPU },
		{ "/opt/rocm/lib/libamdhip64.so.6", "hipLaunchKernel", EP_ACTIVITY_GPU },
		{ "/opt/rocm/lib/librocblas.so.4", "rocblas_dgemm", EP_ACTIVITY_GPU },
		{ "/usr/lib/librocksdb.so.7", "rocksdb::Get", EP_ACTIVITY_OWN },
		{ "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>:_find_and_load",
			EP_ACTIVITY_IMPORT },
		{ "/opt/app.py", "app.py:_find_and_load", EP_ACTIVITY_OWN },
		{ "/lib/libstdc++.so.6", "__cxa_throw", EP_ACTIVITY_EXCEPTIONS },
		{ "/opt/static-app", "_Unwind_RaiseException", EP_ACTIVITY_EXCEPTIONS },
		{ "/lib/libgcc_s.so.1", "_Unwind_Resume", EP_ACTIVITY_EXCEPTIONS },
		{ "/lib/libgcc_s.so.1", "_Unwind_Backtrace", EP_ACTIVITY_OWN }, /* a stack trace */
		{ "/usr/lib/libfftw3.so.3", "fftw_execute", EP_ACTIVITY_FFT },
		{ "/lib/libm.so.6", "__exp_fma", EP_ACTIVITY_MATH },
		{ "/lib/libm-2.28.so", "exp", EP_ACTIVITY_MATH },
		{ "/lib/libmagic.so.1", "magic_file", EP_ACTIVITY_OWN },
		{ "/lib/libc.so.6", "__libc_malloc", EP_ACTIVITY_MEMORY },
		{ "/lib/libc-2.28.so", "cfree", EP_ACTIVITY_MEMORY },
		{ "/lib/libstdc++.so.6", "operator new[]", EP_ACTIVITY_MEMORY },
		{ "/lib/libcairo.so.2", "cairo_free", EP_ACTIVITY_OWN },
		{ "/lib/libc.so.6", "__memmove_avx_unaligned_erms", EP_ACTIVITY_COPY },
		{ "/lib/libc.so.6", "__strcmp_avx2", EP_ACTIVITY_COPY },
		{ "/lib/libc.so.6", "pthread_mutex_lock", EP_ACTIVITY_LOCK },
		{ "/lib/libc.so.6", "pthread_cond_wait", EP_ACTIVITY_LOCK },
		{ "/lib/libc.so.6", "__sched_yield", EP_ACTIVITY_IDLE },
		{ "/lib/libc.so.6", "vfprintf", EP_ACTIVITY_FILES },
		{ "/lib/libc.so.6", "strtod", EP_ACTIVITY_FILES },
		{ "/lib/libgfortran.so.5", "_gfortran_st_write", EP_ACTIVITY_FILES },
		{ "/lib/libgfortran.so.5", "_gfortran_matmul_r8", EP_ACTIVITY_OWN },
		{ "/lib64/ld-linux-x86-64.so.2", "do_lookup_x", EP_ACTIVITY_LOADING },
		{ "/lib/libc.so.6", "qsort", EP_ACTIVITY_OWN },
		{ "[kernel]", "[kernel]", EP_ACTIVITY_KERNEL, EP_SYMBOL_KERNEL },
		{ "/opt/app", "[kernel]", EP_ACTIVITY_OWN },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_activity_of(rows[i].kind, rows[i].module, rows[i].name) ==
				  rows[i].activity,
			"%s in '%s': %d", rows[i].name, rows[i].module,
			ep_activity_of(rows[i].kind, rows[i].module, rows[i].name));
}

TEST(a_blas_thread_that_yields_computes_nothing)
{
	CHECK(ep_activity_stands_out(EP_ACTIVITY_MEMORY, EP_ACTIVITY_OWN));
	CHECK(!ep_activity_stands_out(EP_ACTIVITY_OWN, EP_ACTIVITY_OWN));
	CHECK(!ep_activity_stands_out(EP_ACTIVITY_MEMORY, EP_ACTIVITY_MPI));
	CHECK(ep_activity_stands_out(EP_ACTIVITY_IDLE, EP_ACTIVITY_ALGEBRA));
	CHECK(!ep_activity_stands_out(
		EP_ACTIVITY_IDLE, EP_ACTIVITY_MPI)); /* that waits for others */
	CHECK(!ep_activity_stands_out(EP_ACTIVITY_IDLE, EP_ACTIVITY_OPENMP));
}

TEST(threads_of_openblas_hand_over_to_their_work)
{
	CHECK(ep_activity_hands_over(EP_ACTIVITY_IDLE, EP_ACTIVITY_ALGEBRA));
	CHECK(!ep_activity_hands_over(EP_ACTIVITY_IDLE, EP_ACTIVITY_OWN));
	CHECK(!ep_activity_hands_over(EP_ACTIVITY_ALGEBRA, EP_ACTIVITY_IDLE));
	CHECK(ep_activity_hands_over(EP_ACTIVITY_OPENMP, EP_ACTIVITY_OWN));
}

TEST(python_modules_have_their_packages_names)
{
	static const struct {
		const char *path, *name;
	} rows[] = {
		{ "/usr/lib/python3/dist-packages/torch/__init__.py", "torch" },
		{ "/home/me/fem.py", "fem" },
		{ "fem.py", "fem" },
		{ "/__init__.py", "__init__" },
		{ "__init__.py", "__init__" },
		{ "/opt/a/__init__.pyc", "a" },
		{ "<frozen site>", "site" },
		{ "<frozen importlib._bootstrap>", "importlib._bootstrap" },
		{ "", "" },
	};
	char name[32];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		ep_activity_python_module(rows[i].path, name, sizeof(name));
		CHECK_STR(name, rows[i].name);
	}
	CHECK(ep_activity_is_module_body("fem.py:<module>"));
	CHECK(!ep_activity_is_module_body("fem.py:solve"));
	CHECK(!ep_activity_is_module_body(":<module>"));
}

TEST(what_belongs_to_its_caller)
{
	CHECK(ep_activity_is_support(EP_SYMBOL_PROCEDURE, "/lib/libc.so.6"));
	CHECK(ep_activity_is_support(EP_SYMBOL_KERNEL, "[kernel]"));
	CHECK(ep_activity_is_support(EP_SYMBOL_PROCEDURE, "[vdso]"));
	CHECK(!ep_activity_is_support(EP_SYMBOL_PROCEDURE, "/lib/libcairo.so.2"));
	CHECK(!ep_activity_is_support(EP_SYMBOL_PROCEDURE, "/opt/app"));
}

TEST(entries_have_the_standards_names)
{
	static const struct {
		enum ep_activity activity;
		const char *name, *entry;
	} rows[] = {
		{ EP_ACTIVITY_MPI, "PMPI_Send", "MPI_Send" },
		{ EP_ACTIVITY_MPI, "MPI_Send", "MPI_Send" },
		{ EP_ACTIVITY_MPI, "mpi_allreduce_", "MPI_Allreduce" },
		{ EP_ACTIVITY_MPI, "pmpi_send__", "MPI_Send" },
		{ EP_ACTIVITY_MPI, "mpi_", "mpi_" },
		{ EP_ACTIVITY_MPI, "ompi_allreduce_f", "MPI_Allreduce" },
		{ EP_ACTIVITY_MPI, "ompi_request_default_wait", "ompi_request_default_wait" },
		{ EP_ACTIVITY_MPI, "mpi_isend_f08_", "MPI_Isend" },
		{ EP_ACTIVITY_MPI, "PMPI_Bcast_f08ts", "MPI_Bcast" },
		{ EP_ACTIVITY_MPI, "MPI_Allreduce", "MPI_Allreduce" },
		{ EP_ACTIVITY_MPI, "opal_progress", "opal_progress" },
		{ EP_ACTIVITY_MATH, "__ieee754_pow_fma", "pow" },
		{ EP_ACTIVITY_MATH, "__exp_fma4", "exp" },
		{ EP_ACTIVITY_MATH, "exp", "exp" },
		{ EP_ACTIVITY_MEMORY, "__GI___libc_malloc", "malloc" },
		{ EP_ACTIVITY_MEMORY, "_int_free", "_int_free" },
		{ EP_ACTIVITY_COPY, "__memmove_avx_unaligned_erms", "memmove" },
		{ EP_ACTIVITY_COPY, "__memcmp_evex_movbe", "memcmp" },
		{ EP_ACTIVITY_FILES, "___snprintf_chk", "snprintf" },
		{ EP_ACTIVITY_FILES, "_IO_fwrite", "fwrite" },
		{ EP_ACTIVITY_FILES, "fwrite_unlocked", "fwrite_unlocked" },
		{ EP_ACTIVITY_ALGEBRA, "dgemm_", "dgemm_" },
		{ EP_ACTIVITY_ALGEBRA, "scipy_cblas_dgemm64_", "cblas_dgemm" },
		{ EP_ACTIVITY_ALGEBRA, "dgesv_64_", "dgesv_" },
	};
	char entry[64];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		ep_activity_entry(rows[i].activity, rows[i].name, entry, sizeof(entry));
		CHECK_STR(entry, rows[i].entry);
	}
	ep_activity_entry(EP_ACTIVITY_MPI, "PMPI_Reduce_scatter", entry, 8);
	CHECK_STR(entry, "MPI_Red");
}
