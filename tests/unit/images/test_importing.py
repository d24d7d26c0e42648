"""Environments from files that people already have, and what is said about the rest."""

from __future__ import annotations

import pytest
import yaml

from diamond.core.errors import BadRequest
from diamond.images.importing import Imported, import_text


def imported(text: str, name: str) -> Imported:
    return import_text(text, name, yaml.safe_load)


def test_a_requirements_file_is_taken_line_by_line() -> None:
    text = """
# what we use
torch==2.13.0   # the framework
numpy>=2 ; python_version > "3.8"
--extra-index-url https://wheels.example/simple
-r more.txt
-e ./mine
package @ https://files.example/package-1.0-py3-none-any.whl#sha256=00
"""
    found = imported(text, "requirements.txt")
    assert found.environment.requirements == [
        "torch==2.13.0",
        'numpy>=2 ; python_version > "3.8"',
        "package @ https://files.example/package-1.0-py3-none-any.whl#sha256=00",
    ]
    said = " ".join(found.left_out)
    assert [word for word in ("profile", "more.txt", "./mine") if word not in said] == []


def test_a_requirements_file_with_hashes_is_a_lock() -> None:
    text = "numpy==2.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\ntorch==2.1 --hash=sha256:cc\n"
    found = imported(text, "lock/requirements.txt")
    assert found.environment.requirements == ["numpy==2.0", "torch==2.1"]
    assert "numpy==2.0 --hash=sha256:aa --hash=sha256:bb" in found.environment.lock


def test_of_a_conda_environment_the_pip_part_and_python_are_taken() -> None:
    text = """
name: earth
channels: [conda-forge]
dependencies: [python=3.11, pip, "cudatoolkit=11.8", xarray, {pip: [torch==2.13.0, einops]}]
variables: {OMP_NUM_THREADS: 4}
"""
    found = imported(text, "environment.yml")
    assert found.environment.python == "3.11"
    assert found.environment.requirements == ["torch==2.13.0", "einops"]
    assert found.environment.variables == {"OMP_NUM_THREADS": "4"}
    assert "cudatoolkit=11.8, xarray" in found.left_out[0]
    assert "channels" in found.left_out[1]


DOCKERFILE = """\
# syntax=docker/dockerfile:1
ARG VERSION=24.04
FROM registry.example/ubuntu:${VERSION}
ENV A=1 B="two words" \\
    C=three
ENV OLD style value
RUN apt-get update && \\
    # a remark in between
    apt-get install -y git
WORKDIR /src
COPY requirements.txt tools/ ./
COPY . /app
COPY --from=builder /x /y
RUN ["python3", "-c", "print('it works')"]
RUN --mount=type=cache,target=/root pip install torch
RUN <<END
echo one
echo two
END
LABEL team="earth system"
USER nobody
CMD ["python"]
"""


def test_the_part_of_a_dockerfile_that_maps_is_taken() -> None:
    found = imported(DOCKERFILE, "Dockerfile")
    environment = found.environment
    assert environment.base == "docker://registry.example/ubuntu:24.04"
    assert environment.variables == {"A": "1", "B": "two words", "C": "three", "OLD": "style value"}
    assert environment.labels == {"team": "earth system"}
    assert environment.commands[0].endswith("apt-get update && apt-get install -y git")
    assert environment.commands[1] == "mkdir -p /src"
    assert environment.commands[2].endswith("cd /src\npython3 -c 'print('\"'\"'it works'\"'\"')'")
    assert environment.commands[3].endswith("pip install torch")
    assert environment.commands[4].endswith("echo one\necho two")
    assert found.copies == {"requirements.txt": "/src/requirements.txt", "tools/": "/src/tools"}


def test_what_of_a_dockerfile_is_not_taken_is_said() -> None:
    said = "\n".join(imported(DOCKERFILE, "Dockerfile").left_out)
    for word in (
        "another stage",
        "`COPY . /app` is not imported",
        "USER nobody",
        "runs as you",
        "CMD",
        "--mount",
    ):
        assert word in said


def test_a_dockerfile_of_several_stages_is_refused() -> None:
    with pytest.raises(BadRequest, match="several stages"):
        imported("FROM a AS b\nFROM c\n", "Dockerfile")


