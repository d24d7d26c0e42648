"""Common causes of a failed build, made for real with every runtime: each is told in plain words with its own code."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator

import pytest

from diamond.testing.runtimes import Bench, Built
from support.containers import container_bench, packed

pytestmark = pytest.mark.slow
CONTAINERS = ("apptainer", "charliecloud", "docker", "podman")
SMALL = "48m"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n"


@pytest.fixture(scope="module", params=CONTAINERS)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with container_bench(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def venv() -> Iterator[Bench]:
    with container_bench("venv", {"python": "3.11"}) as made:
        yield made


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        ("gcc -o /opt/x /opt/x.c", "compiler-missing"),
        ("wget -O /opt/x http://127.0.0.1:9/x", "network"),
        ("wget -O /opt/x http://no-such-host.invalid/x", "network"),
        ("sh -c 'kill -9 $$'", "out-of-memory"),
        (
            "echo 'gcc: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
            "out-of-memory",
        ),
        ("dd if=/dev/zero of=/dev/full bs=1k count=1", "disk-full"),
        ("printf '\\177ELF\\002\\001\\001' >/opt/x; chmod +x /opt/x; /opt/x", "architecture"),
        ("no-such-program --x", "command-not-found"),
        ("exit 9", "command-failed"),
    ],
)
def test_a_command_fails_for_a_cause(bench: Bench, command: str, cause: str) -> None:
    told = _failed(bench.build(commands=["true", command]))
    assert (told["step"], told["cause"]) == ("command-2", cause), told
    assert told["hint"]


def test_a_package_that_the_base_cannot_install(bench: Bench) -> None:
    told = _failed(bench.build(system=["no-such-package"]))
    assert (told["step"], told["cause"]) == ("system", "no-package-manager")


def test_a_base_for_another_processor(bench: Bench) -> None:
    root = bench.folder / "arm"
    for name in ("bin", "etc"):
        (root / name).mkdir(parents=True)
    header = (
        b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 0xB7, 1, *[0] * 10)
    )
    (root / "bin/sh").write_bytes(header)
    (root / "bin/sh").chmod(0o755)
    built = bench.build(base=f"rootfs:{packed(root, bench.folder / 'arm.tar')}", commands=["true"])
    assert _failed(built)["cause"] == "architecture"


def test_a_base_that_is_not_there(bench: Bench) -> None:
    built = bench.build(base="rootfs:/no/such.tar", commands=["true"])
    assert built.code == 1
    assert "is not on this machine" in built.last("refused")["message"]


def test_a_full_disk(bench: Bench) -> None:
    """A work folder of a few megabytes: layers, or the image, do not fit in."""
    if bench.runtime == "podman":
        pytest.skip("what is mounted now is not seen by the namespace that podman keeps of alice")
    small = bench.folder / "small"
    small.mkdir()
    options = f"size={SMALL},mode=777"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(small)], check=True)
    try:
        fill = "dd if=/dev/urandom of=/opt/big bs=1M count=64"
        file = bench.prepare(commands=[fill])
        file.write_text(file.read_text().replace(str(bench.work), str(small / "work")))
        told = _failed(bench.finished(bench.start(file)))
        assert told["cause"] == "disk-full", told
    finally:
        subprocess.run(["umount", "--lazy", str(small)], check=True)


@pytest.mark.parametrize(
    ("requirements", "words"),
    [
        (["no-such-package-of-diamond"], "A package does not exist under that name"),
        (["numpy==999.0"], "A package does not exist under that name or version"),
        (["numpy==2.0.0", "numpy==2.1.0"], "The packages cannot be installed together"),
        (["torch==1.0.0"], "no ready-made build (wheel)"),
    ],
)
def test_packages_that_cannot_be_had(venv: Bench, requirements: list[str], words: str) -> None:
    built = venv.build(requirements=requirements)
    assert built.code == 1
    said = built.last("refused")["message"]
    assert words in said
    assert requirements[-1].split("=")[0] in said.split("\n", 1)[1], "uv's own words follow"


def test_a_certificate_that_is_not_trusted(venv: Bench) -> None:
    own = venv.folder / "own.crt"
    own.write_text(CERTIFICATE)
    built = venv.build(site={"ca": str(own)}, requirements=["no-such-package-of-diamond"])
    assert "is not trusted" in built.last("refused")["message"]


def test_an_index_that_does_not_answer(venv: Bench) -> None:
    built = venv.build(site={"index": "http://127.0.0.1:9/simple"}, requirements=["tomli==2.0.2"])
    assert "could not be reached" in built.last("refused")["message"]


def _failed(built: Built) -> dict[str, str]:
    assert built.code == 1, built.log
    told: dict[str, str] = built.last("failed")
    return told
