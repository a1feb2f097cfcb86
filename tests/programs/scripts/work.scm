;; SPDX-License-Identifier: BSD-3-Clause
;; Code made at run time, threads, a collector, an exception, an exit status.
(use-modules (ice-9 threads))
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display (par-map fib '(26 27 28 25)))
(newline)
(display (length (map (lambda (i) (make-vector 1000 i)) (iota 5000))))
(newline)
(catch #t (lambda () (vector-ref (vector 1 2) 5)) (lambda (key . _) (display key) (newline)))
(exit 6)
