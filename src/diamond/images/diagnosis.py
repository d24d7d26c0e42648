"""Why a step failed, in plain words, with the fix to try: from its last lines and its exit code alone.

Patterns come from recorded outputs of the real tools (tests/unit/images/failures/).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterable, Optional, Pattern, Tuple

from diamond.images.scripts import NO_PACKAGE_MANAGER, NO_PYTHON


@dataclass(frozen=True)
class Diagnosis:
    cause: str
    """A stable code."""
    message: str
    hint: str


def diagnose(lines: Iterable[str], exit_code: int, *, step: str = "") -> Diagnosis:
    """The first cause that fits; causes that look like others' consequences come first."""
    text = "\n".join(lines)
    by_code = _by_code(exit_code, text)
    if by_code is not None:
        return by_code
    for cause, pattern, message, hint in _known():
        match = pattern.search(text)
        if match:
            return Diagnosis(cause, _filled(message, match), hint)
    return Diagnosis(
        "command-failed",
        f"The step {step or 'in question'} ended with exit code {exit_code}",
        "Its last lines tell most. Open a shell just before it, try, then edit the step and resume.",
    )


def _by_code(code: int, text: str) -> Optional[Diagnosis]:
    if code == NO_PACKAGE_MANAGER and "no package manager" in text:
        return Diagnosis(
            "no-package-manager",
            "This base has no package manager, so system packages cannot be added to it",
            "Choose a base such as Debian, Ubuntu, Rocky or Alpine, or leave `system:` out.",
        )
    if code == NO_PYTHON and "is not in this base" in text:
        return Diagnosis(
            "no-python",
            "The Python that is asked for is not in this base",
            "Add it under `system:` (Debian: python3 and python3-venv), choose a base that has it, or another `python:`.",
        )
    if code == 137 and not re.search(_DISK, text, re.I):
        return Diagnosis(
            "out-of-memory",
            "The step was killed, most likely because it used more memory than the build job has",
            "Ask for more with `resources: {memory: 16GB}`, or build with fewer parallel jobs (`MAX_JOBS=2`, `make -j2`).",
        )
    return None


def _filled(message: str, match: re.Match[str]) -> str:
    names = match.groupdict()
    return message.format(**{name: value or "?" for name, value in names.items()})


