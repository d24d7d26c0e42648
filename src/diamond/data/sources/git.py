"""A commit of a git repository, cloned with the person's own git."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List

from diamond.core.errors import Forbidden
from diamond.core.redact import without_credentials
from diamond.data.sources.address import COMMIT, Repository
from diamond.data.sources.items import Listing, SourceDown, SourceError
from diamond.data.sources.web import Web

_AWAY = re.compile(
    r"could not resolve|unable to access|connection (?:refused|reset|timed out)|early eof|remote end hung up",
    re.IGNORECASE,
)
_LINES = 3


@dataclass(frozen=True)
class GitSource:
    address: Repository
    web: Web
    folder: Path
    """Where the clone is kept while it is under way, so that another try continues."""
    secret: str = field(default="", repr=False)
    """A token, or USER:TOKEN."""

    def look(self) -> Listing:
        """Only the commit: what a repository holds is known once it is here."""
        self._check()
        commit = self._commit()
        named = f"git+{without_credentials(self.address.url)}@{commit}"
        return Listing("git", named, commit)

    def fetch(self, commit: str, target: Path) -> str:
        """Lay the commit's files below `target`; gives the date of the commit."""
        clone = self.folder / "clone"
        if not (clone / "HEAD").exists():
            shutil.rmtree(clone, ignore_errors=True)
            clone.mkdir(parents=True, mode=0o700)
            self._git(["init", "--quiet", "--bare", str(clone)])
        if (
            self._git(["-C", str(clone), "cat-file", "-e", f"{commit}^{{tree}}"], may_fail=True)
            is None
        ):
            self._fetch(clone, commit)
        target.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._git(
            [
                "-C",
                str(clone),
                f"--work-tree={target}",
                "checkout",
                "--quiet",
                "--force",
                commit,
                "--",
                ".",
            ]
        )
        self._require_no_pointers(clone, commit, target)
        date = self._git(["-C", str(clone), "show", "-s", "--format=%cI", commit]) or ""
        shutil.rmtree(clone, ignore_errors=True)
        return date.strip()

    def _fetch(self, clone: Path, commit: str) -> None:
        """The commit alone where the server gives it; otherwise everything."""
        url = self.address.url
        alone = ["-C", str(clone), "fetch", "--quiet", "--depth=1", "--no-tags", "--", url, commit]
        if self._git(alone, may_fail=True) is not None:
            return
        every = "+refs/*:refs/diamond/*"
        self._git(["-C", str(clone), "fetch", "--quiet", "--no-tags", "--", url, every])
        if (
            self._git(["-C", str(clone), "cat-file", "-e", f"{commit}^{{tree}}"], may_fail=True)
            is None
        ):
            raise SourceError(
                f"There is no commit {commit} in {without_credentials(url)}",
                "Check the commit; it must be on a branch or a tag.",
            )

    def _commit(self) -> str:
        revision = self.address.revision
        if COMMIT.fullmatch(revision):
            return revision
        listed = self._git(["ls-remote", "--", self.address.url]) or ""
        lines = [line.split("\t", 1) for line in listed.splitlines() if "\t" in line]
        known = {name: commit for commit, name in lines}
        for name in (
            f"refs/tags/{revision}^{{}}",
            f"refs/tags/{revision}",
            f"refs/heads/{revision}",
            revision,
        ):
            if name in known:
                return known[name]
        names = [
            name.split("/", 2)[-1]
            for name in known
            if name.startswith(("refs/heads/", "refs/tags/"))
        ]
        shown = ", ".join(sorted(set(names))[:10]) or "none"
        raise SourceError(
            f"{without_credentials(self.address.url)} has no branch or tag {revision!r}",
            f"Name a whole commit (40 digits), or one of: {shown}.",
        )

    def _require_no_pointers(self, clone: Path, commit: str, target: Path) -> None:
        """Where git has no LFS, it leaves pointers in place of the files: not the data that was asked for."""
        listed = self._git(["-C", str(clone), "ls-tree", "-r", "-z", "-l", commit]) or ""
        pointers = []
        for line in listed.split("\0"):
            about, _, path = line.partition("\t")
            words = about.split()
            if len(words) == 4 and words[3].isdigit() and 100 <= int(words[3]) <= 300:
                file = target / path
                if file.is_file() and not file.is_symlink() and _is_pointer(file):
                    pointers.append(path)
        if pointers:
            raise SourceError(
                f"{pointers[0]} and {len(pointers) - 1} more are pointers of Git LFS, not files"
                if len(pointers) > 1
                else f"{pointers[0]} is a pointer of Git LFS, not a file",
                "Install git-lfs on the endpoint, or fetch the files by HTTP.",
            )

    def _check(self) -> None:
        parts = urllib.parse.urlsplit(self.address.url)
        if parts.scheme == "file" and self.web.allowed:
            self.web.check(self.address.url)
        if parts.scheme != "file":
            self.web.check(self.address.url)
        if shutil.which("git") is None:
            raise Forbidden("There is no git on this machine", "Load it there, or fetch by HTTP.")

    def _git(self, arguments: List[str], *, may_fail: bool = False) -> str | None:
        done = subprocess.run(
            ["git", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=self._variables(),
            check=False,
        )
        if done.returncode == 0:
            return done.stdout.decode("utf-8", "surrogateescape")
        if may_fail:
            return None
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
        words = without_credentials(" / ".join((telling or lines)[:_LINES]))
        if _AWAY.search(words) and "403" not in words and "404" not in words:
            raise SourceDown(f"git: {words}")
        raise SourceError(
            f"git: {words}",
            "Check the address. For a private repository keep a token as a secret of the endpoint, and add --secret NAME.",
        )

    def _variables(self) -> Dict[str, str]:
        """Git asks a small program for the secret, so that it is in no argument, no file of its own and no log."""
        variables = {
            **os.environ,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "https:http:ssh:file",
            "GIT_CONFIG_NOSYSTEM": "0",
            "GIT_OPTIONAL_LOCKS": "0",
        }
        if self.secret:
            user, colon, token = self.secret.partition(":")
            asked = self.folder / "askpass.sh"
            asked.write_text(_ASKPASS)
            asked.chmod(stat.S_IRWXU)
            variables["GIT_ASKPASS"] = str(asked)
            variables["GIT_SOURCE_USER"] = user if colon else "oauth2"
            variables["GIT_SOURCE_TOKEN"] = token if colon else self.secret
        return variables


_ASKPASS = """#!/bin/sh
case "$1" in
Username*) printf '%s\\n' "$GIT_SOURCE_USER" ;;
*) printf '%s\\n' "$GIT_SOURCE_TOKEN" ;;
esac
"""


def _is_pointer(file: Path) -> bool:
    with file.open("rb") as source:
        return source.read(40).startswith(b"version https://git-lfs.github.com/spec")
