# SPDX-License-Identifier: BSD-3-Clause
"""asyncio: sockets on loopback, children, signals by wake-up descriptor, executors."""
import asyncio
import os
import signal


async def echo(reader, writer):
    while data := await reader.read(4096):
        writer.write(data.upper())
        await writer.drain()
    writer.close()


async def talk(port, text):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def main():
    loop, heard = asyncio.get_running_loop(), []
    for s in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMIN + 2):
        loop.add_signal_handler(s, heard.append, int(s))
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    answers = await asyncio.gather(*(talk(port, b"text %d" % i * 200) for i in range(50)))
    print(sum(len(a) for a in answers), answers[7][:10])
    for s in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMIN + 2):
        os.kill(os.getpid(), s)
        await asyncio.sleep(0.01)
    child = await asyncio.create_subprocess_exec("seq", "1", "100000",
                                                 stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    print(heard, len(out), child.returncode)
    print(await loop.run_in_executor(None, sum, range(3000000)))
    server.close()


asyncio.run(main())
