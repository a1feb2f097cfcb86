# SPDX-License-Identifier: BSD-3-Clause
set.seed(1)
m <- matrix(rnorm(250000), 500)
cat(sprintf("%.6f\n", sum(abs(solve(m %*% t(m) + diag(500))))))
x <- sort(sample(1e6)); cat(sum(x %% 7), "\n")
r <- tryCatch(stop("as expected"), error = function(e) conditionMessage(e)); cat(r, "\n")
print(parallel::mclapply(1:4, function(i) sum(seq_len(i * 1e5)), mc.cores = 2)[[4]])
cat(system("echo from the shell", intern = TRUE), "\n")
quit(status = 6)
