"""What is reported about an attempt, and what is remembered so that it can be reported again."""

from __future__ import annotations

from dataclasses import replace

from diamond.agent.tasks.machine.state import AttemptState, Outcome
from diamond.core.events import Event, Exited, Held, Observed, Progressed, Staging, Started
from diamond.core.task import Reached


def record(state: AttemptState, event: Event) -> Outcome:
    """Remember an event. The outcome's events are those that the service must get now.

    An attempt that waits behind others is announced by its first run, with all that was remembered before.
    """
    earlier: tuple[Event, ...] = ()
    if isinstance(event, (Started, Exited)):
        state, earlier = announce(state)
    state = replace(state, facts=_remember(state.facts, event))
    return Outcome(state, earlier if state.is_unannounced else (*earlier, event))


def announce(state: AttemptState) -> Outcome:
    """Report it to the service from now on."""
    if not state.is_unannounced:
        return Outcome(state)
    return Outcome(replace(state, is_unannounced=False), state.facts)


def report_progress(state: AttemptState, reached: Reached) -> Outcome:
    """How far it has come, if that is news."""
    if reached == state.reached:
        return Outcome(state)
    event = Progressed(checkpoint=reached.checkpoint, modified=reached.modified, step=reached.step)
    return Outcome(replace(state, reached=reached), (event,))


def _remember(facts: tuple[Event, ...], event: Event) -> tuple[Event, ...]:
    """Of events that replace each other, only the last is kept."""
    if isinstance(event, (Staging, Observed, Held)):
        facts = tuple(fact for fact in facts if not isinstance(fact, type(event)))
    return (*facts, event)
