"""The life of a task, one sentence a test."""

from __future__ import annotations

from dataclasses import replace

from diamond.core.actions import Action, FollowUpTakes, NextAttempt, Recorded, SendCancel
from diamond.core.events import (
    AttemptKnown,
    CancelAsked,
    Event,
    Exited,
    Gone,
    Held,
    Lost,
    NoWord,
    Observed,
    PrepareFailed,
    Staging,
    Started,
    Submitted,
)
from diamond.core.follow_ups import begin_attempt
from diamond.core.lifecycle import step
from diamond.core.task import Attempt, ContinuePolicy, Phase, Reason, State, Task

A = "a1"


def new_task(policy: ContinuePolicy | None = None) -> Task:
    return Task(id="t1", attempt=Attempt(A), policy=policy or ContinuePolicy())


def after(*events: Event, task: Task | None = None) -> Task:
    task = task or new_task()
    for event in events:
        task, _ = step(task, event)
    return task


def last(*events: Event, task: Task | None = None) -> tuple[Task, list[Action]]:
    return step(after(*events[:-1], task=task), events[-1])


def running() -> Task:
    return after(Submitted(attempt=A, native_id="7"), Started(attempt=A, native_id="7"))


def ended(state: str = "FAILED", **fields: object) -> Observed:
    return replace(Observed(attempt=A, status="ended", native_state=state), **fields)  # type: ignore[arg-type]


def test_code_and_environment_are_told_apart_while_it_is_prepared() -> None:
    assert after(Staging(attempt=A, what="code")).phase is Phase.STAGING
    assert after(Staging(attempt=A, what="environment")).phase is Phase.BUILDING


def test_a_submitted_task_is_pending_in_the_queue() -> None:
    task = after(Submitted(attempt=A, native_id="7"))
    assert (task.state, task.phase, task.attempt.native_id) == (State.PENDING, Phase.QUEUED, "7")


def test_exit_file_zero_is_success_without_asking_the_batch_system() -> None:
    task = after(Exited(attempt=A, exit_code=0), task=running())
    assert (task.state, task.exit_code) == (State.SUCCEEDED, 0)
    warned = after(Exited(attempt=A, exit_code=0, message="never met"), task=running())
    assert (warned.state, warned.message) == (State.SUCCEEDED, "never met")


def test_what_the_batch_system_said_before_it_started_is_not_shown_for_ever() -> None:
    queued = Observed(attempt=A, status="queued", native_state="PENDING")
    begun = after(Submitted(attempt=A, native_id="7"), queued, Started(attempt=A, native_id="7"))
    assert begun.native_state == ""
    runs = after(Observed(attempt=A, status="running", native_state="RUNNING"), task=begun)
    over = after(Exited(attempt=A, exit_code=0), task=runs)
    assert (runs.native_state, over.native_state) == ("RUNNING", "")
    assert after(ended("COMPLETED", exit_code=0), task=over).native_state == "COMPLETED"


def test_another_exit_code_waits_for_the_batch_systems_word() -> None:
    task = after(Exited(attempt=A, exit_code=3), task=running())
    assert (task.state, task.phase) == (State.RUNNING, Phase.ENDING)
    task = after(ended(exit_code=3), task=task)
    assert (task.state, task.reason, task.exit_code) == (State.FAILED, Reason.EXIT_CODE, 3)


def test_the_word_may_turn_an_exit_code_into_a_wall_time() -> None:
    task = after(
        Exited(attempt=A, exit_code=143, signal=15),
        ended("TIMEOUT", reason="wall-time"),
        task=running(),
    )
    assert (task.state, task.reason) == (State.FAILED, Reason.WALL_TIME)


def test_without_a_word_the_exit_file_stands_alone() -> None:
    task = after(Exited(attempt=A, exit_code=3), NoWord(attempt=A), task=running())
    assert (task.state, task.reason) == (State.FAILED, Reason.EXIT_CODE)


def test_no_word_and_no_exit_file_ends_nothing() -> None:
    assert after(NoWord(attempt=A), task=running()).state is State.RUNNING


def test_a_batch_system_that_saw_a_clean_end_is_believed() -> None:
    task = after(ended("COMPLETED", exit_code=0), task=running())
    assert task.state is State.SUCCEEDED


def test_a_final_state_never_changes_but_its_reason_may_be_refined() -> None:
    task = after(Exited(attempt=A, exit_code=137, signal=9), NoWord(attempt=A), task=running())
    task, actions = step(task, ended("OUT_OF_MEMORY", reason="out-of-memory"))
    assert (task.state, task.reason) == (State.FAILED, Reason.OUT_OF_MEMORY)
    assert isinstance(actions[0], Recorded)
    assert after(Exited(attempt=A, exit_code=0), task=task).state is State.FAILED


