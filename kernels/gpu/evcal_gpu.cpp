// SPDX-License-Identifier: BSD-3-Clause
/* The program evcal-gpu launches the kernels on a GPU, while a GPU profiler (rocprof, rocprofv3, ncu) counts events. */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define GPU(name) hip##name
typedef hipDeviceProp_t gpu_properties;
#else
#include <cuda_runtime.h>
#define GPU(name) cuda##name
typedef cudaDeviceProp gpu_properties;
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/gpu/gpu_kernels.h"

#define MAX_LAUNCHES 1000

struct row {
	const char *name;
	const void *kernel;
	char precision;
};

#define ROW(op, precision, n)                                                                      \
	{ #op "_" #precision "_" #n, (const void *)op##_##precision##_##n, #precision[0] },
#define ROWS(op, precision) ROW(op, precision, 256) ROW(op, precision, 512) ROW(op, precision, 1024)
static const struct row rows[] = { EP_GPU_EACH(ROWS) };

static const char usage[] =
	"usage: evcal-gpu [--launches N | --list]\n"
	"\n"
	"Launches each of the " EP_GPU_NAME
	" kernels of floating-point instructions, one wave (warp) at a time.\n"
	"Run it below a GPU profiler and give its table to evcal:\n"
	"  rocprof -i counters.txt -o gpu.csv evcal-gpu; evcal derive gpu.csv\n"
	"  ncu --csv --metrics METRIC,... evcal-gpu > gpu.csv; evcal derive gpu.csv\n"
	"\n"
	"      --launches N  of each kernel: the n-th launch is repetition n (5)\n"
	"      --list        print the kernels' names\n";

/* Runs a kernel once and waits for its end. The operands are 1 in each precision. Results may become infinite, but
 * that adds no instructions. All threads of the wave store the same result to out. */
static GPU(Error_t) launch(const struct row *row, void *out, unsigned n_threads)
{
	EP_GPU_TYPE_H h[] = { 0x3c00, 0x3c00 };
	EP_GPU_TYPE_S s[] = { 1, 1 };
	EP_GPU_TYPE_D d[] = { 1, 1 };
	void *of_h[] = { &out, &h[0], &h[1] };
	void *of_s[] = { &out, &s[0], &s[1] };
	void *of_d[] = { &out, &d[0], &d[1] };
	void **arguments = row->precision == 'H' ? of_h : row->precision == 'S' ? of_s : of_d;
	GPU(Error_t) rc = GPU(LaunchKernel)(row->kernel, dim3(1), dim3(n_threads), arguments, 0, 0);

	/* Launches run one after the other, since counts of launches that overlap could not be told apart. */
	return rc ? rc : GPU(DeviceSynchronize)();
}

/* Launches each kernel n_launches times, and stops at the first error. Sets *out_row to the kernel launched last. */
static GPU(Error_t) launch_all(unsigned n_launches, unsigned n_threads, const struct row **out_row)
{
	void *out = NULL;
	GPU(Error_t) rc = GPU(Malloc)(&out, sizeof(double));

	for (const struct row &row : rows)
		for (unsigned i = 0; i < n_launches && !rc; i++) {
			*out_row = &row;
			rc = launch(&row, out, n_threads);
		}
	(void)GPU(Free)(out);
	return rc;
}

static int list(void)
{
	for (const struct row &row : rows)
		puts(row.name);
	return 0;
}

static int run(unsigned n_launches)
{
	gpu_properties gpu;
	int n_gpus = 0;
	GPU(Error_t) rc = GPU(GetDeviceCount)(&n_gpus);

	if (rc || !n_gpus) {
		fprintf(stderr, "evcal-gpu: no GPU of " EP_GPU_NAME " answers: %s\n",
			rc ? GPU(GetErrorString)(rc) : "there is none");
		return 1;
	}
	const struct row *row = &rows[0];

	rc = GPU(GetDeviceProperties)(&gpu, 0);
	rc = rc ? rc : launch_all(n_launches, (unsigned)gpu.warpSize, &row);
	if (rc) {
		fprintf(stderr, "evcal-gpu: kernel %s: %s\n", row->name, GPU(GetErrorString)(rc));
		return 1;
	}
	printf("%s: %zu kernels, %u launches of each with %d threads\n", gpu.name,
		sizeof(rows) / sizeof(rows[0]), n_launches, gpu.warpSize);
	return 0;
}

int main(int argc, char **argv)
{
	char *end;
	long n = 5;

	if (argc == 2 && !strcmp(argv[1], "--list"))
		return list();
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--launches"))
		n = strtol(argv[2], &end, 10);
	if ((argc != 1 && argc != 3) ||
		(argc == 3 && (strcmp(argv[1], "--launches") || *end || end == argv[2])) || n < 1 ||
		n > MAX_LAUNCHES) {
		fputs(usage, stderr);
		return 2;
	}
	return run((unsigned)n);
}
