# SPDX-License-Identifier: BSD-3-Clause
"""Loops that LLVM compiles while the program runs, in threads of its own, and a product by BLAS."""
import numba
import numpy as np


@numba.njit(parallel=True)
def work(a):
    total = 0.0
    for i in numba.prange(a.shape[0]):
        total += np.sqrt(a[i]) * np.sin(a[i])
    return total


values = np.arange(2000000) * 1e-3
print(round(work(values), 2), int(np.linalg.norm(values.reshape(1000, 2000) @ values.reshape(2000, 1000)) / 1e6))
