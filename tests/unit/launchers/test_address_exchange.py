"""Ranks that learn each other's addresses before they start."""

from __future__ import annotations

import socket
import threading

import pytest

from diamond.launchers.ranks.address_exchange import AddressExchange, exchange_addresses


def test_every_rank_gets_the_addresses_of_all_whatever_strangers_say() -> None:
    exchange = AddressExchange(3)
    port, _ = exchange.ticket.split()
    with socket.create_connection(("127.0.0.1", int(port))) as stranger:
        stranger.sendall(b"some-word 1 666\n")
        server = threading.Thread(target=_serve, args=(exchange, 4))
        server.start()
        answers = _report_all(exchange, 3)
        server.join()
    assert answers == [["127.0.0.1:15000", "127.0.0.1:15001", "127.0.0.1:15002"]] * 3


def test_a_rank_that_nobody_answers_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: server.accept()[0].close()).start()
        with pytest.raises(OSError, match=r"did not answer|reset"):
            exchange_addresses("127.0.0.1", f"{server.getsockname()[1]} word", 0, 15000)


def _serve(exchange: AddressExchange, connections: int) -> None:
    import select

    for _ in range(connections):
        select.select([exchange], [], [], 30)
        exchange.accept()


def _report_all(exchange: AddressExchange, ranks: int) -> list[list[str]]:
    answers: dict[int, list[str]] = {}

    def report(rank: int) -> None:
        answers[rank] = exchange_addresses("127.0.0.1", exchange.ticket, rank, 15000 + rank)

    threads = [threading.Thread(target=report, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return [answers[rank] for rank in sorted(answers)]
