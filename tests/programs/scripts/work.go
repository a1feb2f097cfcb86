// SPDX-License-Identifier: BSD-3-Clause
// Goroutines on small stacks that grow, a busy collector, panics, signals, other programs, and C's library
// (package net resolves names by it).
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sort"
	"sync"
	"syscall"
)

func deep(n int) int {
	var room [32]int
	if n == 0 {
		return 0
	}
	room[n%32] = n
	return deep(n-1) + room[n%32] - n + 1
}

func sorted(seed int) int {
	a := make([]int, 20000)
	for i := range a {
		a[i] = (i*7919 + seed) % 20011
	}
	sort.Ints(a)
	return a[777]
}

func caught(i int) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	var nothing []int
	return fmt.Sprint(nothing[i])
}

func work(seed int) int {
	sum := deep(2000) + sorted(seed) + len(caught(seed))
	for i := 0; i < 200; i++ {
		sum += len(make([]byte, 1000+i))
	}
	return sum
}

func main() {
	var group sync.WaitGroup
	results := make(chan int, 400)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	for i := 0; i < 400; i++ {
		group.Add(1)
		go func(seed int) {
			defer group.Done()
			results <- work(seed)
		}(i)
	}
	group.Wait()
	close(results)
	sum := 0
	for result := range results {
		sum += result
	}
	addresses, err := net.LookupHost("127.0.0.1")
	fmt.Println(sum, addresses, err)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-signals)
	out, err := exec.Command("sh", "-c", "seq 1 1000 | tail -1; exit 4").Output()
	fmt.Printf("%s%v\n", out, err)
	os.Exit(23)
}
