"""The last lines of real programs, and what is said about them. The lines are as Python, PyTorch, JAX and bash print them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from diamond.core.order import Resources
from diamond.core.task import Reason
from diamond.service.diagnosis.advice import Diagnosis, Ending, advise, changed_spec
from diamond.service.diagnosis.causes import LONGEST_LINE, find_cause

ENDING = Ending(task="t1", endpoint="alpha", spec={"run": "python x.py"}, resources=Resources())
TRACEBACK = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    import x\n'


def diagnose(
    *texts: str, reason: Reason = Reason.EXIT_CODE, signal: int = 0, **known: Any
) -> Diagnosis | None:
    found = find_cause(reason, texts, signal=signal)
    return advise(found, replace(ENDING, **known)) if found else None


def cause_of(line: str) -> str:
    made = diagnose(TRACEBACK + line + "\n")
    return made.cause.value if made else ""


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("ModuleNotFoundError: No module named 'torch'", "missing-package"),
        ("[3] ModuleNotFoundError: No module named 'torch.fx'", "missing-package"),
        ("/usr/bin/python3: No module named tqdm", "missing-package"),
        ("/w/script.sh: line 3: torchrun: command not found", "command-not-found"),
        ("env: ‘torchrun’: No such file or directory", "command-not-found"),
        ("AssertionError: Torch not compiled with CUDA enabled", "no-gpu"),
        ("RuntimeError: No CUDA GPUs are available", "no-gpu"),
        (
            "RuntimeError: Found no NVIDIA driver on your system. Please check that you have",
            "no-gpu",
        ),
        (
            "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.",
            "no-gpu",
        ),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.",
            "gpu-memory",
        ),
        ("MemoryError", "out-of-memory"),
        (
            "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array",
            "out-of-memory",
        ),
        (
            "RuntimeError: [enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory",
            "out-of-memory",
        ),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'",
            "file-not-found",
        ),
        (
            "python: can't open file '/w/tasks/t1/train.py': [Errno 2] No such file or directory",
            "file-not-found",
        ),
        ("cat: train.txt: No such file or directory", "file-not-found"),
        ("PermissionError: [Errno 13] Permission denied: '/opt/x'", "permission"),
        ("bash: ./run.sh: Permission denied", "permission"),
        ("OSError: [Errno 28] No space left on device", "disk-full"),
        ("OSError: [Errno 122] Disk quota exceeded: '/home/ada/x'", "disk-full"),
        ("ValueError: the loss is nan", ""),
    ],
)
def test_an_error_is_known_by_its_line(line: str, cause: str) -> None:
    assert cause_of(line) == cause


def test_the_file_that_may_not_be_used_is_named() -> None:
    made = diagnose("command.sh: line 1: ./run.sh: Permission denied\n")
    assert made is not None and "`./run.sh`" in made.title


def test_the_last_error_counts_and_not_one_that_was_handled() -> None:
    handled = "warning: ModuleNotFoundError: No module named 'apex', continuing without\n"
    made = diagnose(handled + TRACEBACK + "FileNotFoundError: [Errno 2] No such file: 'a.csv'\n")
    assert made is not None and made.cause.value == "file-not-found" and "`a.csv`" in made.title


@pytest.mark.parametrize(
    ("module", "package"),
    [("torch", "torch"), ("yaml", "pyyaml"), ("sklearn.svm", "scikit-learn"), ("cv2", None)],
)
def test_a_missing_package_is_added_with_one_change(module: str, package: str | None) -> None:
    package = package or "opencv-python-headless"
    environment = {"requirements": ["numpy==2.0"], "python": "3.12"}
    spec = {"run": "python x.py", "environment": environment}
    made = diagnose(f"ModuleNotFoundError: No module named '{module}'\n", spec=spec)
    assert made is not None and made.fix is not None
    assert made.fix.label == f"Add {package} to the Python packages and rerun"
    changed = changed_spec(spec, made.fix, "alpha")
    assert changed["environment"] == {"requirements": ["numpy==2.0", package], "python": "3.12"}
    assert (changed["run"], changed["on"]) == ("python x.py", "alpha")
    assert environment["requirements"] == ["numpy==2.0"], "the old spec stays as it is"


def test_a_spec_without_an_environment_gets_one() -> None:
    made = diagnose("ModuleNotFoundError: No module named 'torch'\n")
    assert made is not None and made.fix is not None
    assert changed_spec(ENDING.spec, made.fix, "alpha")["environment"] == {
        "requirements": ["torch"]
    }


def test_a_name_that_anybody_may_have_registered_is_not_installed_with_one_click() -> None:
    made = diagnose("ModuleNotFoundError: No module named 'my_utils'\n")
    assert made is not None and made.fix is None
    assert "your own module" in made.hint


def test_a_module_that_was_not_sent_is_no_package() -> None:
    left_out = ["src/model.py (listed in .gitignore or .diamondignore)"]
    made = diagnose("ModuleNotFoundError: No module named 'model'\n", left_out=left_out)
    assert made is not None and made.fix is None
    assert "src/model.py (listed in .gitignore" in made.hint


@pytest.mark.parametrize("line", ["torch==2.13.0", "torch>=2", "Torch", "torch[x]"])
def test_a_package_that_is_listed_already_is_not_listed_twice(line: str) -> None:
    spec = {"run": "x", "environment": {"requirements": [line]}}
    made = diagnose("ModuleNotFoundError: No module named 'torch'\n", spec=spec)
    assert made is not None and made.fix is None and "another Python" in made.hint


def test_torchvision_is_not_torch() -> None:
    spec = {"run": "x", "environment": {"requirements": ["torchvision"]}}
    made = diagnose("ModuleNotFoundError: No module named 'torch'\n", spec=spec)
    assert made is not None and made.fix is not None


def test_packages_of_a_named_image_are_changed_there() -> None:
    spec = {"run": "x", "environment": "mine"}
    made = diagnose("ModuleNotFoundError: No module named 'torch'\n", spec=spec)
    assert made is not None and made.fix is None and "image `mine`" in made.hint


def test_a_gpu_is_requested_where_there_are_some() -> None:
    line = "RuntimeError: No CUDA GPUs are available\n"
    made = diagnose(line)
    assert made is not None and made.fix is not None
    assert made.fix.changes == {"resources.gpus_per_node": 1}
    none = diagnose(line, has_gpus=False)
    assert none is not None and none.fix is None and "alpha has no GPUs" in none.hint
    had = diagnose(line, resources=Resources(gpus_per_node=1))
    assert had is not None and had.fix is None and "without CUDA" in had.hint


@pytest.mark.parametrize(
    ("had", "memory"), [(0, "16GB"), (1024, "2GB"), (1536, "3GB"), (100, "200MB")]
)
def test_memory_is_doubled(had: int, memory: str) -> None:
    made = diagnose(reason=Reason.OUT_OF_MEMORY, resources=Resources(memory_mb=had))
    assert made is not None and made.fix is not None
    assert made.fix.changes == {"resources.memory": memory}


def test_a_kill_without_a_word_is_most_likely_memory() -> None:
    made = diagnose("step 5\n", reason=Reason.SIGNAL, signal=9)
    assert made is not None and made.cause.value == "out-of-memory" and "most likely" in made.title
    assert diagnose("step 5\n", reason=Reason.SIGNAL, signal=11) is None


def test_a_time_limit_without_a_checkpoint_says_so() -> None:
    made = diagnose(reason=Reason.WALL_TIME, resources=Resources(walltime_minutes=90))
    assert made is not None and made.fix is not None
    assert made.title == "The time limit of 1h30m was reached"
    assert "left no checkpoint" in made.hint
    assert made.fix.changes == {"resources.walltime": "180m"}
    saved = diagnose(reason=Reason.WALL_TIME, has_checkpoint=True, may_resume=True)
    assert saved is not None and saved.fix is None and "diamond resume t1" in saved.hint


@pytest.mark.parametrize("reason", [Reason.PREEMPTED, Reason.NODE_LOST, Reason.BY_SITE])
def test_what_the_site_ended_runs_again_as_it_was(reason: Reason) -> None:
    made = diagnose("MemoryError\n", reason=reason)
    assert made is not None and made.cause.value == "ended-by-site"
    assert made.fix is not None and made.fix.changes == {}


def test_a_data_file_that_gitignore_holds_back_is_named() -> None:
    line = "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'\n"
    made = diagnose(line, left_out=["data/train.bin (listed in .gitignore or .diamondignore)"])
    assert made is not None and "It was not sent with your code: data/train.bin" in made.hint


def test_long_lines_are_read_in_linear_time() -> None:
    text = ("exec ‘" + "a/" * 500_000 + "\n") * 3 + "FileNotFoundError: " + " '" * 500_000
    assert len(text) > 1000 * LONGEST_LINE
    find_cause(Reason.EXIT_CODE, [text])
