"""Real processes for the tests, started the same way everywhere and ended whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

# A server that has the store imported already, and forks from there: a start takes milliseconds, and
# nothing of the test's own process (threads, connections) goes along.
context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["tests.faults.workers"])


def start(target: Callable[..., None], *args: Any) -> tuple[BaseProcess, Connection]:
    """A process that runs `target(*args, out)`, and the end of the pipe that receives what it sends."""
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*args, send), daemon=True)
    process.start()
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


def drain(receive: Connection) -> list[Any]:
    """All that a process sent before it ended."""
    receipts: list[Any] = []
    try:
        while True:
            message = receive.recv()
            assert message != "nothing left", "the pool is too small for this test"
            receipts.append(message)
    except EOFError:
        return receipts


def gather(processes: list[tuple[BaseProcess, Connection]], seconds: float) -> list[Any]:
    """What all of them did, each of which sends it with its fault, or None, when it is done."""
    done: list[Any] = []
    for _, receive in processes:
        assert receive.poll(seconds), "a process is stuck"
        own, fault = receive.recv()
        assert fault is None
        done += own
    return done


def strike(process: BaseProcess, receive: Connection, after: float) -> list[Any]:
    """Wait until a process is at work and so many seconds longer, kill it, and give what it had said to be done."""
    assert receive.poll(60), "the process is stuck"
    time.sleep(after)
    assert process.is_alive(), "the process ended by itself"
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    return drain(receive)
