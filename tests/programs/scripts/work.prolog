% SPDX-License-Identifier: BSD-3-Clause
% Backtracking, threads, a status.
nrev([], []).
nrev([H | T], R) :- nrev(T, S), append(S, [H], R).
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N - 1, B is N - 2, fib(A, X), fib(B, Y), F is X + Y.
:- numlist(1, 400, L), forall(between(1, 40, _), nrev(L, _)), fib(21, F), print(F), nl,
   concurrent_maplist([N, G]>>fib(N, G), [18, 19, 20, 17], R), print(R), nl, halt(4).