DEFINITION = """\
Bootstrap: docker
From: registry.example/debian:12

%labels
    Author Alice Liddell
%environment
    export LC_ALL=C
    export HERE=$PWD
%files
    model.py /opt/model.py
%post
    apt-get update
    apt-get install -y gcc
%test
    gcc --version
%runscript
    exec python "$@"
"""


def test_an_apptainer_definition_is_taken() -> None:
    found = imported(DEFINITION, "torch.def")
    environment = found.environment
    assert environment.base == "docker://registry.example/debian:12"
    assert environment.variables == {"LC_ALL": "C"}
    assert environment.labels == {"Author": "Alice Liddell"}
    assert environment.test == "gcc --version"
    assert environment.commands == ["set +u\napt-get update\napt-get install -y gcc"]
    assert found.copies == {"model.py": "/opt/model.py"}
    assert "%runscript" in found.left_out[0]
    assert "HERE" in found.left_out[1]


def test_a_definition_without_a_known_bootstrap_is_refused() -> None:
    with pytest.raises(BadRequest, match="debootstrap"):
        imported("Bootstrap: debootstrap\nMirrorURL: x\n", "x.def")


def test_an_unknown_file_is_answered_with_the_known_kinds() -> None:
    with pytest.raises(BadRequest) as caught:
        imported("{}", "package.json")
    assert "requirements.txt" in caught.value.hint


ODD_DOCKERFILE = """\
FROM --platform=linux/amd64 registry.example/base:1
ENV PATH=/opt/tool/bin:$PATH LD_LIBRARY_PATH=/opt/lib:${LD_LIBRARY_PATH} LEVEL=${LEVEL:-3}
RUN [ -d /opt/tool ] || mkdir -p /opt/tool
RUN cat >/opt/motd <<END
hello $USER
END
COPY <<'END' /opt/raw.txt
as $it is
END
ADD https://files.example/model.bin /opt/
COPY --chown=1:1 *.py /opt/
COPY --chmod=755 tool.sh /opt/tool/
"""


def test_what_dockerfiles_say_in_odd_ways_is_read_as_docker_reads_it() -> None:
    found = imported(ODD_DOCKERFILE, "Dockerfile")
    usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert found.environment.variables == {
        "PATH": f"/opt/tool/bin:{usual}",
        "LD_LIBRARY_PATH": "/opt/lib:",
        "LEVEL": "3",
    }
    assert found.environment.commands == [
        "set +eu\n[ -d /opt/tool ] || mkdir -p /opt/tool",
        "set +eu\ncat >/opt/motd <<END\nhello $USER\nEND",
    ]
    assert [(one.to, one.text) for one in found.environment.files] == [
        ("/opt/raw.txt", "as $it is\n")
    ]
    assert found.copies == {"tool.sh": "/opt/tool/tool.sh"}
    said = "\n".join(found.left_out)
    for word in ("--platform", "$LD_LIBRARY_PATH", "model.bin", "*.py", "--chmod=755"):
        assert word in said


@pytest.mark.parametrize("text", ['FROM a\nENV A="open', "FROM a\nLABEL x='", "FROM \n", "RUN"])
def test_a_dockerfile_with_a_slip_is_answered_in_words(text: str) -> None:
    with pytest.raises(BadRequest):
        imported(text, "Dockerfile")


def test_paths_of_a_definition_lead_on_and_several_stages_are_refused() -> None:
    text = "Bootstrap: docker\nFrom: a\n%environment\nexport PATH=/opt/x:$PATH\n%post -c /bin/bash\n  true\n"
    found = imported(text, "x.def")
    assert found.environment.variables["PATH"].startswith("/opt/x:/usr/local/sbin:")
    assert found.environment.commands == ["set +u\ntrue"]
    assert "run by sh" in found.left_out[0]
    with pytest.raises(BadRequest, match="several stages"):
        imported(text + text, "x.def")


def test_of_conda_s_pip_part_options_are_said_and_so_is_an_open_python() -> None:
    text = "dependencies: ['python>=3.10', python-dateutil, {pip: [-r more.txt, numpy]}]"
    found = imported(text, "environment.yml")
    assert (found.environment.python, found.environment.requirements) == ("", ["numpy"])
    said = "\n".join(found.left_out)
    assert "python>=3.10" in said
    assert "system:`: python-dateutil" in said
    assert "more.txt" in said