def test_success_is_not_taken_back_by_a_late_word() -> None:
    task = after(
        Exited(attempt=A, exit_code=0), ended("NODE_FAIL", reason="node-lost"), task=running()
    )
    assert (task.state, task.reason) == (State.SUCCEEDED, Reason.NONE)


def test_an_exit_seen_before_its_start_still_counts() -> None:
    task = after(Exited(attempt=A, exit_code=0))
    assert task.state is State.SUCCEEDED


def test_a_requeue_makes_it_pending_and_the_next_run_counts() -> None:
    task = after(Observed(attempt=A, status="queued", native_state="PENDING"), task=running())
    assert task.state is State.PENDING
    task = after(Started(attempt=A, run=2), Exited(attempt=A, run=1, exit_code=0), task=task)
    assert (task.state, task.attempt.run) == (State.RUNNING, 2)
    assert after(Exited(attempt=A, run=2, exit_code=0), task=task).state is State.SUCCEEDED


def test_the_old_runs_late_word_does_not_end_the_new_run() -> None:
    task = after(Started(attempt=A, run=2), task=running())
    task = after(ended("NODE_FAIL", reason="node-lost", run=1), task=task)
    assert task.state is State.RUNNING


def test_an_event_of_another_attempt_is_only_recorded() -> None:
    task, actions = last(Exited(attempt="other", exit_code=0), task=running())
    assert task.state is State.RUNNING
    assert isinstance(actions[0], Recorded)


def test_a_cancel_before_delivery_ends_it_at_once() -> None:
    task, actions = last(CancelAsked(delivered=False))
    assert (task.state, task.reason, actions) == (State.CANCELLED, Reason.BY_PERSON, [])


def test_a_cancel_after_delivery_waits_for_the_agent() -> None:
    task, actions = last(CancelAsked(), task=running())
    assert (task.state, task.phase) == (State.RUNNING, Phase.CANCELLING)
    assert actions == [SendCancel(A)]
    assert after(Gone(attempt=A), task=task).state is State.CANCELLED


def test_an_answer_to_a_cancel_that_a_restored_service_has_forgotten_still_ends_the_task() -> None:
    task = after(Exited(attempt=A, exit_code=143, signal=15), Gone(attempt=A), task=running())
    assert (task.state, task.reason) == (State.CANCELLED, Reason.BY_PERSON)


def test_a_program_that_finished_before_the_cancel_reached_it_succeeded() -> None:
    task = after(CancelAsked(), Exited(attempt=A, exit_code=0), task=running())
    assert task.state is State.SUCCEEDED


def test_a_cancelled_program_that_dies_by_the_signal_is_cancelled() -> None:
    task = after(
        CancelAsked(),
        Exited(attempt=A, exit_code=143, signal=15),
        ended("CANCELLED"),
        task=running(),
    )
    assert (task.state, task.reason) == (State.CANCELLED, Reason.BY_PERSON)


def test_a_cancel_behind_our_back_is_not_called_ours() -> None:
    task = after(ended("CANCELLED", reason="by-site"), task=running())
    assert (task.state, task.reason) == (State.FAILED, Reason.BY_SITE)


def test_a_held_task_says_why() -> None:
    task = after(Held(attempt=A, reason="site-limit", message="4 of 4 are queued"))
    assert (task.state, task.phase, task.reason) == (State.PENDING, Phase.HELD, Reason.SITE_LIMIT)


def test_a_refusal_fails_with_the_sites_words() -> None:
    task = after(PrepareFailed(attempt=A, reason="refused", message="Invalid account"))
    assert (task.state, task.reason, task.message) == (
        State.FAILED,
        Reason.REFUSED,
        "Invalid account",
    )


def test_a_vanished_job_is_lost_never_completed() -> None:
    task = after(Lost(attempt=A, message="no trace"), task=running())
    assert (task.state, task.reason) == (State.FAILED, Reason.LOST)


def test_a_chain_that_outlives_lost_nodes_outlives_a_vanished_job() -> None:
    task = begin_attempt(new_task(ContinuePolicy(frozenset({"node-lost"}))), A, 1)
    task, actions = last(Started(attempt=A), Lost(attempt=A, message="no trace"), task=task)
    assert (actions, task.reason) == ([NextAttempt(2)], Reason.LOST)


def test_exit_75_asks_for_the_next_attempt() -> None:
    task, actions = last(Exited(attempt=A, exit_code=75), NoWord(attempt=A), task=running())
    assert (task.state, task.phase) == (State.PENDING, Phase.BETWEEN_ATTEMPTS)
    assert actions == [NextAttempt(2)]


def test_a_lost_node_continues_only_where_the_spec_says_so() -> None:
    word = ended("NODE_FAIL", reason="node-lost")
    assert after(word, task=running()).state is State.FAILED
    policy = ContinuePolicy(on=frozenset({"node-lost"}))
    task, actions = step(replace(running(), policy=policy), word)
    assert actions == [NextAttempt(2)]
    assert task.state is State.PENDING


