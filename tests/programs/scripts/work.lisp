;; SPDX-License-Identifier: BSD-3-Clause
;; Native code, a collector that stops threads by signals, conditions, an exit status.
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(print (fib 32))
(print (loop repeat 300 sum (length (loop for k from 1 to 20000 collect (* 1.5 k)))))
#+sb-thread
(print (mapcar #'sb-thread:join-thread
               (loop for i below 4
                     collect (let ((n (+ 28 i))) (sb-thread:make-thread (lambda () (fib n)))))))
(handler-case (/ 1 0) (error (e) (print (type-of e))))
(terpri)
(sb-ext:exit :code 5)
