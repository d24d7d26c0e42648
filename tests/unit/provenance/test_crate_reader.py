"""Crates of others: shown as far as their profile says; hostile ones cost nothing."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.provenance import crate_reader
from diamond.provenance.crate import CrateFile, CrateRequest, CrateTask, crate_metadata
from diamond.provenance.crate_reader import read_crate
from diamond.provenance.entries import read_entry
from diamond.provenance.record import assemble
from support.records import sample_entries

FOREIGN: dict[str, Any] = {
    "@context": "https://w3id.org/ro/crate/1.1/context",
    "@graph": [
        {"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": {"@id": "./"}},
        {
            "@id": "./",
            "@type": "Dataset",
            "name": "Pictures",
            "conformsTo": {"@id": "https://w3id.org/ro/wfrun/process/0.5"},
            "license": {"@id": "https://spdx.org/licenses/MIT"},
        },
        {"@id": "#tool", "@type": "SoftwareApplication", "name": "ImageMagick"},
        {"@id": "#ada", "@type": "Person", "name": "Ada"},
        {"@id": "in.jpg", "@type": "File", "name": "input", "contentSize": "12"},
        {"@id": "#size", "@type": "PropertyValue", "name": "size", "value": 5},
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": "convert",
            "instrument": {"@id": "#tool"},
            "agent": {"@id": "#ada"},
            "object": [{"@id": "in.jpg"}, {"@id": "#size"}],
            "result": {"@id": "out.jpg"},
            "startTime": "2024-01-01T00:00:00",
            "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
        },
    ],
}


def zipped(place: Path, **files: Any) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return place


def own_crate(place: Path, lines: str) -> Path:
    entries = sample_entries()
    scripts = [CrateFile("run.sh", "run.sh")]
    files = [CrateFile("record.jsonl", "record")]
    task = CrateTask("t1", assemble(entries), "", "", files, scripts)
    metadata = crate_metadata(CrateRequest("digits", [task], 1e9))
    return zipped(place, **{"ro-crate-metadata.json": metadata, "record.jsonl": lines})


def test_a_process_run_crate_of_another_tool_is_shown(tmp_path: Path) -> None:
    crate = read_crate(
        zipped(
            tmp_path / "x.zip",
            **{"top/ro-crate-metadata.json": json.dumps(FOREIGN), "top/in.jpg": b"x" * 12},
        )
    )
    assert (crate.name, crate.license) == ("Pictures", "https://spdx.org/licenses/MIT")
    run = crate.runs[0]
    assert (run.name, run.instrument, run.agent) == ("convert", "ImageMagick", "Ada")
    assert (run.status, run.inputs) == ("CompletedActionStatus", ["input", "size = 5"])
    assert [(file.path, file.is_inside) for file in crate.files] == [("in.jpg", True)]


def test_the_metadata_alone_is_enough(tmp_path: Path) -> None:
    place = tmp_path / "ro-crate-metadata.json"
    place.write_text(json.dumps(FOREIGN))
    assert read_crate(place).runs[0].name == "convert"


def test_a_record_of_ours_is_verified_and_read(tmp_path: Path) -> None:
    lines = "".join(f"{entry.line}\n" for entry in sample_entries())
    record = read_crate(own_crate(tmp_path / "x.zip", lines)).records[0]
    assert record.fault is None
    assert record.record.submitted is not None
    assert record.record.seeds == {"seed": "7"}


def test_a_changed_record_says_where(tmp_path: Path) -> None:
    lines = [entry.line for entry in sample_entries()]
    lines[2] = lines[2].replace("EPYC", "Xeon")
    record = read_crate(own_crate(tmp_path / "x.zip", "\n".join(lines) + "\n")).records[0]
    assert record.fault is not None
    assert record.fault.n == 4


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "a/../../b", "C:\\x", "..\\x", "x/../../../y"]
)
def test_a_zip_that_reaches_outside_is_rejected(tmp_path: Path, name: str) -> None:
    place = zipped(tmp_path / "x.zip", **{"ro-crate-metadata.json": json.dumps(FOREIGN), name: "x"})
    with pytest.raises(BadRequest, match="outside"):
        read_crate(place)


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crate_reader, "MOST_METADATA", 1 << 20)
    place = zipped(tmp_path / "x.zip", **{"ro-crate-metadata.json": b" " * (200 << 20)})
    assert place.stat().st_size < 1 << 20
    with pytest.raises(BadRequest, match="more than"):
        read_crate(place)


def test_a_link_in_a_zip_is_never_followed(tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    with zipfile.ZipFile(place, "w") as archive:
        info = zipfile.ZipInfo("ro-crate-metadata.json")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(BadRequest, match="not JSON-LD"):
        read_crate(place)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "null",
        '{"@graph": 5}',
        '{"@graph": ' + "[" * 200_000 + "}",
        json.dumps({"@graph": [{}] * (crate_reader.MOST_ENTITIES + 1)}),
    ],
)
def test_what_is_not_a_crate_is_rejected(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadRequest):
        read_crate(zipped(tmp_path / "x.zip", **{"ro-crate-metadata.json": content}))


def test_odd_values_are_shown_or_left_out(tmp_path: Path) -> None:
    odd = {
        "@graph": [
            5,
            {"no": "id"},
            {"@id": "./", "name": ["a", {"@id": "b"}, None], "conformsTo": "text"},
            {"@id": "#x", "@type": ["CreateAction", 5], "object": [None, 5, {"@id": 7}]},
            {"@id": "f", "@type": "File", "contentSize": "9" * 30, "name": "\x1b[31mred"},
        ]
    }
    crate = read_crate(zipped(tmp_path / "x.zip", **{"ro-crate-metadata.json": json.dumps(odd)}))
    assert crate.name == "a, b, "
    assert crate.files[0].size is None
    assert "\x1b" not in crate.files[0].name


@pytest.mark.parametrize("lines", ["garbage\n", '{"n":1}\n', "\x00\xff\n", "[" * 100_000 + "\n"])
def test_a_record_that_is_none_is_shown_as_changed(tmp_path: Path, lines: str) -> None:
    record = read_crate(own_crate(tmp_path / "x.zip", lines)).records[0]
    assert record.fault is not None


@pytest.mark.parametrize(
    "number, step", [("Infinity", "a"), ("1e999", "a"), ("1", "\\ud800"), ("1", "a")]
)
def test_an_anchor_with_numbers_and_texts_that_nothing_takes_is_a_fault(
    number: str, step: str
) -> None:
    text = (
        f'{{"covers": {{"task": "t", "n": {number}, "head": "h"}}, '
        f'"proof": [{{"hash": "{step}", "is_left": true}}], '
        '"anchor": {"hash": "a", "root": "r"}}'
    )
    assert crate_reader._anchored(text.encode(), sample_entries())[1] is not None


def test_an_entry_whose_time_has_hundreds_of_digits_is_not_an_entry() -> None:
    line = sample_entries()[0].line
    at = json.loads(line)["at"]
    with pytest.raises(BadRequest, match="not an entry"):
        read_entry(line.replace(json.dumps(at), "9" * 400, 1))
