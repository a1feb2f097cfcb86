// SPDX-License-Identifier: BSD-3-Clause
// Known work for whole_stacks.py: Stacks split|mixed SECONDS. It ends after SECONDS of CPU time and a whole round.
import java.lang.management.ManagementFactory;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

public class Stacks {
	// Each of the three ends in its own loop, behind calls of itself that no compiler puts all into each other.
	static int sixty(int depth, int n) {
		if (depth > 0)
			return sixty(depth - 1, n) + 1;
		int sum = 0;
		for (int i = 0; i < 6 * n; i++)
			sum = (sum * 5 + i) & 0xffff;
		return sum;
	}

	static int thirty(int depth, int n) {
		if (depth > 0)
			return thirty(depth - 1, n) + 1;
		int sum = 0;
		for (int i = 0; i < 3 * n; i++)
			sum = (sum * 5 + i) & 0xffff;
		return sum;
	}

	static int ten(int depth, int n) {
		if (depth > 0)
			return ten(depth - 1, n) + 1;
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum = (sum * 5 + i) & 0xffff;
		return sum;
	}

	static long split() {
		long sum = 0;
		for (int i = 0; i < 20; i++)
			sum += sixty(8, 5000) + thirty(8, 5000) + ten(8, 5000);
		return sum;
	}

	static int fail(int i) {
		if (i % 3 == 0)
			throw new IllegalStateException("a number that 3 divides");
		return i;
	}

	static int survive(int n) {
		int caught = 0;
		for (int i = 0; i < n; i++)
			try {
				caught += fail(i);
			} catch (IllegalStateException fault) {
				caught--;
			}
		return caught;
	}

	// The library calls the program's functions: below sort, streams, patterns and maps, in several threads.
	static long mixed() {
		List<String> rows = IntStream.range(0, 3000).mapToObj(i -> "row " + i * 7919 % 1009).collect(Collectors.toList());
		rows.sort((a, b) -> Integer.compare(a.hashCode(), b.hashCode()));
		Map<String, Integer> totals = new TreeMap<>();
		rows.forEach(row -> totals.merge(row, 1, Integer::sum));
		String text = String.join(", ", rows);
		String words = Pattern.compile("row (\\d+)").matcher(text).replaceAll(m -> "line " + m.group(1).length());
		return rows.parallelStream().mapToLong(row -> row.chars().sum()).sum() + words.length() + totals.size() +
			survive(300);
	}

	public static void main(String[] arguments) {
		var threads = ManagementFactory.getThreadMXBean();
		long sum = 0;
		while (threads.getCurrentThreadCpuTime() < 1e9 * Double.parseDouble(arguments[1]))
			sum += arguments[0].equals("split") ? split() : mixed();
		System.out.println(sum != 0);
	}
}
