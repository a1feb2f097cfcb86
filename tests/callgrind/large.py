# SPDX-License-Identifier: BSD-3-Clause
"""Programs that people use, against callgrind_annotate: SQLite, xz, Python, gcc's cc1, a C++ and a Fortran
program. evreport's memory for cc1's run is bounded."""
import os
import shutil
import subprocess
import sys
import tempfile

from run import compare

MOST_KIB = 300 * 1024
SQL = """create table t(a integer, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000)
  insert into t select x, hex(x * x) from c;
create index i on t(b);
select count(*) from t t1 join t t2 on t1.b = t2.b where t1.a % 3 = 0;
"""
FORTRAN = """module m
contains
  subroutine multiply(a, b, c, n)
    integer :: n, i, j, k
    real(8) :: a(n, n), b(n, n), c(n, n)
    do j = 1, n
      do k = 1, n
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine
  recursive function fib(n) result(r)
    integer :: n, r
    r = n
    if (n > 1) r = fib(n - 1) + fib(n - 2)
  end function
end module
program p
  use m
  real(8) :: a(80, 80), b(80, 80), c(80, 80)
  call random_number(a)
  call random_number(b)
  c = 0
  call multiply(a, b, c, 80)
  print *, sum(c), fib(18)
end program
"""
CPLUSPLUS = """#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>
namespace inner {
template <class T> struct box {
    std::map<std::string, T> counts;
    T add(const std::string &key, T value) { return counts[key] += value; }
    T operator()(T value) const { return value * 2; }
};
}
int main()
{
    inner::box<long> box;
    std::vector<std::string> words;
    for (int i = 0; i < 4000; i++) {
        words.push_back(std::to_string(i * 7919 % 1009));
        box.add(words.back(), box(i));
    }
    std::sort(words.begin(), words.end(),
        [](const std::string &a, const std::string &b) { return a > b; });
    std::cout << words[0] << box.counts.size();
}
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def built(folder, compiler, name, text):
    program = os.path.join(folder, name + ".out")
    subprocess.run([compiler, "-O1", "-g", "-o", program, write(folder, name, text)], check=True)
    return program


def commands(folder, blob):
    """Name of what is needed, the command, and lines that must be there to compare."""
    sql = write(folder, "t.sql", SQL)
    yield "sqlite3", lambda: ["sqlite3", ":memory:", f".read {sql}"], 0
    yield "xz", lambda: ["xz", "-k", "-c", "-1", blob], 0
    yield "python3", lambda: ["/usr/bin/python3", "-c", "print(sum(i * i % 7 for i in range(20000)))"], 0
    yield "g++", lambda: [built(folder, "g++", "a.cc", CPLUSPLUS)], 5
    yield "gfortran", lambda: [built(folder, "gfortran", "a.f90", FORTRAN)], 5


def check_cc1(evprof, evreport, folder, source):
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True,
                         check=True).stdout.strip()
    preprocessed = os.path.join(folder, "a.i")
    subprocess.run(["gcc", "-E", "-o", preprocessed, source], check=True)
    command = [cc1, "-O1", "-quiet", preprocessed, "-o", "/dev/null"]
    trace = os.path.join(folder, "cc1.gz")
    n_wrong = compare(evprof, evreport, command, {"totals": 1, "self": 20, "inclusive": 50}, trace)
    # by a small process: a child's peak is at least what its parent had when it began
    measure = ("import resource, subprocess, sys; status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL);"
               "usage = resource.getrusage(resource.RUSAGE_CHILDREN); print(status, usage.ru_maxrss, usage.ru_utime)")
    done = subprocess.run([sys.executable, "-c", measure, evreport, trace], capture_output=True, text=True, check=True)
    status, peak_kib, user_s = (float(word) for word in done.stdout.split())
    print(f"evreport took {peak_kib:.0f} KiB and {user_s:.1f} s for cc1's run")
    return n_wrong + (status != 0) + (peak_kib > MOST_KIB)


def main():
    evprof, evreport, source = sys.argv[1:4]
    if not shutil.which("valgrind") or not shutil.which("callgrind_annotate"):
        print("skipped: valgrind is not installed")
        return 77
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        blob = os.path.join(folder, "blob")
        with open(evreport, "rb") as program, open(blob, "wb") as out:
            out.write(program.read(300000))
        for needed, command, n_lines in commands(folder, blob):
            if not shutil.which(needed):
                print(f"skipped: {needed} is not installed")
                continue
            least = {"totals": 1, "self": 10, "inclusive": 30, "line": n_lines}
            n_wrong += compare(evprof, evreport, command(), least)
        if shutil.which("gcc"):
            n_wrong += check_cc1(evprof, evreport, folder, source)
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
