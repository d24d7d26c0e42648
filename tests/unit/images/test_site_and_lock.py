"""A site's build settings, and what a lock keeps of them: nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.errors import BadRequest
from diamond.core.order import Environment, EnvironmentFile
from diamond.images.bases import Base, read_base
from diamond.images.inventory import read_inventory
from diamond.images.plan import make_plan
from diamond.images.recipe import Recipe, lock_key, platform_of
from diamond.runtimes.addresses import is_plain_http, split_address
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.resolving import pinned
from diamond.runtimes.site import Site, lay_out_site, read_site

LOCK = """\
# made by uv
--index-url https://me:secret@index.example/simple
--find-links /site/wheels
numpy==2.4.0 \\
    --hash=sha256:aa
torch @ file:///site/wheels/torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl \\
    --hash=sha256:bb
"""


def test_a_lock_holds_nothing_of_the_site() -> None:
    text = pinned(LOCK)
    assert "torch==2.13.0+cpu \\" in text
    assert "numpy==2.4.0 \\" in text
    assert [word for word in ("secret", "/site", "#") if word in text] == []


def test_equal_requirements_share_a_lock_unless_platform_or_python_differ() -> None:
    one = Environment(requirements=["numpy"])
    key = lock_key(one, platform="linux/amd64", python="3.11")
    assert lock_key(one, platform="linux/arm64", python="3.11") != key
    assert lock_key(one, platform="linux/amd64", python="3.12") != key
    same = Environment(requirements=["numpy"], commands=["x"])
    assert lock_key(same, platform="linux/amd64", python="3.11") == key


def test_settings_of_pip_and_the_profile_become_variables_and_binds(tmp_path: Path) -> None:
    for name in ("wheels", "index/simple", "site"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ca.crt").write_text("certificate")
    environ = {
        "PIP_CONFIG_FILE": "/dev/null",
        "HOME": str(tmp_path),
        "PIP_EXTRA_INDEX_URL": f"file://{tmp_path}/index/simple",
        "https_proxy": "http://proxy.example:3128",
    }
    facts = {
        "ca": str(tmp_path / "ca.crt"),
        "find_links": [str(tmp_path / "wheels")],
        "accelerators": {"cuda-12.4": "https://cuda.example/simple"},
        "index": "https://me:secret@index.example/simple",
    }
    site = read_site(facts, environ)
    assert site.secrets == ["secret"]
    recipe = Recipe(Environment(base="docker://debian", accelerator="cuda-12.4"), "sha256:1")
    made = lay_out_site(
        site,
        make_plan(recipe, "apptainer"),
        folder=tmp_path / "site",
        image_folders=ImageFolders(tmp_path / "images", tmp_path),
        uv=None,
    )
    seen = made.variables
    assert seen["SSL_CERT_FILE"] == "/mnt/ca.crt"
    assert seen["UV_INDEX_URL"] == "https://me:secret@index.example/simple"
    assert seen["UV_EXTRA_INDEX_URL"] == "https://cuda.example/simple file:///mnt/bound2/simple"
    assert seen["UV_FIND_LINKS"] == "/mnt/bound3"
    assert seen["https_proxy"] == "http://proxy.example:3128"
    assert (str(tmp_path / "index"), "/mnt/bound2") in made.binds
    assert (tmp_path / "site/site.env").stat().st_mode & 0o777 == 0o600
    outside = made.outside()
    assert outside["UV_FIND_LINKS"] == str(tmp_path / "wheels")
    assert outside["SSL_CERT_FILE"] == str(tmp_path / "site/ca.crt")


def test_files_of_an_environment_lie_in_the_site_folder(tmp_path: Path) -> None:
    digest = "cd" * 32
    blob = tmp_path / "blobs/sha256/cd" / digest
    blob.parent.mkdir(parents=True)
    blob.write_bytes(b"content")
    files = [EnvironmentFile("/a", text="text"), EnvironmentFile("/b", digest=f"sha256:{digest}")]
    recipe = Recipe(Environment(base="docker://debian", files=files), "sha256:1")
    lay_out_site(
        read_site({}, {}),
        make_plan(recipe, "apptainer"),
        folder=tmp_path / "site",
        image_folders=ImageFolders(tmp_path / "images", tmp_path),
        uv=None,
    )
    contents = {one.read_bytes() for one in (tmp_path / "site/inputs").iterdir()}
    assert contents == {b"text", b"content"}


@pytest.mark.parametrize(
    ("text", "kind", "address"),
    [
        ("ubuntu:24.04", "docker", "ubuntu:24.04"),
        (
            "docker://registry.example:5000/a/b@sha256:" + "0" * 64,
            "docker",
            "registry.example:5000/a/b@sha256:" + "0" * 64,
        ),
        ("oras://registry.example/x:1", "oras", "registry.example/x:1"),
        ("/scratch/x.sif", "sif", "/scratch/x.sif"),
        ("rootfs:/scratch/x.tar", "rootfs", "/scratch/x.tar"),
        ("", "", ""),
    ],
)
def test_a_base_is_read_from_one_word(text: str, kind: str, address: str) -> None:
    assert read_base(text) == Base(kind, address)


def test_a_base_that_is_none_is_answered_with_the_kinds() -> None:
    with pytest.raises(BadRequest) as caught:
        read_base("image:latest")
    assert "oci-archive:PATH" in caught.value.hint


def test_hosts_names_and_tags_are_told_apart() -> None:
    assert split_address(read_base("localhost:5000/a/b:1")) == ("localhost:5000", "a/b", "1")
    assert split_address(read_base("team/base")) == ("", "team/base", "latest")
    assert split_address(read_base("team/base"), "hub.example") == (
        "hub.example",
        "team/base",
        "latest",
    )
    assert is_plain_http(read_base("localhost:5000/a"), [])
    assert not is_plain_http(read_base("registry.example/a"), [])


def test_kernels_names_of_machines_become_platforms() -> None:
    assert platform_of("aarch64") == "linux/arm64"
    with pytest.raises(BadRequest, match="riscv64"):
        platform_of("riscv64")


def test_packages_are_read_from_an_inventory() -> None:
    text = "[system]\ngit 1:2.39\nlibc6 2.36\n[python]\nnumpy-2.4.0\ntyping_extensions-4.1\n[interpreter]\nPython 3.11.2\n"
    packages, python = read_inventory(text)
    assert packages["system"] == {"git": "1:2.39", "libc6": "2.36"}
    assert packages["python"] == {"numpy": "2.4.0", "typing_extensions": "4.1"}
    assert python == "3.11.2"


def test_an_accelerator_has_a_default_index_unless_the_site_has_packages_of_its_own() -> None:
    plain = Site()
    assert plain.accelerated("cuda-12.4") == ("", "cu124")
    assert plain.accelerated("rocm-6.2") == ("", "rocm6.2")
    assert plain.accelerated("cpu") == ("", "cpu")
    assert plain.accelerated("") == ("", "")
    named = Site(accelerators={"cpu": "https://wheels.example/cpu"})
    assert named.accelerated("cpu") == ("https://wheels.example/cpu", "")
    for own in (Site(find_links=["/wheels"]), Site(variables={"UV_INDEX_URL": "https://x"})):
        assert own.accelerated("cpu") == ("", "")
