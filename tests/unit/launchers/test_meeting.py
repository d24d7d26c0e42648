"""Ranks that hear of each other before they start."""

from __future__ import annotations

import socket
import threading

import pytest

from diamond.launchers.ranks.meeting import Meeting, meet


def test_every_rank_hears_where_all_can_be_reached_whatever_strangers_say() -> None:
    meeting = Meeting(3)
    port, _ = meeting.invitation.split()
    with socket.create_connection(("127.0.0.1", int(port))) as stranger:
        stranger.sendall(b"some-word 1 666\n")
        meeting_thread = threading.Thread(target=_welcome, args=(meeting, 4))
        meeting_thread.start()
        answers = _all_meet(meeting, 3)
        meeting_thread.join()
    assert answers == [["127.0.0.1:15000", "127.0.0.1:15001", "127.0.0.1:15002"]] * 3


def test_a_rank_that_nobody_answers_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=lambda: door.accept()[0].close()).start()
        with pytest.raises(OSError, match=r"did not answer|reset"):
            meet("127.0.0.1", f"{door.getsockname()[1]} word", 0, 15000)


def _welcome(meeting: Meeting, guests: int) -> None:
    import select

    for _ in range(guests):
        select.select([meeting], [], [], 30)
        meeting.let_in()


def _all_meet(meeting: Meeting, ranks: int) -> list[list[str]]:
    answers: dict[int, list[str]] = {}

    def one(rank: int) -> None:
        answers[rank] = meet("127.0.0.1", meeting.invitation, rank, 15000 + rank)

    threads = [threading.Thread(target=one, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return [answers[rank] for rank in sorted(answers)]
