// SPDX-License-Identifier: BSD-3-Clause
// Threads, garbage, exceptions, null checks by SIGSEGV, deep recursion, a child process.
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Work {
	static int depth;

	static void recurse() {
		depth++;
		recurse();
	}

	static long sum(int n) {
		List<String> garbage = new ArrayList<>();
		for (int i = 0; i < n; i++)
			garbage.add("item " + i % 1000);
		return garbage.stream().mapToLong(s -> s.hashCode()).sum();
	}

	static int countNulls(int n) {
		String[] words = new String[n];
		int caught = 0;
		for (int i = 0; i < n; i++)
			try {
				caught += words[i].length();
			} catch (NullPointerException e) {
				caught++;
			}
		return caught;
	}

	public static void main(String[] arguments) throws Exception {
		int scale = arguments.length > 0 ? 1 : 10;
		ExecutorService pool = Executors.newFixedThreadPool(4);
		List<Future<Long>> sums = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			int n = i * 1000 * scale;
			sums.add(pool.submit(() -> sum(n)));
		}
		long total = 0;
		for (Future<Long> f : sums)
			total += f.get();
		pool.shutdown();
		System.out.println(total + " " + countNulls(2000 * scale));
		try {
			recurse();
		} catch (StackOverflowError e) {
			System.out.println("deep " + (depth > 500));
		}
		System.out.println(IntStream.range(0, 100000 * scale).parallel().mapToLong(i -> i * (long) i % 7).sum());
		Process child = new ProcessBuilder("sh", "-c", "seq 1 1000 | tail -1; exit 5").start();
		System.out.println(new String(child.getInputStream().readAllBytes()).trim() + " " + child.waitFor());
		System.gc();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
		System.exit(17);
	}
}
