"""Runs one agent beside its scripted model, both in the same network: ``python -m tests.agents.stage PLAY``.

PLAY is a JSON file: ``script``, ``record``, ``port``, ``argv``, ``env``, ``cwd``, ``first``, ``turns``, ``talks`` and
``seconds``.
Started in a network namespace of its own, it first brings the loopback up.

Never: an agent that outlives it.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

from tests.agents.model import serve

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def main() -> int:
    """The agent's exit status; negative when it took too long."""
    play = json.loads(Path(sys.argv[1]).read_text())
    if play["alone"]:
        bring_loopback_up()
    server = serve(play["script"], Path(play["record"]), play["port"])
    if play["first"]:
        subprocess.run(
            play["first"], cwd=play["cwd"], env=play["env"], stdin=subprocess.DEVNULL, timeout=100, check=True
        )
    turns = list(play["turns"])
    process = subprocess.Popen(
        play["argv"],
        cwd=play["cwd"],
        env=play["env"],
        stdin=subprocess.PIPE if turns else None if play["talks"] else subprocess.DEVNULL,
        stdout=subprocess.PIPE if turns else None,
        start_new_session=True,
    )
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
    late = threading.Timer(play["seconds"], lambda: os.killpg(process.pid, signal.SIGKILL))
    late.start()
    try:
        if turns:
            take_turns(process, turns)
        return process.wait()
    finally:
        late.cancel()
        server.shutdown()


def take_turns(process: subprocess.Popen[bytes], turns: list[str]) -> None:
    """Say one line at a time, each when the agent is done with the one before."""
    assert process.stdin is not None
    assert process.stdout is not None
    for number, line in enumerate(itertools.chain([b""], process.stdout)):
        text = line.decode(errors="replace")
        if number:
            sys.stdout.write(text)
        if number and '"type":"result"' not in text:
            continue
        if turns:
            process.stdin.write(turns.pop(0).encode() + b"\n")
            process.stdin.flush()
        else:
            process.stdin.close()
    process.stdin.close()


def bring_loopback_up() -> None:
    """A fresh network namespace has its loopback down. Errors: OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


if __name__ == "__main__":
    sys.exit(main())
