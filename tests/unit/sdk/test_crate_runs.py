from __future__ import annotations

import hashlib
import stat
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, Conflict, from_problem
from diamond.provenance.bodies import CodeUsed, MetricsSeen, TaskEnded, TaskSubmitted, Value
from diamond.provenance.record import Record
from diamond.sdk.crate_inputs import _image_file, unpack_folder
from diamond.sdk.crate_runs import _outcome, _unpack, reproduce_crate

SUBMITTED = TaskSubmitted(
    "t1", "j1", "x", "run", {}, {}, "sha256:0", "0.1", code=CodeUsed(snapshot="sha256:1")
)
SPEC = "name: x\nrun: python3 train.py\non: alpha\npartition: batch\naccount: research\n"


def crate(folder: Path, **files: str) -> Path:
    path = folder / "crate.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_the_spec_of_a_crate_forgets_the_machine_it_ran_on(tmp_path: Path) -> None:
    made = crate(tmp_path, **{"diamond.yaml": SPEC, "code/train.py": "print(1)"})
    missing, spec = _unpack(made, tmp_path, Record((), submitted=SUBMITTED))
    assert missing == []
    assert spec == {"name": "x", "run": "python3 train.py", "code": str(tmp_path / "code")}
    assert (tmp_path / "code" / "train.py").read_text() == "print(1)"


def test_a_crate_without_its_code_is_not_reproducible(tmp_path: Path) -> None:
    made = crate(tmp_path, **{"diamond.yaml": SPEC})
    missing, _ = _unpack(made, tmp_path, Record((), submitted=SUBMITTED))
    assert missing == ["the crate holds no code: it was exported without --with code"]


def test_a_name_that_leads_out_of_the_crate_is_refused(tmp_path: Path) -> None:
    made = crate(tmp_path, **{"diamond.yaml": SPEC, "code/../../evil": "x"})
    with pytest.raises(BadRequest, match="outside of itself"):
        _unpack(made, tmp_path / "in", Record((), submitted=SUBMITTED))
    assert not (tmp_path.parent / "evil").exists()


def test_a_file_that_is_no_crate_is_refused(tmp_path: Path) -> None:
    made = crate(tmp_path, **{"other.txt": "x"})
    with pytest.raises(BadRequest, match="not an RO-Crate"):
        reproduce_crate(None, made)  # type: ignore[arg-type]


def test_what_a_record_says_is_the_outcome() -> None:
    metrics = MetricsSeen({"loss": Value(0.5), "odd": Value("nan")})
    outcome = _outcome(Record((), ended=TaskEnded("succeeded"), metrics=metrics))
    assert outcome.metrics == {"loss": 0.5, "odd": None}
    assert outcome.state == "succeeded" and outcome.files is None


@pytest.mark.parametrize("target", ["/etc/passwd", "../../secret"])
def test_a_link_in_the_data_of_a_crate_stays_inside(tmp_path: Path, target: str) -> None:
    path = tmp_path / "crate.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("data/x/link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(path) as archive, pytest.raises(BadRequest, match="leads outside"):
        unpack_folder(archive, "data/x/", tmp_path / "in")
    assert not any(one.is_symlink() for one in (tmp_path / "in").rglob("*"))


def linked(path: Path, links: dict[str, str], **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, target in links.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, target)
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    "links",
    [
        # Each stays inside by its words: the first leads to the top, so the second is there and leads out.
        {"data/x/a/b": "..", "data/x/a/b/out": "../../evil"},
        {"data/x/a/b": "..", "data/x/a/b/out": "../../evil", "data/x/out/c/d": "e"},
        {"data/x/link": "a", "data/x/link/": "b"},
    ],
)
def test_links_that_lead_outside_only_together_are_refused(
    tmp_path: Path, links: dict[str, str]
) -> None:
    path = linked(tmp_path / "crate.zip", links)
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(path) as archive, pytest.raises(BadRequest):
        unpack_folder(archive, "data/x/", tmp_path / "in")
    assert not any(one.is_symlink() for one in tmp_path.rglob("*"))


def test_a_link_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = linked(tmp_path / "crate.zip", {"data/x/link": "a" * (64 << 20)})
    (tmp_path / "in").mkdir()
    tracemalloc.start()
    with zipfile.ZipFile(path) as archive, pytest.raises(BadRequest, match="link"):
        unpack_folder(archive, "data/x/", tmp_path / "in")
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_a_crate_names_no_file_twice(tmp_path: Path) -> None:
    path = tmp_path / "crate.zip"
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("data/x/a", "1")
        archive.writestr("data/x/a", "2")
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(path) as archive, pytest.raises(BadRequest, match="twice"):
        unpack_folder(archive, "data/x/", tmp_path / "in")


def test_data_of_a_crate_are_as_they_were(tmp_path: Path) -> None:
    path = linked(tmp_path / "crate.zip", {"data/x/l": "a/b"}, **{"data/x/a/b": "1"})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("data/x/empty/", "")
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(path) as archive:
        unpack_folder(archive, "data/x/", tmp_path / "in")
    made = tmp_path / "in/data/x"
    assert (made / "l").read_text() == "1" and (made / "l").is_symlink()
    assert list((made / "empty").iterdir()) == []


def test_a_crate_has_no_folder_of_ones_computer_uploaded(tmp_path: Path) -> None:
    text = f"name: x\nrun: cat id_rsa\ncode: {Path.home() / '.ssh'}\n"
    made = crate(tmp_path, **{"diamond.yaml": text})
    _, spec = _unpack(made, tmp_path, Record(()))
    assert "code" not in spec


def test_a_crate_has_no_file_of_ones_computer_put_into_an_image(tmp_path: Path) -> None:
    text = "name: x\nrun: cat /k\nenvironment: {files: [{from: /etc/passwd, to: /k}]}\n"
    made = crate(tmp_path, **{"diamond.yaml": text})
    with pytest.raises(BadRequest, match="of your computer"):
        _unpack(made, tmp_path, Record(()))


@pytest.mark.parametrize("names", [["evil.sif"], ["image.sif", "evil.sif"], []])
def test_only_the_image_that_the_record_names_is_taken(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text(name)
    with pytest.raises(BadRequest, match="image"):
        _image_file(tmp_path, hashlib.sha256(b"image.sif").hexdigest())


def test_an_answer_with_an_unknown_code_becomes_the_general_error() -> None:
    problem = {"status": 409, "code": "no-such-code", "title": "No"}
    assert type(from_problem(problem)) is Conflict
