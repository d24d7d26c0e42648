from __future__ import annotations

from array import array
from math import nan
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, Forbidden, NotFound
from diamond.service.access.authorize import Action, Freshness, admit, may, require
from diamond.service.access.principal import LOCAL_USER, Kind, Principal
from diamond.service.access.rules import RULES
from diamond.service.access.verbs import VERBS, verb_of
from diamond.service.events.cursor import Cursor, decode
from diamond.service.output.metric_lines import read_lines
from diamond.service.output.thinning import thin
from diamond.service.platform.database.filesystem import filesystem_type, refuse_network_folder
from diamond.service.settings import Settings, check_settings

ADA = Principal(Kind.PERSON, "ada")
AGENT = Principal(Kind.AGENT, "ada", endpoint="e1")


def test_a_person_reads_and_writes_her_own_things_only() -> None:
    assert may(ADA, Action.READ, owner="ada")
    assert may(ADA, Action.WRITE, owner="ada")
    assert not may(ADA, Action.READ, owner="bob")
    assert not may(ADA, Action.REPORT, owner="ada", endpoint="e1")
    with pytest.raises(NotFound):
        require(ADA, Action.READ, owner="bob", what="task")


def test_an_agent_reports_for_its_own_endpoint_only() -> None:
    assert may(AGENT, Action.REPORT, owner="ada", endpoint="e1")
    assert not may(AGENT, Action.REPORT, owner="ada", endpoint="e2")
    assert not may(AGENT, Action.REPORT, owner="bob", endpoint="e1")
    assert not may(AGENT, Action.READ, owner="ada")
    assert not may(Principal(Kind.AGENT, "ada"), Action.REPORT, owner="ada")


def test_a_cursor_carries_every_position() -> None:
    cursor = Cursor(7, {1: 100, 2: 5}, {9: 3})
    assert decode(cursor.encode()) == cursor
    cursor.watched = ["t1", "t2"]
    assert decode(cursor.encode()) == cursor
    assert decode("12") == Cursor(12)


def test_a_cursor_of_very_many_positions_stays_short() -> None:
    """It comes with every event, and goes back in an address of at most 64 kB."""
    many = dict.fromkeys(range(10**9, 10**9 + 75000), 10**9)
    cursor = Cursor(7, {1: 100}, many, ["t1"])
    assert len(cursor.encode()) < 16_000
    again = decode(cursor.encode())
    assert (again.number, again.logs, again.curves) == (7, {1: 100}, {})
    assert (again.knows_logs, again.knows_curves) == (True, False)
    assert len(Cursor(7, many, many, ["t1"]).encode()) < 16_000


@pytest.mark.parametrize("text", ["", "x", "W10", "eyJ9", "ü", "bnVsbA", "W251bGwsMSwyXQ"])
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadRequest):
        decode(text)


def test_a_folder_on_a_network_file_system_is_refused(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    home = tmp_path / "my home"
    home.mkdir()
    escaped = str(home).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nfs:/x {escaped} nfs4 rw 0 0\n")
    assert filesystem_type(home / "diamond", mounts) == "nfs4"
    assert filesystem_type(tmp_path, mounts) == "ext4"
    with pytest.raises(BadRequest, match="network file system") as refused:
        refuse_network_folder(home, mounts)
    assert "DIAMOND_HOME" in refused.value.hint
    refuse_network_folder(tmp_path, mounts)


def test_plain_http_is_refused_beyond_this_machine() -> None:
    check_settings(Settings(Path("h")))
    check_settings(Settings(Path("h"), host="0.0.0.0", public_url="https://d.example.org"))
    for wrong in (
        Settings(Path("h"), host="0.0.0.0"),
        Settings(Path("h"), public_url="http://d.example.org"),
    ):
        with pytest.raises(BadRequest):
            check_settings(wrong)


def test_the_driver_is_chosen_by_the_url() -> None:
    assert Settings(Path("/h")).database == "sqlite:////h/diamond.db"
    given = Settings(Path("/h"), database_url="postgresql://u@h/db").database
    assert given == "postgresql+asyncpg://u@h/db"


def test_lines_are_whole_before_they_are_read() -> None:
    first = read_lines(b"", b'{"step":1,"loss":2}\n{"step":2,')
    assert [(one.name, one.step, one.value) for one in first.points] == [("loss", 1, 2)]
    second = read_lines(first.partial, b'"loss":1}\n')
    assert [(one.step, one.value) for one in second.points] == [(2, 1)]
    assert (second.partial, second.bad) == (b"", 0)


def test_a_line_without_end_does_not_grow_for_ever() -> None:
    found = read_lines(b"", b"x" * 300_000)
    assert (found.partial, found.bad) == (b"", 1)


def test_numbers_too_large_for_a_float_have_no_value() -> None:
    found = read_lines(b"", b'{"loss":1' + b"0" * 400 + b',"acc":1}\n{"a":true}\n')
    values = [(one.name, one.value) for one in found.points]
    assert values == [("loss", None), ("acc", 1.0), ("a", 1.0)]


def test_what_was_not_finite_has_a_point_without_a_value_and_nothing_else_has() -> None:
    lines = b'{"step":1,"loss":null,"nonfinite":["loss"],"rank":2}\n{"loss":null,"nonfinite":7}\n'
    found = read_lines(b"", lines)
    assert [(one.name, one.step, one.value) for one in found.points] == [("loss", 1, None)]


@pytest.mark.parametrize("limit", [5, 10, 100])
def test_thinning_keeps_a_place_without_a_value(limit: int) -> None:
    values = array("d", [nan if number == 777 else float(number % 17) for number in range(1000)])
    kept = thin(values, limit)
    assert len(kept) <= limit
    assert 777 in kept


@pytest.mark.parametrize("limit", [2, 3, 4, 5, 10, 101])
def test_thinning_keeps_ends_and_the_limit(limit: int) -> None:
    values = array("d", [float(number % 17) for number in range(1000)])
    kept = thin(values, limit)
    assert len(kept) <= limit
    assert (kept[0], kept[-1]) == (0, 999)
    assert kept == sorted(set(kept))


@pytest.mark.parametrize("call", ["POST /tokens", "POST /open", "POST /sign-in/device/{code}"])
def test_no_token_makes_another_way_in_where_a_fresh_sign_in_is_asked_for(call: str) -> None:
    program = Principal(Kind.PERSON, "ada")
    admit(program, RULES[call], Freshness())
    for asked in (Freshness(minutes=15), Freshness(mfa=True)):
        with pytest.raises(Forbidden, match="a token is not"):
            admit(program, RULES[call], asked)
        admit(Principal(Kind.PERSON, LOCAL_USER), RULES[call], asked)
        admit(program, RULES["POST /jobs"], asked)


def test_the_audit_log_has_words_for_every_call_that_it_keeps() -> None:
    kept = {call for call, rule in RULES.items() if rule.is_noted and not call.startswith("GET ")}
    assert kept - set(VERBS) == set()
    assert verb_of("POST /a-new-thing") == "started /a-new-thing"
