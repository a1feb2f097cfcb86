# SPDX-License-Identifier: BSD-3-Clause
use strict; use warnings; use POSIX qw(:signal_h :sys_wait_h); use Socket; use Digest::MD5 qw(md5_hex);
$| = 1;
my %count; my $text = join ' ', map { ($_ * 7919) % 1009 } 1 .. 100000;
$count{$1}++ while $text =~ /\b(\d*7\d*)\b/g;
print scalar(keys %count), ' ', md5_hex(join ',', map { "$_=$count{$_}" } sort keys %count), "\n";
for my $n (1 .. 40) { my $pid = fork; exit $n if !$pid; waitpid $pid, 0; print $? >> 8, ' '; }
print "\n", `seq 1 1000 | tail -1`;
socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC); print fileno($a), ' ', fileno($b), "\n";
my %heard; $SIG{$_} = sub { $heard{$_[0]}++ } for qw(USR1 PROF VTALRM ALRM NUM40);
kill $_ => $$ for qw(USR1 PROF VTALRM); kill 40, $$;
print join(',', map { "$_=$heard{$_}" } sort keys %heard), "\n";
eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; 1 while 1; }; print "died of $@";
my $set = POSIX::SigSet->new(SIGUSR2); sigprocmask(SIG_BLOCK, $set); kill USR2 => $$;
my $pending = POSIX::SigSet->new; sigpending($pending);
print join(' ', grep { $pending->ismember($_) } 1 .. 64), "\n";
print wait, "\n"; open my $file, '<', '/dev/null'; print fileno($file), "\n"; exit 13;
