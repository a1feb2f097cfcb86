#!/usr/bin/env escript
%% SPDX-License-Identifier: BSD-3-Clause
%% Hundreds of processes on stacks of their own, in code made at run time; a command; a status.
-mode(compile).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

main(_) ->
    Self = self(),
    [spawn(fun() -> Self ! {I, fib(18 + I rem 8)} end) || I <- lists:seq(1, 300)],
    Results = lists:sort([receive Pair -> Pair end || _ <- lists:seq(1, 300)]),
    io:format("~p~n~s", [erlang:phash2(Results), os:cmd("seq 1 3")]),
    halt(7).