def test_continuing_ends_at_the_limit() -> None:
    task = begin_attempt(new_task(ContinuePolicy(max_attempts=2)), "a2", 2)
    task = after(
        Started(attempt="a2"), Exited(attempt="a2", exit_code=75), NoWord(attempt="a2"), task=task
    )
    assert (task.state, task.reason) == (State.FAILED, Reason.CONTINUE_LIMIT)


def test_an_attempt_that_the_agent_already_had_is_adopted() -> None:
    task = after(AttemptKnown(attempt="a9", number=1))
    assert task.attempt.id == "a9"


def test_an_attempt_that_is_in_the_queue_gives_its_place_to_no_other_of_its_number() -> None:
    task = after(Submitted(attempt=A, native_id="7"), AttemptKnown(attempt="a9", number=1))
    assert task.attempt.id == A


def test_an_unforeseen_scheduler_word_is_kept_and_ends_nothing() -> None:
    task = after(
        Observed(attempt=A, status="unknown", native_state="FROBNICATED", message="unknown state"),
        task=running(),
    )
    assert (task.state, task.native_state) == (State.RUNNING, "FROBNICATED")


def test_suspended_and_resumed() -> None:
    task = after(Observed(attempt=A, status="suspended", native_state="SUSPENDED"), task=running())
    assert task.phase is Phase.SUSPENDED
    task = after(Observed(attempt=A, status="running", native_state="RUNNING"), task=task)
    assert (task.state, task.phase) == (State.RUNNING, Phase.NONE)


def test_a_persons_own_request_is_no_news_from_the_endpoint() -> None:
    task = after(Submitted(at=5.0, attempt=A, native_id="7"), CancelAsked(at=90.0))
    assert (task.phase, task.as_of) == (Phase.CANCELLING, 5.0)


def test_a_program_killed_by_a_signal_is_no_plain_exit_code() -> None:
    killed = Exited(attempt=A, exit_code=137, signal=9)
    word = ended(reason="exit-code", exit_code=137, message="it ended with exit code 137")
    task = after(killed, word, task=running())
    assert (task.reason, task.signal, task.exit_code) == (Reason.SIGNAL, 9, 137)
    assert task.message == (
        "the program was killed by signal 9 (SIGKILL); often that is memory running out"
    )


def test_a_late_word_does_not_turn_a_signal_into_an_exit_code() -> None:
    killed = Exited(attempt=A, exit_code=139, signal=11)
    word = ended(reason="exit-code", exit_code=139, message="it ended with exit code 139")
    task = after(killed, NoWord(attempt=A), word, task=running())
    assert task.reason is Reason.SIGNAL
    assert task.message == "the program was killed by signal 11 (SIGSEGV)"


def test_a_sites_own_reason_stands_before_the_signal_it_sent() -> None:
    killed = Exited(attempt=A, exit_code=143, signal=15)
    task = after(killed, ended(reason="wall-time", message="time is up"), task=running())
    assert (task.reason, task.message) == (Reason.WALL_TIME, "time is up")


def test_a_task_that_continues_after_any_exit_code_continues_after_a_signal() -> None:
    begun = new_task(ContinuePolicy(on=frozenset({"exit-code"})))
    started = after(Started(attempt=A), task=begun)
    killed = Exited(attempt=A, exit_code=137, signal=9)
    _, actions = last(killed, ended(reason="exit-code", exit_code=137), task=started)
    assert actions == [NextAttempt(2)]


def cancelled() -> Task:
    return after(CancelAsked(delivered=False))


def test_a_cancelled_task_that_turns_out_to_be_alive_is_cancelled_again() -> None:
    alive = [
        Submitted(attempt=A, native_id="7"),
        Started(attempt=A),
        Observed(attempt=A, status="queued"),
        Observed(attempt=A, status="running"),
        Observed(attempt=A, status="suspended"),
    ]
    for event in alive:
        task, actions = last(event, task=cancelled())
        assert task.state is State.CANCELLED
        assert SendCancel(A) in actions, event


def test_what_ended_or_is_another_attempts_leads_to_no_second_cancel() -> None:
    for event in (Submitted(attempt="a0"), ended("CANCELLED"), Exited(attempt=A), Gone(attempt=A)):
        _, actions = last(event, task=cancelled())
        assert actions == [Recorded(event, "the task had ended")]


def test_a_task_that_failed_and_is_seen_alive_is_not_cancelled() -> None:
    _, actions = last(Lost(attempt=A), Observed(attempt=A, status="running"))
    assert not any(isinstance(action, SendCancel) for action in actions)


