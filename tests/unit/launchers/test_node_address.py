"""Where ranks meet: an address that leads here, by an interface that leads to the others."""

from __future__ import annotations

import pytest

from diamond.launchers.ranks import variables
from diamond.launchers.ranks.node_address import (
    NOWHERE,
    interface_address,
    interface_towards,
    own_address,
)
from diamond.launchers.ranks.variables import interface_variables, open_mpi_variables


def test_one_node_alone_meets_at_home() -> None:
    assert own_address(["no-such-name"], "", alone=True) == "127.0.0.1"


def test_a_name_that_leads_elsewhere_is_not_taken() -> None:
    assert own_address(["no.such.name.invalid", "localhost"], "", alone=False) == "localhost"


def test_a_node_whose_name_leads_to_its_loopback_tells_gloo_the_way_to_the_others() -> None:
    way = interface_towards(NOWHERE)
    if not way:
        pytest.skip("this machine has no network but its own")
    given = {"DIAMOND_NODES": "2", "MASTER_ADDR": NOWHERE}
    told = {"GLOO_SOCKET_IFNAME": way, "TP_SOCKET_IFNAME": way}
    assert interface_variables(given, "localhost") == told
    assert interface_variables({**given, "MASTER_ADDR": "localhost"}, "localhost") == told
    assert interface_variables({**given, "TP_SOCKET_IFNAME": "ib0"}, "localhost") == {
        "GLOO_SOCKET_IFNAME": way,
        "TP_SOCKET_IFNAME": "ib0",
    }
    own = interface_address(way)
    assert interface_towards(own) == way, "the way to itself is not the loopback"
    assert interface_variables(given, own) == {}, "a name that others can use"


def test_one_node_alone_and_what_is_set_are_left_as_they_are() -> None:
    assert interface_variables({"DIAMOND_NODES": "1"}, "localhost") == {}
    set_already = {"DIAMOND_NODES": "2", "GLOO_SOCKET_IFNAME": "ib0"}
    assert interface_variables(set_already, "localhost") == {}


def test_the_interface_of_the_site_comes_first() -> None:
    assert own_address(["localhost"], "lo", alone=False) == "127.0.0.1"
    assert own_address(["localhost"], "no-such-interface", alone=False) == "localhost"


def test_open_mpi_is_told_of_its_network_where_it_would_find_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(variables, "has_only_loopback", lambda: True)
    told = open_mpi_variables({"DIAMOND_NODES": "2"}, "localhost", interface="")
    assert told == dict.fromkeys(variables.OPEN_MPI_INTERFACES, "lo")
    assert set(open_mpi_variables({}, "n1", interface="hsn0").values()) == {"hsn0"}
    own = {"OMPI_MCA_btl_tcp_if_exclude": "docker0"}
    assert open_mpi_variables(own, "n1", interface="hsn0") == {}


def test_open_mpi_gets_the_interface_of_gloo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "has_only_loopback", lambda: False)
    monkeypatch.setattr(variables, "interface_towards", lambda address: "ib0")
    given = {"DIAMOND_NODES": "2", "MASTER_ADDR": NOWHERE}
    assert set(open_mpi_variables(given, "localhost", interface="").values()) == {"ib0"}
    assert open_mpi_variables({**given, "DIAMOND_NODES": "1"}, "localhost", interface="") == {}
