"""Real processes for the tests, started the same way everywhere and ended whatever happens."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

# A server that has the store imported already, and forks from there: a start takes milliseconds, and
# nothing of the test's own process (threads, connections) goes along.
context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["tests.faults.workers"])


def start(target: Callable[..., None], *args: Any) -> tuple[BaseProcess, Connection]:
    """A process that runs `target(*args, out)`, and the end of the pipe that receives what it sends."""
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*args, send), daemon=True)
    main = sys.modules["__main__"]
    # Tests of pages leave a script of Streamlit's there, which the new process would run first.
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        process.start()
    finally:
        sys.modules["__main__"] = main
    # Ours must be the only other end, or a killed process would never look ended.
    send.close()
    return process, receive


@contextmanager
def running(*starts: tuple[Any, ...]) -> Iterator[list[tuple[BaseProcess, Connection]]]:
    """Start one process for each (target, *args), and end those that are still there at the end."""
    processes = [start(*each) for each in starts]
    try:
        yield processes
    finally:
        for process, receive in processes:
            if process.is_alive():
                process.kill()
            process.join()
            receive.close()