def test_a_job_that_the_site_puts_back_after_its_tasks_end_is_ended() -> None:
    """Once it is in the queue again, or runs a second time; what ran before is only told again."""
    failed = after(Exited(attempt=A, exit_code=1), NoWord(attempt=A), task=running())
    requeued = Observed(attempt=A, status="queued", native_state="PENDING", restarts=1)
    for event in (requeued, Started(attempt=A, run=2)):
        task, actions = last(event, task=failed)
        assert SendCancel(A) in actions and task.state is State.FAILED
    for event in (replace(requeued, restarts=0), Started(attempt=A, run=1)):
        assert SendCancel(A) not in last(event, task=failed)[1]


def test_a_late_word_from_the_queue_does_not_put_a_running_task_back() -> None:
    late = Observed(attempt=A, status="queued", native_state="PENDING", restarts=0)
    task, actions = last(late, task=running())
    assert (task.state, task.native_state) == (State.RUNNING, "")
    assert actions == [Recorded(late, "it has started since")]


def test_a_run_that_the_site_ended_to_requeue_it_waits_again() -> None:
    requeued = Observed(attempt=A, status="queued", native_state="PENDING", restarts=1)
    task = after(Exited(attempt=A, run=1, exit_code=143, signal=15), requeued, task=running())
    assert (task.state, task.phase, task.exit_code) == (State.PENDING, Phase.QUEUED, None)
    again = after(Started(attempt=A, run=2), Exited(attempt=A, run=2, exit_code=0), task=task)
    assert again.state is State.SUCCEEDED


def test_a_follow_up_that_starts_before_one_that_never_ran_withdraws_it() -> None:
    waiting = after(Submitted(attempt=A, native_id="7"), AttemptKnown(attempt="a2", number=2))
    task, actions = step(waiting, Started(attempt="a2", native_id="8"))
    assert (task.state, task.attempt.id) == (State.RUNNING, "a2")
    assert actions[0] == FollowUpTakes(A, Reason.WITHDRAWN)


def test_a_requeue_counts_when_it_is_newer_than_the_run() -> None:
    requeued = Observed(attempt=A, status="queued", native_state="PENDING", restarts=1)
    assert after(requeued, task=running()).state is State.PENDING
    second = after(requeued, Started(attempt=A, run=2), requeued, task=running())
    assert (second.state, second.attempt.run) == (State.RUNNING, 2)


def test_a_program_that_traps_the_signal_of_a_cancel_and_ends_with_zero_has_succeeded() -> None:
    task = after(CancelAsked(), Exited(attempt=A, exit_code=0), task=running())
    assert task.state is State.SUCCEEDED


def test_a_zero_by_the_batch_systems_word_alone_after_a_cancel_is_cancelled() -> None:
    task = after(CancelAsked(), ended("COMPLETED", exit_code=0), task=running())
    assert task.state is State.CANCELLED


CULPRIT = "rank 3 on n2 was killed by signal 9 (SIGKILL); the 7 others were ended"


def rank_died(**fields: object) -> Exited:
    died = Exited(attempt=A, exit_code=137, signal=9, reason="signal", message=CULPRIT)
    return replace(died, **fields)  # type: ignore[arg-type]


def test_the_rank_that_failed_is_named_at_once_and_stays_named() -> None:
    ending = after(rank_died(), task=running())
    assert (ending.phase, ending.message) == (Phase.ENDING, CULPRIT)
    for word in (
        NoWord(attempt=A),
        ended(exit_code=137, reason="exit-code", message="ended with 137"),
    ):
        task = after(word, task=ending)
        assert (task.state, task.reason, task.message) == (State.FAILED, Reason.SIGNAL, CULPRIT)


def test_the_batch_systems_clear_word_stands_before_the_ranks() -> None:
    word = ended("OUT_OF_MEMORY", reason="out-of-memory", message="it needed more memory")
    task = after(rank_died(), word, task=running())
    assert task.reason is Reason.OUT_OF_MEMORY
    assert task.message == f"it needed more memory. {CULPRIT}"


def test_ranks_that_hung_are_told_as_such_and_may_be_continued() -> None:
    hung = rank_died(exit_code=70, signal=None, reason="hung", message="no rank has logged a step")
    assert after(hung, NoWord(attempt=A), task=running()).reason is Reason.HUNG
    policy = ContinuePolicy(on=frozenset({"exit-code"}))
    going_on, actions = last(hung, NoWord(attempt=A), task=replace(running(), policy=policy))
    assert going_on.phase is Phase.BETWEEN_ATTEMPTS
    assert any(isinstance(one, NextAttempt) for one in actions)


def test_an_older_message_is_not_taken_for_the_ranks_word() -> None:
    again = after(Started(attempt=A, run=2, native_id="7"), task=running())
    task = after(Exited(attempt=A, run=2, exit_code=3), NoWord(attempt=A), task=again)
    assert task.message == "the program ended with exit code 3"
