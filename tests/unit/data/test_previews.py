"""Files of every format, good and hostile, as a preview shows them."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import pickle
import signal
import zipfile
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy
import pyarrow
import pyarrow.parquet
import pytest
import zarr
from PIL import Image

from diamond.core.decoding import encode
from diamond.core.errors import BadRequest
from diamond.core.previews import (
    THUMBNAIL_PIXELS,
    PreviewColumn,
    PreviewPart,
    PreviewThumbnail,
    TreePreview,
    read_preview,
)
from diamond.data.manifest import FileEntry
from diamond.data.previews import preview_job
from diamond.data.previews.formats import choose, requirements
from diamond.data.scanning import scan


def preview(folder: Path) -> dict[str, PreviewPart]:
    """Of everything in `folder/data`, through the same steps as on an endpoint."""
    manifest = folder / "manifest"
    scanned = scan(str(folder / "data"), manifest=manifest, state=folder / "state")
    job = {"root": str(folder / "data"), "manifest": str(manifest), "tree": scanned.summary.digest}
    made = read_preview(preview_job.run_preview(job, folder)["preview"])
    return {part.path: part for part in made.parts}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def test_a_table_of_text_has_types_counts_rows_and_histograms(tmp_path: Path, data: Path) -> None:
    rows = [f"{n},{n / 10},{'red' if n % 3 else 'blue'},{'' if n % 5 else n}" for n in range(100)]
    (data / "a.csv").write_text("id,size,colour,some\n" + "\n".join(rows) + "\n")
    part = preview(tmp_path)["a.csv"]
    assert (part.rows, part.sampled, part.first[0]) == (100, 100, ["0", "0.0", "blue", "0"])
    assert [column.type for column in part.columns] == ["integer", "number", "text", "integer"]
    histogram = part.columns[0].histogram
    assert histogram is not None and (histogram.low, histogram.high) == (0, 99)
    assert sum(histogram.counts) == 100
    assert part.columns[2].values[0].value == "red" and part.columns[3].missing == 80


def test_semicolons_tabs_and_tables_without_names_are_understood(
    tmp_path: Path, data: Path
) -> None:
    (data / "a.csv").write_text("x;y\n1;2\n3;4\n")
    (data / "b.tsv").write_text("x\ty\n1\t2\n")
    (data / "c.csv").write_text("1,2\n3,4\n")
    parts = preview(tmp_path)
    assert [column.name for column in parts["a.csv"].columns] == ["x", "y"]
    assert parts["b.tsv"].rows == 1
    assert [column.name for column in parts["c.csv"].columns] == ["column 1", "column 2"]
    assert parts["c.csv"].rows == 2


def test_a_long_table_is_counted_whole_and_sampled(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diamond.data.previews.tables.MOST_SAMPLED", 1000)
    (data / "a.csv").write_text("x\n" + "\n".join(map(str, range(5000))))
    part = preview(tmp_path)["a.csv"]
    assert (part.rows, part.sampled) == (5000, 1000) and "first 1,000 rows" in part.note


def test_json_lines_and_compressed_ones(tmp_path: Path, data: Path) -> None:
    lines = [{"n": n, "tags": ["a", n], "deep": {"x": 1}} for n in range(30)]
    text = "\n".join(map(json.dumps, lines))
    (data / "a.jsonl").write_text(text)
    (data / "b.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    parts = preview(tmp_path)
    for name in ("a.jsonl", "b.jsonl.gz"):
        assert parts[name].rows == 30
        assert [column.type for column in parts[name].columns] == ["integer", "list", "object"]
        assert parts[name].first[1] == ["1", '["a", 1]', '{"x": 1}']


def test_parquet(tmp_path: Path, data: Path) -> None:
    table = pyarrow.table({"n": list(range(50)), "who": ["ada", None] * 25, "at": [[1.5]] * 50})
    pyarrow.parquet.write_table(table, data / "a.parquet")
    part = preview(tmp_path)["a.parquet"]
    assert part.rows == 50 and part.columns[0].histogram is not None
    assert part.columns[1].missing == 25 and part.first[0] == ["0", "ada", "[1.5]"]


def test_arrays_of_every_kind_show_shape_and_histogram(tmp_path: Path, data: Path) -> None:
    numbers: Any = numpy.arange(600, dtype="float32").reshape(10, 60)
    numpy.save(data / "a.npy", numbers)
    numpy.savez_compressed(data / "b.npz", first=numbers, second=numpy.ones(3, "int8"))
    with h5py.File(data / "c.h5", "w") as file:
        file.create_group("deep")["x"] = numbers
        file["deep/x"].attrs["units"] = "K"
    layouts: Any = (("d.nc", "NETCDF4"), ("e.nc", "NETCDF3_CLASSIC"))
    for name, layout in layouts:
        with netCDF4.Dataset(data / name, "w", format=layout) as made:
            made.createDimension("time", 10)
            made.createDimension("place", 60)
            made.createVariable("t2m", "f4", ("time", "place"))[:] = numbers
            made["t2m"].units = "K"
    for version in (2, 3):
        group = zarr.open_group(str(data / f"v{version}.zarr"), mode="w", zarr_format=version)
        group.create_array("t", data=numbers, chunks=(5, 60))
    parts = preview(tmp_path)
    expected = {
        "a.npy": "a",
        "b.npz": "first",
        "c.h5": "deep/x",
        "d.nc": "t2m",
        "e.nc": "t2m",
        "v2.zarr": "t",
        "v3.zarr": "t",
    }
    for path, name in expected.items():
        array = next(one for one in parts[path].arrays if one.name == name)
        assert array.shape == [10, 60], path
        assert array.histogram is not None and array.histogram.high == 599, path
        assert array.first[:3] == ["0", "1", "2"], path
    assert parts["d.nc"].arrays[0].dimensions == ["time", "place"]
    assert parts["d.nc"].arrays[0].about == parts["c.h5"].arrays[0].about == "K"


def test_images_become_one_grid_of_small_pictures(tmp_path: Path, data: Path) -> None:
    for number in range(30):
        colour = (8 * number, 0, 255 - 8 * number)
        Image.new("RGB", (640, 320), colour).save(data / f"{number:02}.jpg")
    Image.fromarray(numpy.arange(10000, dtype="uint16").reshape(100, 100)).save(data / "z.tif")
    part = preview(tmp_path)["00.jpg"]
    assert part.format == "image" and len(part.images) == 12
    assert (part.images[0].width, part.images[0].height) == (640, 320)
    small = Image.open(io.BytesIO(base64.b64decode(part.images[0].png)))
    assert small.size == (THUMBNAIL_PIXELS, THUMBNAIL_PIXELS // 2)
    assert part.images[0].path == "00.jpg" and part.images[-1].path > "25"


def test_text_is_shown_from_its_start_and_kinds_are_counted(tmp_path: Path, data: Path) -> None:
    (data / "README.md").write_text("# Title\n\nWhat it is.\x1b[31m\u202e")
    (data / "z.bin").write_bytes(b"\0" * 100)
    manifest = tmp_path / "manifest"
    scanned = scan(str(data), manifest=manifest, state=tmp_path / "state")
    job = {"root": str(data), "manifest": str(manifest), "tree": scanned.summary.digest}
    made = read_preview(preview_job.run_preview(job, tmp_path)["preview"])
    assert [(kind.suffix, kind.files) for kind in made.kinds] == [(".bin", 1), (".md", 1)]
    assert made.parts[0].text.startswith("# Title\n\nWhat it is.")
    assert "\x1b" not in made.parts[0].text and "\u202e" not in made.parts[0].text


class Evil:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path(self.place),))

    def __init__(self, place: str) -> None:
        self.place = place


def test_pickled_arrays_are_never_loaded(tmp_path: Path, data: Path) -> None:
    mark = tmp_path / "executed"
    numpy.save(data / "a.npy", numpy.array([Evil(str(mark))], dtype=object))
    numpy.savez(data / "b.npz", x=numpy.array([Evil(str(mark))], dtype=object))
    group = zarr.open_group(str(data / "c.zarr"), mode="w", zarr_format=2)
    group.create_array("t", data=numpy.arange(4.0))
    facts = json.loads((data / "c.zarr/t/.zarray").read_text())
    facts |= {"dtype": "|O", "filters": [{"id": "pickle", "protocol": 5}], "compressor": None}
    (data / "c.zarr/t/.zarray").write_text(json.dumps(facts))
    (data / "c.zarr/t/0").write_bytes(pickle.dumps(Evil(str(mark))))
    parts = preview(tmp_path)
    assert "pickle" in parts["a.npy"].note and "pickle" in parts["b.npz"].note
    assert parts["c.zarr"].arrays[0].shape == [4] and not parts["c.zarr"].arrays[0].first
    assert not mark.exists()


def test_bombs_and_broken_files_are_notes_and_the_rest_is_shown(tmp_path: Path, data: Path) -> None:
    (data / "good.csv").write_text("x\n1\n2\n")
    (data / "line.csv").write_bytes(b"x" * 3_000_000)
    (data / "bad.parquet").write_bytes(b"PAR1" + b"\0" * 100)
    (data / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + b"\xff" * 5000)
    (data / "bad.jsonl").write_text('{"a":1}\nnot json\n')
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    with zipfile.ZipFile(data / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("x.npy", header.ljust(127) + b"\n" + bytes(30_000_000))
    with gzip.open(data / "bomb.csv.gz", "wb") as packed:
        packed.write(bytes(100_000_000))
    huge = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (60000).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    (data / "huge.png").write_bytes(huge + b"\0\0\0\0")
    parts = preview(tmp_path)
    assert parts["good.csv"].rows == 2
    assert "longer than 1 MB" in parts["line.csv"].note
    assert "longer than 1 MB" in parts["bomb.csv.gz"].note
    assert "line 2 is not JSON" in parts["bad.jsonl"].note
    for name in ("bad.parquet", "bad.h5", "huge.png"):
        assert parts[name].note and not parts[name].images, name
    assert parts["bomb.npz"].arrays[0].shape == [10**12]


def test_a_file_that_takes_too_long_or_crashes_is_left_out(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(path: Path, shown: str) -> PreviewPart:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    def hang(path: Path, shown: str) -> PreviewPart:
        while True:
            pass

    (data / "a.csv").write_text("x\n1\n")
    (data / "b.txt").write_text("b")
    monkeypatch.setattr(preview_job, "PART_SECONDS", 0.3)
    monkeypatch.setitem(preview_job.PREVIEWS, "csv", crash)
    monkeypatch.setitem(preview_job.PREVIEWS, "text", hang)
    parts = preview(tmp_path)
    assert "crashed" in parts["a.csv"].note and "longer than" in parts["b.txt"].note


def test_an_hdf5_file_cannot_show_what_lies_outside_of_it(tmp_path: Path, data: Path) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(b"\x07" * 64)
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["hidden"] = numpy.full(8, 7)
    with h5py.File(data / "a.h5", "w") as file:
        file["link"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "hidden")
        file.create_dataset("outside", (64,), "uint8", external=[(str(secret), 0, 64)])
        file["own"] = numpy.arange(3)
    arrays = {array.name: array for array in preview(tmp_path)["a.h5"].arrays}
    assert set(arrays) == {"outside", "own"}
    assert arrays["outside"].first == [] and arrays["own"].first == ["0", "1", "2"]


def test_packages_are_wanted_only_for_formats_that_need_them() -> None:
    def entries(*paths: str) -> list[FileEntry]:
        return [FileEntry(path, 1, 64 * "0") for path in paths]

    assert requirements(choose(entries("a.csv", "b.txt", "c.jsonl", "d.bin"))) == []
    assert requirements(choose(entries("a.parquet", "b.png"))) == ["pillow", "pyarrow"]
    many = choose(entries(*(f"{n}.csv" for n in range(100)), "x.zarr/a/.zarray", "x.zarr/a/0.0"))
    assert [one.path for one in many] == ["x.zarr", "0.csv", "1.csv", "10.csv"]


PICTURE = io.BytesIO()
Image.new("RGB", (4, 4)).save(PICTURE, "PNG")
GOOD = base64.b64encode(PICTURE.getvalue()).decode()


@pytest.mark.parametrize(
    "part",
    [
        PreviewPart("a", "csv", first=[["\x1b[2J"]]),
        PreviewPart("a", "csv", first=[["x"]] * 50),
        PreviewPart("a", "csv", columns=[PreviewColumn("x" * 500, "text")]),
        PreviewPart("a", "csv", columns=[PreviewColumn("x", "text")] * 500),
        PreviewPart("a", "text", text="x" * 100_000),
        PreviewPart("a\n", "text"),
        PreviewPart("a", "image", images=[PreviewThumbnail("a", 1, 1, "PHN2Zz4=")]),
        PreviewPart("a", "image", images=[PreviewThumbnail("a", 1, 1, "not base64")]),
        PreviewPart("a", "image", images=[PreviewThumbnail("a", 1, 1, GOOD)] * 100),
    ],
)
def test_a_preview_that_an_endpoint_made_up_is_rejected(part: PreviewPart) -> None:
    with pytest.raises(BadRequest):
        read_preview(encode(TreePreview(parts=[part])))


def test_a_picture_of_another_size_or_kind_is_rejected() -> None:
    def with_picture(content: bytes) -> Any:
        text = base64.b64encode(content).decode()
        return encode(
            TreePreview(
                parts=[PreviewPart("a", "image", images=[PreviewThumbnail("a", 1, 1, text)])]
            )
        )

    assert read_preview(with_picture(PICTURE.getvalue()))
    wide = io.BytesIO()
    Image.new("RGB", (THUMBNAIL_PIXELS + 1, 4)).save(wide, "PNG")
    for content in (wide.getvalue(), PICTURE.getvalue() + bytes(50_000), b"GIF89a" + bytes(100)):
        with pytest.raises(BadRequest):
            read_preview(with_picture(content))
