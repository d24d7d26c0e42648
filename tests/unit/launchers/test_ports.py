"""A port for the ranks of one job: nobody uses it, and other jobs are kept off it."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from diamond.launchers.ranks.ports import FIRST_PORT, PORTS, reserve_port


def test_jobs_that_begin_to_look_at_the_same_place_get_ports_of_their_own() -> None:
    with ExitStack() as held:
        reserved = [reserve_port("the same") for _ in range(20)]
        for one in reserved:
            held.enter_context(one.claim)
        assert len({one.port for one in reserved}) == 20


def test_a_port_is_given_back_with_its_claim() -> None:
    first = reserve_port("attempt")
    first.claim.close()
    again = reserve_port("attempt")
    again.claim.close()
    assert again.port == first.port


@pytest.mark.parametrize(
    ("family", "address"),
    [
        (socket.AF_INET, ""),
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET6, "::"),
        (socket.AF_INET6, "::1"),
    ],
)
def test_a_port_that_is_taken_is_passed_over(family: socket.AddressFamily, address: str) -> None:
    """Also one that is taken on IPv6 alone, where torch listens first."""
    first = reserve_port("attempt")
    first.claim.close()
    with socket.socket(family) as taken:
        if family == socket.AF_INET6:
            taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        taken.bind((address, first.port))
        again = reserve_port("attempt")
        again.claim.close()
        assert again.port != first.port


def test_attempts_of_one_node_begin_to_look_at_different_places() -> None:
    reserved = [reserve_port(f"attempt-{number}") for number in range(50)]
    for one in reserved:
        one.claim.close()
    ports = {one.port for one in reserved}
    assert len(ports) > 45
    assert all(FIRST_PORT <= port < FIRST_PORT + PORTS < 32768 for port in ports)


@pytest.mark.parametrize("option", [None, socket.SO_REUSEADDR, socket.SO_REUSEPORT])
def test_a_program_may_listen_at_it_however_it_likes(option: int | None) -> None:
    """torch and gRPC reuse addresses, gRPC of jax also ports; a script of one's own says nothing."""
    port, claim = reserve_port("program")
    with claim, socket.socket(socket.AF_INET) as program:
        if option is not None:
            program.setsockopt(socket.SOL_SOCKET, option, 1)
        program.bind(("", port))
        program.listen()
