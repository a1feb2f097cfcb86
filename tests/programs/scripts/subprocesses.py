# SPDX-License-Identifier: BSD-3-Clause
"""subprocess with everything it can close, pass on and wait for."""
import os
import subprocess

read_end, write_end = os.pipe()
print(read_end, write_end)
for i in range(30):
    child = subprocess.Popen(["sh", "-c", f"echo {i} >&{write_end}; exit {i}"], pass_fds=[write_end])
    print(child.wait(), os.read(read_end, 100))
print(subprocess.run(["tr", "a-z", "A-Z"], input=b"hello", capture_output=True))
print(subprocess.run("kill -9 $$", shell=True).returncode)
print(subprocess.run(["sh", "-c", "ulimit -n; id -u >/dev/null"], capture_output=True, close_fds=True,
                     start_new_session=True, preexec_fn=lambda: os.nice(1)))
try:
    subprocess.run(["no-such-program"])
except FileNotFoundError as error:
    print(error)
try:
    subprocess.run(["sleep", "10"], timeout=0.2)
except subprocess.TimeoutExpired as error:
    print(error.cmd, "timed out")
os.closerange(3, 1000)
print(os.open("/dev/null", os.O_RDONLY))
try:
    os.wait()
except ChildProcessError as error:
    print(error)
