# SPDX-License-Identifier: BSD-3-Clause
# build.sh TOOL: makes a little project and builds it with gcc (pipes, LTO, archives), make or cmake.
set -e
mkdir source && cd source
for i in $(seq 12); do
	printf 'int f%d(int n) { int s = %d; for (int i = 0; i < n; i++) s = s * 31 + i; return s; }\n' $i $i >f$i.c
done
{
	echo '#include <stdio.h>'
	for i in $(seq 12); do echo "int f$i(int n);"; done
	echo 'int main(void) { unsigned s = 0;'
	for i in $(seq 12); do echo "s += f$i(1000);"; done
	echo 'printf("%u\n", s); return 0; }'
} >main.c
case $1 in
gcc)
	gcc -pipe -O2 -flto=2 -ffat-lto-objects -frandom-seed=1 -c ./*.c && ar rcsD libf.a f*.o
	gcc -flto=2 -O2 main.o libf.a -o program
	printf '#include <map>\n#include <string>\n#include <iostream>\nint main() { std::map<std::string,int> m; for (int i = 0; i < 1000; i++) m[std::to_string(i %% 37)] += i; std::cout << m["7"] << "\\n"; }\n' >m.cc
	g++ -O1 -g m.cc -o m && ./m
	gcc -c does-not-exist.c || echo "gcc says $?"
	;;
make)
	printf 'program: main.o %s\n\tgcc -o $@ $^\n%%.o: %%.c\n\tgcc -O1 -c -o $@ $<\nfail:\n\texit 3\n' "$(echo f{1..12}.o)" >Makefile
	make -s -j2 program
	make -s -j2 fail || echo "make says $?"
	;;
cmake)
	printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C CXX)\nfile(GLOB all *.c)\nadd_executable(program ${all})\n' >CMakeLists.txt
	cmake -S . -B build && cmake --build build -j2 && mv build/program . && rm -r build
	;;
esac
./program >../result
cat ../result
rm -f ./*.o program m libf.a
