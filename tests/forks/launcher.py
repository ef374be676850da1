"""`python -I -S launcher.py SOCKET MODULE ARGUMENTS`: has the module forked with the standard streams of this process.

It stays until that ends, passes SIGTERM and SIGINT on, and ends as it does. When it is killed, what it started is.
"""

import json
import os
import signal
import socket
import sys


def main() -> int:
    """Launch, wait, and return the exit code."""
    _, address, module, *arguments = sys.argv
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    wanted = {"module": module, "arguments": arguments, "cwd": os.getcwd(), "env": dict(os.environ)}  # noqa: PTH109
    socket.send_fds(connection, [json.dumps(wanted).encode()], [0, 1, 2])
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    pid = int.from_bytes(connection.recv(4), "little")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _frame: os.kill(pid, number))
    return int.from_bytes(connection.recv(1) or b"\1", "little")


if __name__ == "__main__":
    sys.exit(main())
