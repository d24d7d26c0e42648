"""Copies the state into the staging memory, at once or while the training goes on."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, List, Optional, Sequence, Tuple

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

Pair = Tuple[torch.Tensor, torch.Tensor]
"""Where to, and what."""


class Staging:
    """One copy at a time. Any optimizer's step waits for it: until then the parameters stay as they are."""

    def __init__(self) -> None:
        self.waited_seconds = 0.0
        """In optimizers' steps, since the last call of `copy_meanwhile`."""
        self._copied = threading.Event()
        self._copied.set()
        self._thread: Optional[threading.Thread] = None
        self._failure: Optional[BaseException] = None
        self._device_copies: Any = None
        self._hook = register_optimizer_step_pre_hook(lambda *_: self.wait())

    def copy_now(self, pairs: Sequence[Pair]) -> None:
        with torch.no_grad():
            for target, source in pairs:
                target.copy_(source)

    def copy_meanwhile(self, pairs: List[Pair], then: Callable[[], None]) -> None:
        """Copy in another thread; `then` runs there once all is copied."""
        self.join()
        self.waited_seconds = 0.0
        self._copied.clear()
        self._device_copies = _start_device_copies([p for p in pairs if p[1].device.type != "cpu"])
        on_cpu = [pair for pair in pairs if pair[1].device.type == "cpu"]
        self._thread = threading.Thread(
            target=self._copy, args=(on_cpu, self._device_copies, then), daemon=True
        )
        self._thread.start()

    def wait(self) -> None:
        """Until the parameters may change; nearly always at once. On an accelerator only its stream waits."""
        if self._device_copies is not None:
            torch.cuda.current_stream().wait_event(self._device_copies)
            self._device_copies = None
        if not self._copied.is_set():
            began = time.monotonic()
            self._copied.wait()
            self.waited_seconds += time.monotonic() - began

    def join(self) -> None:
        """Until `then` has run; raises what went wrong in it."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def close(self) -> None:
        self._hook.remove()
        self.join()

    def _copy(self, pairs: Sequence[Pair], event: Any, then: Callable[[], None]) -> None:
        try:
            self.copy_now(pairs)
            self._copied.set()
            if event is not None:
                event.synchronize()
            then()
        except BaseException as failure:
            self._failure = failure
        finally:
            self._copied.set()


def _start_device_copies(pairs: Sequence[Pair]) -> Any:
    """On a stream of their own, so that the next forward and backward run beside them."""
    if not pairs:
        return None
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.no_grad(), torch.cuda.stream(stream):
        for target, source in pairs:
            target.copy_(source, non_blocking=True)
            source.record_stream(stream)
    event = torch.cuda.Event()
    event.record(stream)
    return event
