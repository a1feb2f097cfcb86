# SPDX-License-Identifier: BSD-3-Clause
require 'digest'
sums = 4.times.map { |t| Thread.new { (1..200_000).sum { |i| i * t % 7 } } }.map(&:value)
puts sums.inspect
puts((1..30).map { |i| fork { exit!(i) }.then { |pid| Process.wait2(pid)[1].exitstatus } }.sum)
heard = []
%w[USR1 USR2 PROF].each { |s| trap(s) { heard << s } }
%w[USR1 USR2 PROF].each { |s| Process.kill(s, Process.pid); sleep 0.02 }
puts heard.inspect, `seq 1 100 | tail -1`, Digest::SHA256.hexdigest('x' * 3_000_000)
fibers = 200.times.map { |i| Fiber.new { 50.times { |j| Fiber.yield i * j }; :done } }
puts 50.times.sum { fibers.sum(&:resume) }
def deep(n) = deep(n + 1)
begin
  deep(0)
rescue SystemStackError
  puts 'too deep'
end
puts IO.pipe.map(&:fileno).inspect
exit 8