CANNOT_START = "cannot-start"
START_HINT = (
    "It needs unprivileged user namespaces, or a range of ids for you in /etc/subuid and /etc/subgid: ask your site, "
    "choose another builder with `runtime:`, or build on another endpoint and copy the image."
)
_DISK = r"no space left on device|disk quota exceeded|os error 28|os error 122|errno 28|errno 122|write error: no space"
_KNOWN_TEXT: Tuple[Tuple[str, str, str, str], ...] = (
    (
        CANNOT_START,
        r"could not use fakeroot|no mapping entry found in /etc/subuid|failed to create (?:user )?namespace|unable to create (?:user )?namespace|cannot clone: operation not permitted|unshare: [^\n]*failed|newuidmap[^\n]*(?:not permitted|failed|not found)|user namespaces? (?:are|is) (?:not enabled|disabled)|could not get rootless|container creation failed|while extracting[^\n]*fakeroot",
        "The container runtime could not start a container on this machine",
        START_HINT,
    ),
    (
        "disk-full",
        _DISK,
        "There is no room left (disk full, or your quota is used up)",
        "Remove images and layers that nobody needs, or set `build: {{cache: …, tmp: …}}` in the site profile to a larger place.",
    ),
    (
        "out-of-memory",
        r"out of memory|cannot allocate memory|oom-kill|internal compiler error: killed|virtual memory exhausted|\bMemoryError\b|fatal error: killed signal terminated program",
        "The step ran out of memory",
        "Ask for more with `resources: {{memory: 16GB}}`, or build with fewer parallel jobs (`MAX_JOBS=2`, `make -j2`).",
    ),
    (
        "architecture",
        r"exec format error|is for linux/\S+, this machine is|wrong elf class|cannot execute binary file|no (?:image|manifest) (?:found )?(?:in .* )?(?:for|matching) .*(?:arch|platform)|image platform .* does not match|invalid ELF header|\x7fELF[^\n]*: not found",
        "A program or image is for another kind of processor than this machine has",
        "Use a base and files for this machine's architecture; `diamond endpoint show` names it.",
    ),
    (
        "certificate",
        r"certificate verify failed|unable to get local issuer|self[- ]signed certificate|invalid peer certificate|unknownissuer|x509: certificate|certificate verification failed|ssl certificate problem",
        "A secure connection was refused: the certificate is not trusted in the build",
        "If your site inspects connections, set `build: {{ca: /path/to/ca.crt}}` in the site profile; it is used while building only.",
    ),
    (
        "network",
        r"temporary failure (?:in name resolution|resolving)|bad address '|could not resolve (?:host)?|name or service not known|network is unreachable|no route to host|connection (?:refused|timed out|reset by peer)|dns error|failed to lookup address|operation timed out|tls handshake timeout|i/o timeout|proxy (?:error|connect)|error sending request|client error \(connect\)",
        "The network could not be reached from where the build runs",
        "Compute nodes often have none: set `build: {{where: login}}` in the site profile, or a proxy, a mirror (`index`) or a wheel folder (`find_links`).",
    ),
    (
        "python-version",
        r"(?:python version[^\n]*does not satisfy|requires-python|requires python|requires a different python|python requirement|current python version)[^\n]*",
        "A package does not work with this version of Python",
        "Choose another `python:` (and a base that has it), or another version of the package.",
    ),
    (
        "no-wheel",
        r"no wheels? with a matching|not a supported wheel on this platform|has no (?:usable )?wheels|no matching (?:platform|abi|python) tag|only wheels are available for|has no wheels with a matching",
        "A package has no ready-made build (wheel) for this Python or this kind of machine",
        "Choose another version of the package or of Python, or add a compiler under `system:` so that it can be built from source.",
    ),
    (
        "compiler-missing",
        r"no such file or directory: '(?P<named>gcc|g\+\+|cc|c\+\+|clang|gfortran|nvcc|rustc|cargo|cmake|ninja|make)'|(?:unable to execute '?|command '?|: )(?P<program>gcc|g\+\+|cc|c\+\+|clang|gfortran|nvcc|rustc|cargo|cmake|ninja|make)'?:? (?:failed: )?(?:no such file|not found|command not found|no such file or directory)|error: command '(?P<other>\S*(?:gcc|g\+\+|cc|nvcc))' failed: no such file|no cmake_c_compiler could be found|no acceptable c compiler|unknown compiler\(s\)|cuda_home environment variable is not set|can't find rust compiler|fatal error: python\.h: no such file|(?P<third>gcc|g\+\+|cc|nvcc|cmake|make|cargo): (?:command )?not found",
        "A package must be compiled, and a compiler or its headers are not in the image",
        "Add them under `system:` (Debian: build-essential, python3-dev, cmake), use a base with the CUDA toolkit for nvcc, or choose a version that comes as a wheel.",
    ),
    (
        "package-not-found",
        r"unable to locate package (?P<package>\S+)|(?:has no installation candidate)|no match for argument:? (?P<second>\S+)|unable to find a match: (?P<third>\S+)|no matching distribution found for (?P<fourth>\S+)|(?:because )?(?P<fifth>\S+) was not found in the (?:package registry|provided package locations)|there is no version of (?P<sixth>\S+)|could not find a version that satisfies the requirement (?P<seventh>\S+)|(?P<eighth>\S+) \(no such package\)|no package (?P<ninth>\S+) available",
        "A package does not exist under that name or version",
        "Check the spelling and the version. System packages bear the names of the base's distribution.",
    ),
    (
        "conflict",
        r"no solution found when resolving|conflicting dependencies|resolutionimpossible|unsatisfiable|the following packages have unmet dependencies|held broken packages|nothing provides",
        "The packages cannot be installed together",
        "The lines above say which stand against each other; loosen or change one of them.",
    ),
    (
        "hash-mismatch",
        r"hash mismatch|hashes? (?:do not|does not|don't) match|these packages do not match the hashes",
        "A package is not the one that the lock names: it was replaced on the index, or damaged on the way",
        "Build with `upgrade` to lock again, if you trust the index.",
    ),
    (
        "permission",
        r"permission denied|operation not permitted|read-only file system|setgroups .*failed|could not switch to",
        "The step was not allowed to do something",
        "Without root of the machine some things cannot be done in a build (mounting, device nodes). If it was a package manager, this node may lack sub-ids: ask your site, or build on another endpoint.",
    ),
    (
        "command-not-found",
        r"(?P<program>[\w./+-]+): (?:command )?not found|no such file or directory: '?(?P<other>[\w./+-]+)",
        "A program that the step calls is not in the image",
        "Add its package under `system:`, or correct the name.",
    ),
)
CAUSES = tuple(dict.fromkeys([cause for cause, *_ in _KNOWN_TEXT]))


@lru_cache
def _known() -> Tuple[Tuple[str, Pattern[str], str, str], ...]:
    """Compiled when something has failed: most builds never ask."""
    return tuple(
        (cause, re.compile(pattern, re.I), message, hint.replace("{{", "{").replace("}}", "}"))
        for cause, pattern, message, hint in _KNOWN_TEXT
    )
