"""Where ranks meet: ports that do not collide, and an address that leads here."""

from __future__ import annotations

import socket

from diamond.launchers.ranks.rendezvous import FIRST_PORT, PORTS, free_port, own_address


def test_a_port_that_is_taken_is_passed_over() -> None:
    first = free_port("attempt")
    with socket.socket() as taken:
        taken.bind(("", first))
        assert free_port("attempt") not in (first, 0)


def test_attempts_of_one_node_begin_to_look_at_different_places() -> None:
    ports = {free_port(f"attempt-{number}") for number in range(50)}
    assert len(ports) > 45
    assert all(FIRST_PORT <= port < FIRST_PORT + PORTS < 32768 for port in ports)


def test_a_row_of_ports_is_free_from_end_to_end() -> None:
    port = free_port("row", count=5)
    with socket.socket() as taken:
        taken.bind(("", port + 3))
        assert free_port("row", count=5) not in range(port - 1, port + 4)


def test_one_node_alone_meets_at_home() -> None:
    assert own_address(["no-such-name"], "", alone=True) == "127.0.0.1"


def test_a_name_that_leads_elsewhere_is_not_taken() -> None:
    assert own_address(["no.such.name.invalid", "localhost"], "", alone=False) == "localhost"


def test_the_interface_of_the_site_comes_first() -> None:
    assert own_address(["localhost"], "lo", alone=False) == "127.0.0.1"
    assert own_address(["localhost"], "no-such-interface", alone=False) == "localhost"
