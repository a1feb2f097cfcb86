// SPDX-License-Identifier: BSD-3-Clause
// Code made at run time, a thread pool, a collector that stops threads by signals, a fault as an exception.
using System;
using System.Linq;
using System.Threading.Tasks;

class Work {
	static long Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

	static int Main() {
		var results = new long[8];

		Parallel.For(0, 8, i => {
			results[i] = Fib(27 + i % 3);
			results[i] += Enumerable.Range(0, 100000).Select(x => new object()).ToList().Count;
		});
		Console.WriteLine(results.Sum());
		try {
			object none = null;
			none.ToString();
		} catch (NullReferenceException) {
			Console.WriteLine("no object");
		}
		GC.Collect();
		return 9;
	}
}
