"""Trees on this machine, checked before each start."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.use import ready_tree
from diamond.agent.folders import Folders
from diamond.core.errors import DataChanged
from diamond.core.order import OrderedTree
from diamond.data.scanning import scan


@pytest.fixture
def places(tmp_path: Path) -> TreePlaces:
    return TreePlaces(Folders(tmp_path / "keep", tmp_path / "work", tmp_path))


def registered(places: TreePlaces, path: Path) -> str:
    """As after a scan of files that were written a moment ago."""
    manifest = places.root / "scans" / "first"
    manifest.parent.mkdir(parents=True, exist_ok=True)
    scanned = scan(str(path), manifest=manifest, state=places.state_of(str(path)))
    tree = scanned.summary.digest
    place = Place(
        tree, "files", str(path), managed=False, fingerprint=scanned.fingerprint, is_settled=False
    )
    places.put(place)
    target = places.manifest(tree)
    target.parent.mkdir(parents=True, exist_ok=True)
    manifest.replace(target)
    return tree


def test_tasks_that_start_at_once_may_read_the_same_tree(
    places: TreePlaces, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    for n in range(300):
        (tmp_path / "out" / str(n)).write_text(str(n))
    tree = registered(places, tmp_path / "out")
    unsettled = places.find(tree, "files")
    assert unsettled is not None
    everybody = threading.Barrier(4)

    def start(_: int) -> Place:
        everybody.wait(10)
        return places.check(unsettled)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            places.put(unsettled)
            assert {place.tree for place in pool.map(start, range(4))} == {tree}


def test_an_output_that_somebody_changed_is_not_read(places: TreePlaces, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("1")
    tree = registered(places, file)
    ordered = OrderedTree(tree, file="table.csv")
    assert ready_tree(places, ordered) == str(file)
    file.write_text("2")
    with pytest.raises(DataChanged, match=r"table\.csv"):
        ready_tree(places, ordered)


def test_one_file_in_a_copy_is_the_file(places: TreePlaces, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / "table.csv").write_text("1")
    tree = registered(places, folder)
    assert ready_tree(places, OrderedTree(tree, file="table.csv")) == str(folder / "table.csv")
    assert ready_tree(places, OrderedTree(tree)) == str(folder)
