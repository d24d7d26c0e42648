"""Copy the state into the staging memory, at once or while the training continues."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import Any, Callable, List, Optional, Sequence, Tuple

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

Pair = Tuple[torch.Tensor, torch.Tensor]
"""Destination and source."""
_Work = Tuple[Sequence[Pair], Any, Callable[[], None], Callable[[], None]]


class Staging:
    """One copy at a time. Every optimizer step waits for it, so the parameters do not change meanwhile."""

    def __init__(self) -> None:
        self.waited_seconds = 0.0
        """Seconds that optimizer steps waited since the last call of `copy_meanwhile`."""
        self._copied, self._idle = threading.Event(), threading.Event()
        self._copied.set()
        self._idle.set()
        self._work: SimpleQueue[Optional[_Work]] = SimpleQueue()
        self._failure: Optional[BaseException] = None
        self._device_copies: Any = None
        self._hook = register_optimizer_step_pre_hook(lambda *_: self.wait())
        # One thread for all saves: starting one costs the training a scheduler turn, milliseconds on a busy node.
        threading.Thread(target=self._serve, daemon=True).start()

    def copy_now(self, pairs: Sequence[Pair]) -> None:
        """In one torch call, so that the interpreter is free for other threads."""
        if pairs:
            with torch.no_grad():
                torch._foreach_copy_([to for to, _ in pairs], [source for _, source in pairs])

    def copy_meanwhile(
        self, pairs: List[Pair], then: Callable[[], None], *, otherwise: Callable[[], None]
    ) -> None:
        """Copy in another thread; `then` runs there when everything is copied, `otherwise` if that fails."""
        self.join()
        self.waited_seconds = 0.0
        self._device_copies = _start_device_copies([p for p in pairs if p[1].device.type == "cuda"])
        self._copied.clear()
        self._idle.clear()
        others = [pair for pair in pairs if pair[1].device.type != "cuda"]
        self._work.put((others, self._device_copies, then, otherwise))

    def wait(self) -> None:
        """Wait until the parameters may change; nearly always at once. On an accelerator, only its stream waits."""
        if self._device_copies is not None:
            torch.cuda.current_stream().wait_event(self._device_copies)
            self._device_copies = None
        if not self._copied.is_set():
            began = time.monotonic()
            self._copied.wait()
            self.waited_seconds += time.monotonic() - began

    def join(self) -> None:
        """Wait until `then` has run; raises its error."""
        self._idle.wait()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def close(self) -> None:
        self._hook.remove()
        self._work.put(None)
        self.join()

    def _serve(self) -> None:
        while self._do_next():
            pass

    def _do_next(self) -> bool:
        """A separate function, so that nothing keeps a state in memory between two saves."""
        work = self._work.get()
        if work is None:
            return False
        pairs, event, then, otherwise = work
        try:
            self._copy(pairs, event, then)
        except BaseException as failure:
            self._failure = failure
            otherwise()
        finally:
            self._copied.set()
            self._idle.set()
        return True

    def _copy(self, pairs: Sequence[Pair], event: Any, then: Callable[[], None]) -> None:
        self.copy_now(pairs)
        self._copied.set()
        if event is not None:
            event.synchronize()
        then()


def _start_device_copies(pairs: Sequence[Pair]) -> Any:
    """On a separate stream, so that the next forward and backward pass run at the same time."""
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
