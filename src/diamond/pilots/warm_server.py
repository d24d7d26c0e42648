"""A warm Python: it has imported what programs need, and becomes a program by forking. `SOCKET MODULES`, run by their Python.

Only the standard library, and nothing of Diamond: it runs in the environment of the programs. One request comes at a time:
JSON of `words`, `folder`, `environment` and `cores` with four descriptors: stdout, stderr, stdin and a pipe. Its answer is
the process id of a child that has lost its parent, so that the node's runner has adopted it. The child waits for a byte from the
pipe: without it, nobody knows of the child, and it ends.
"""

from __future__ import annotations

import array
import importlib
import importlib.util
import json
import os
import runpy
import signal
import socket
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

MOST_BYTES = 1 << 20
STDOUT, STDERR, STDIN, GO = range(4)


def main(words: List[str]) -> None:
    """Returns in a child alone, as the program."""
    del sys.path[0]  # the folder of this file: its modules are none of the program's
    link = socket.socket(fileno=int(words[0]))
    for name in json.loads(words[1]):
        _import(name)
    link.sendall(b"\n")
    while True:
        asked, descriptors = _next_request(link)
        if not descriptors:
            os._exit(0)
        child = _fork_apart(descriptors[GO])
        if child == 0:
            link.close()
            become(asked, descriptors)
            return
        for each in descriptors:
            os.close(each)
        link.sendall(b"%d\n" % child)


def _import(name: str) -> None:
    """A part that fails here fails in the program too, which says why."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        try:
            importlib.import_module(".".join(parts[:length]))
        except BaseException:
            return


def _next_request(link: socket.socket) -> Tuple[Dict[str, Any], List[int]]:
    """One message each: a length, and then so many bytes."""
    room = socket.CMSG_SPACE(4 * array.array("i").itemsize)
    head, extra, _, _ = link.recvmsg(8, room)
    descriptors = array.array("i")
    for level, kind, data in extra:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    if len(head) < 8:
        return {}, []
    left, text = int.from_bytes(head, "big"), b""
    while len(text) < left:
        more = link.recv(left - len(text))
        if not more:
            return {}, []
        text += more
    return json.loads(text), list(descriptors)


def _fork_apart(go: int) -> int:
    """The child of a child, whose parent has ended; 0 in that child, once it may begin."""
    reader, writer = os.pipe()
    middle = os.fork()
    if middle == 0:
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.close(writer)
            if os.read(go, 1) != b"1":
                os._exit(0)
            return 0
        os.write(writer, b"%d" % child)
        os._exit(0)
    os.close(writer)
    os.waitpid(middle, 0)
    child = int(os.read(reader, 32))
    os.close(reader)
    return child


def become(asked: Dict[str, Any], descriptors: List[int]) -> None:
    """What an `exec` would have made of this process."""
    os.setsid()
    for number, source in ((0, STDIN), (1, STDOUT), (2, STDERR)):
        os.dup2(descriptors[source], number)
    for each in descriptors:
        os.close(each)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    if asked["cores"]:
        os.sched_setaffinity(0, asked["cores"])
    signal.set_wakeup_fd(-1)
    numpy = sys.modules.get("numpy")
    if numpy is not None:  # its state was copied: unseeded programs would all draw the same numbers
        numpy.random.seed()
    sys.argv = list(asked["words"])


def run() -> None:
    """As `python FILE …` or `python -m MODULE …` does."""
    if sys.argv[0] == "-m":
        del sys.argv[0]
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
    run()
