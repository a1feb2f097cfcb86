#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench_gru.py [N_FEATURES]: PyTorch's time for the network of bench_gru.c, one thread, best of ten."""
import sys
import time

import torch

torch.set_num_threads(1)
n_features = int(sys.argv[1]) if len(sys.argv) > 1 else 16
gru = torch.nn.GRU(n_features, 64, 3, batch_first=True, bidirectional=True).eval()
dense = torch.nn.Linear(128, 3)
for batch in (1, 64):
    x = torch.randn(batch, 500, n_features)
    best = 1e9
    with torch.no_grad():
        for _ in range(10):
            start = time.perf_counter()
            dense(gru(x)[0])
            best = min(best, time.perf_counter() - start)
    print("batch %2d: %8.2f ms; %.2f us a step and sequence" % (batch, 1e3 * best, 1e6 * best / batch / 500))
