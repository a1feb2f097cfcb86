// SPDX-License-Identifier: BSD-3-Clause
/* For meson: does the compiler of GPUs find its runtime's headers? */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

__global__ void probe(int *x)
{
	*x = 1;
}
