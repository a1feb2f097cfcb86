// SPDX-License-Identifier: BSD-3-Clause
// Known work for whole_stacks.py: stacks.js split|mixed SECONDS. It ends after SECONDS of CPU time and a whole round.
'use strict'

// Each of the three ends in its own loop, behind calls of itself that no compiler puts into each other.
function sixty(depth, n) {
  if (depth) return sixty(depth - 1, n) + 1
  let sum = 0
  for (let i = 0; i < 6 * n; i++) sum = (sum * 5 + i) & 0xffff
  return sum
}

function thirty(depth, n) {
  if (depth) return thirty(depth - 1, n) + 1
  let sum = 0
  for (let i = 0; i < 3 * n; i++) sum = (sum * 5 + i) & 0xffff
  return sum
}

function ten(depth, n) {
  if (depth) return ten(depth - 1, n) + 1
  let sum = 0
  for (let i = 0; i < n; i++) sum = (sum * 5 + i) & 0xffff
  return sum
}

function split() {
  let sum = 0
  for (let i = 0; i < 20; i++) sum += sixty(8, 5000) + thirty(8, 5000) + ten(8, 5000)
  return sum
}

class Fault extends Error {}

function fail(i) {
  if (i % 3 === 0) throw new Fault('a number that 3 divides')
  return i
}

function survive(n) {
  let caught = 0
  for (let i = 0; i < n; i++) {
    try {
      caught += fail(i)
    } catch (fault) {
      caught -= fault instanceof Fault
    }
  }
  return caught
}

function* numbers(n) {
  for (let i = 0; i < n; i++) yield i * 7919 % 1009
}

// The library calls the program's functions: below sort, map, reduce, replace, forEach and JSON's, and in promises.
function mixed() {
  const rows = [...numbers(3000)].map(x => ({ name: `row ${x % 50}`, value: x }))
  rows.sort((a, b) => a.value - b.value)
  const totals = new Map()
  rows.forEach(row => totals.set(row.name, (totals.get(row.name) || 0) + row.value))
  const text = JSON.stringify(rows, (key, value) => key === 'value' ? value + 1 : value)
  const words = text.replace(/row (\d+)/g, (all, digits) => `line ${digits.length}`).match(/[a-z]+ \d/g)
  return JSON.parse(text).reduce((sum, row) => sum + row.value, words.length + totals.size) + survive(300)
}

async function mixedInPromises() {
  await Promise.all([1, 2, 3].map(async () => mixed()))
}

async function main(round) {
  while (process.cpuUsage().user < 1e6 * process.argv[3]) await round()
}

main({ split, mixed: mixedInPromises }[process.argv[2]])
