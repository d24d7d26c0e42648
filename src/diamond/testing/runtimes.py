"""The conformance suite for runtimes. Inherit the class, name the runtime and an ordinary account, run pytest.

    class TestMine(RuntimeConformance):
        runtime = "apptainer"

        @pytest.fixture(scope="class")
        def bench(self, …) -> Bench:
            return Bench(folder, account, base=…)

Everything goes through the real builder as an unprivileged account, like a cluster user's.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from diamond.core.ids import new_id
from diamond.testing.wait import wait_until

PATIENCE_SECONDS = 170.0
SECRET = "s3cret-of-the-index"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nthe site's own\n-----END CERTIFICATE-----\n"
ODD_COMMAND = """echo 'single "double" $HOME `date`' "and \\"more\\"" >>{place}
cat >>{place} <<'END'
$(touch /tmp/never) ; & | > é
END
"""


RENAMING = """\
mkdir /opt/new
before=$(ls -id /opt/new)
mv /opt/new /opt/named
after=$(ls -id /opt/named)
test "${before%% *}" = "${after%% *}"
rm -r /opt/old
mkdir /opt/old
"""
"""`mv` copies where a folder cannot be renamed; a changed inode shows that."""


@dataclass(frozen=True)
class Account:
    """How to run commands as an ordinary user of the machine."""

    prefix: Sequence[str]
    """Put before every command; ends with `env` and its variables."""
    builder: Sequence[str]
    """The command of the builder, without its arguments."""
    patience: float = PATIENCE_SECONDS

    def run(self, command: Sequence[str], **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(command, variables),
            capture_output=True,
            text=True,
            timeout=self.patience,
            check=False,
            cwd="/",
        )

    def start(self, command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as sink:
            return subprocess.Popen(
                self._command(command, {}), stdout=sink, stderr=subprocess.STDOUT, cwd="/"
            )

    def _command(self, command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
        given = [f"{name}={value}" for name, value in variables.items()]
        return [*self.prefix, *given, *command]


@dataclass(frozen=True)
class Built:
    """The result of one call of the builder."""

    code: int
    log: str
    events: list[dict[str, Any]]
    file: Path
    """Its `build.json`."""

    def steps(self, event: str) -> list[str]:
        return [str(reported["step"]) for reported in self.events if reported["event"] == event]

    def last(self, event: str) -> dict[str, Any]:
        matches = [reported for reported in self.events if reported["event"] == event]
        assert matches, f"no event {event}:\n{self.log}"
        return matches[-1]

    @property
    def record(self) -> dict[str, Any]:
        assert self.code == 0, self.log
        record: dict[str, Any] = self.last("image")["record"]
        return record


@dataclass(frozen=True)
class Bench:
    """A work folder of an account, and the builds in it."""

    folder: Path
    """Writable by the account."""
    account: Account
    runtime: str
    environment: Mapping[str, Any] = field(default_factory=dict)
    """The common part of every build: a tiny base."""

    def prepare(self, *, site: Mapping[str, Any] | None = None, **changes: Any) -> Path:
        """Write a `build.json` for the environment with these changes."""
        place = self.folder / new_id("b")
        place.mkdir(mode=0o777)
        place.chmod(0o777)
        build = {"environment": {**self.environment, **changes}, "runtime": self.runtime}
        request = {"build": build, "work": str(self.work), "tmp": "/tmp", "name": place.name}
        (place / "build.json").write_text(json.dumps({**request, "site": dict(site or {})}))
        return place / "build.json"

    def build(self, *, site: Mapping[str, Any] | None = None, **changes: Any) -> Built:
        return self.finished(self.start(self.prepare(site=site, **changes)))

    def start(self, file: Path) -> tuple[subprocess.Popen[bytes], Path]:
        command = [*self.account.builder, "run", str(file), "--steps", str(file.parent / "steps")]
        return self.account.start(command, file.parent / "log"), file

    def finished(self, started: tuple[subprocess.Popen[bytes], Path]) -> Built:
        process, file = started
        code = process.wait(self.account.patience)
        steps = file.parent / "steps"
        lines = steps.read_text().splitlines() if steps.exists() else []
        log = (file.parent / "log").read_text(errors="replace")
        return Built(code, log, [json.loads(line) for line in lines], file)

    def enter(self, built: Built, *options: str) -> subprocess.CompletedProcess[str]:
        """Write the script that runs commands inside the image."""
        script = built.file.parent / "enter.sh"
        command = ["enter", str(built.file), "--script", str(script), *options]
        return self.account.run([*self.account.builder, *command])

    def inside(self, built: Built, command: str, *options: str, **variables: str) -> str:
        """The output of a command inside the image."""
        entered = self.enter(built, *options)
        assert entered.returncode == 0, entered.stdout + entered.stderr
        script = str(built.file.parent / "enter.sh")
        done = self.account.run(["bash", script, "sh", "-c", command], **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def work(self) -> Path:
        return self.folder / "work"


class RuntimeConformance:
    runtime = ""
    place = "/opt/made"
    """A file that build commands may write."""
    isolates = True
    """Whether programs inside cannot see the account's home."""

    file_place = "/opt/given.txt"
    file_inside = "/opt/given.txt"
    """Where a file is added, and its path for a shell inside."""
    takes_odd_paths = False
    """Whether a path with a comma can be mounted."""

    has_root = True
    """Whether files that a build makes belong to another account inside than the program runs as."""

    @property
    def last_steps(self) -> list[str]:
        """A container's test runs in the finished file."""
        return ["pack", "test"] if self.isolates else ["test", "pack"]

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls) -> Iterator[Bench]:
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def first(cls, bench: Bench) -> Built:
        """An image with a variable, a file and two commands."""
        built = bench.build(**cls.recipe("echo two >>{place}"))
        assert built.code == 0, built.log
        return built

    @classmethod
    def recipe(cls, last: str) -> dict[str, Any]:
        commands = [f"echo one >{cls.place}", last.format(place=cls.place)]
        return {
            "variables": {"GREETING": 'it\'s "so" $HOME'},
            "files": [{"to": cls.file_place, "text": "from a file\n", "mode": 0o755}],
            "commands": commands,
            "test": f"test -s {cls.place}",
            "labels": {"team": "climate"},
        }

    def test_a_program_finds_what_the_recipe_names(self, bench: Bench, first: Built) -> None:
        command = f'cat {self.place} {self.file_inside}; echo "$GREETING"; ls -l {self.file_inside}'
        said = bench.inside(first, command).splitlines()
        assert said[:4] == ["one", "two", "from a file", 'it\'s "so" $HOME']
        assert said[4].startswith("-rwxr-xr-x")

    def test_each_step_has_its_own_part_of_the_log(self, first: Built) -> None:
        planned = [step["name"] for step in first.last("plan")["steps"]]
        assert planned[0] == "base"
        assert planned[-4:] == ["command-1", "command-2", *self.last_steps]
        assert [*first.steps("cached"), *first.steps("ended")] == planned
        content = first.log.encode()
        ended = next(
            event
            for event in first.events
            if event.get("step") == "command-2" and "log_to" in event
        )
        assert content[ended["log_from"] : ended["log_to"]].startswith(b"==> command-2")
        assert ended["exit_code"] == 0
        assert ended["seconds"] >= 0

    def test_the_record_tells_what_was_built(self, first: Built) -> None:
        record = first.record
        assert record["identity"] == first.last("plan")["identity"]
        assert record["labels"] == {"team": "climate"}
        assert record["size"] > 0
        assert Path(record["file"]).exists()
        assert record["runtime"] == self.runtime

    def test_the_same_again_is_found_and_not_built(self, bench: Bench, first: Built) -> None:
        again = bench.build(**self.recipe("echo two >>{place}"))
        assert again.last("image")["reused"]
        assert again.record["sha256"] == first.record["sha256"]
        assert again.steps("started") == []

    def test_a_changed_last_step_is_the_only_one_that_runs(
        self, bench: Bench, first: Built
    ) -> None:
        changed = bench.build(**self.recipe(ODD_COMMAND))
        assert changed.steps("started") == ["command-2", *self.last_steps], changed.log
        expected = 'one\nsingle "double" $HOME `date` and "more"\n$(touch /tmp/never) ; & | > é\n'
        assert bench.inside(changed, f"cat {self.place}") == expected

    @pytest.fixture(scope="class")
    @classmethod
    def broken(cls, bench: Bench, first: Built) -> Built:
        """A build whose second command changes something, then fails."""
        return bench.build(**cls.recipe("echo half >>{place}; no-such-program --x"))

    def test_a_failed_step_is_told_and_resumed_from(self, bench: Bench, broken: Built) -> None:
        failed = broken.last("failed")
        assert broken.code == 1
        assert (failed["step"], failed["cause"]) == ("command-2", "command-not-found")
        assert any("no-such-program" in line for line in failed["last_lines"])
        assert failed["shell"][-1] == "command-2"
        fixed = bench.build(**self.recipe("echo mended >>{place}"))
        assert fixed.steps("started") == ["command-2", *self.last_steps], fixed.log
        assert bench.inside(fixed, f"cat {self.place}") == "one\nmended\n"

    def test_a_failed_test_leaves_no_image(self, bench: Bench, first: Built) -> None:
        wanted = {**self.recipe("echo two >>{place}"), "test": "exit 7"}
        broken = bench.build(**wanted)
        assert broken.code == 1
        assert (broken.last("failed")["step"], broken.last("failed")["exit_code"]) == ("test", 7)
        assert bench.enter(broken).returncode == 1

    def test_a_test_runs_as_the_person_whose_job_it_will_be(self, bench: Bench) -> None:
        """Not as the root of a build: a file that only root can read fails the test, not every job after it."""
        if not self.isolates or not self.has_root:
            pytest.skip(f"with {self.runtime}, the files of an image belong to the person")
        closed = f"echo closed >{self.place}; chmod 600 {self.place}"
        broken = bench.build(commands=[closed], test=f"echo here >note; cat note {self.place}")
        failed = broken.last("failed")
        assert (failed["step"], failed["cause"]) == ("test", "permission"), broken.log
        wanted = f'cat {self.place}; [ "$(id -u)" = "$(stat -c %u .)" ]'
        built = bench.build(commands=[f"{closed}; chmod 644 {self.place}"], test=wanted)
        assert built.code == 0, built.log

    def test_the_debugger_opens_just_before_the_failure(self, bench: Bench, broken: Built) -> None:
        """Whatever is typed there, files of the folder that it was opened from stay."""
        shell, here = broken.last("failed")["shell"], bench.folder / new_id("here")
        here.mkdir(mode=0o777)
        here.chmod(0o777)
        (here / "precious").write_text("a person's own file")
        process = subprocess.Popen(
            [*bench.account.prefix, *shell],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=here,
        )
        typed = f"cat {self.place}\nrm -f precious\nexit 5\n"
        said, _ = process.communicate(typed.encode(), PATIENCE_SECONDS)
        assert said.splitlines()[-1] == b"one"
        assert process.returncode == 5
        assert (here / "precious").exists()
        assert _left_in(bench.work / "images" / "building") == []

    def test_a_relative_file_is_there_for_the_next_command(self, bench: Bench) -> None:
        """Also when the command that made it comes from the cache."""
        make = f"echo {new_id('made')} >relative-file"
        for last in ("cat relative-file", "cat relative-file; true"):
            built = bench.build(commands=[make, last])
            assert built.code == 0, built.log
        assert built.steps("cached")[-1] == "command-1"

    def test_a_cancel_ends_the_step_and_leaves_the_steps_before(
        self, bench: Bench, first: Built
    ) -> None:
        mark = new_id("sleep")
        recipe = self.recipe(f"echo {mark}; sleep 3600; echo {mark}")
        started = bench.start(bench.prepare(**recipe))
        log = started[1].parent / "log"
        wait_until(lambda: f"\n{mark}" in log.read_text(), seconds=PATIENCE_SECONDS)
        os.kill(_builder_of(started[0].pid), signal.SIGTERM)
        cancelled = bench.finished(started)
        assert cancelled.code == 130, cancelled.log
        wait_until(lambda: not _running(started[1].parent.name), seconds=PATIENCE_SECONDS)
        assert _left_in(bench.work / "images" / "building") == []

    def test_what_a_killed_build_left_is_swept_by_the_next(
        self, bench: Bench, first: Built
    ) -> None:
        mark, seconds = new_id("killed"), str(10**9 + time.monotonic_ns() % 10**9)
        started = bench.start(bench.prepare(**self.recipe(f"echo {mark}; sleep {seconds}")))
        log = started[1].parent / "log"
        wait_until(lambda: f"\n{mark}" in log.read_text(), seconds=PATIENCE_SECONDS)
        builder = _builder_of(started[0].pid)
        children = _descendants(builder)
        os.kill(builder, signal.SIGKILL)
        started[0].wait(PATIENCE_SECONDS)
        for child in children:
            _kill(child)
        again = bench.build(**self.recipe(f"echo {mark} >>{{place}}"))
        assert again.code == 0, again.log
        assert _left_in(bench.work / "images" / "building") == []
        wait_until(lambda: not _running(seconds), seconds=PATIENCE_SECONDS)

    def test_folders_are_renamed_and_replaced_as_anywhere(self, bench: Bench) -> None:
        """Package managers rename new folders, and recreate old ones empty."""
        if not self.isolates:
            pytest.skip(f"{self.runtime} is not a container: it uses the machine's own folders")
        built = bench.build(commands=["mkdir -p /opt/old/inner; touch /opt/old/file", RENAMING])
        assert built.code == 0, built.log
        assert bench.inside(built, "ls /opt; ls /opt/old").split() == ["named", "old"]

    def test_two_at_once_build_one(self, bench: Bench, first: Built) -> None:
        recipe = self.recipe(f"echo {new_id('twice')} >>{{place}}")
        started = [bench.start(bench.prepare(**recipe)) for _ in range(2)]
        built = [bench.finished(build) for build in started]
        assert [build.code for build in built] == [0, 0], built[0].log + built[1].log
        assert sorted(bool(build.steps("started")) for build in built) == [False, True]
        assert built[0].record["sha256"] == built[1].record["sha256"]

    def test_nothing_of_the_persons_shell_leaks_in(self, bench: Bench, first: Built) -> None:
        if not self.isolates:
            pytest.skip(f"{self.runtime} is not a container: it shares the account's files")
        home = bench.account.run(["sh", "-c", "cd; pwd"]).stdout.strip()
        bench.account.run(["sh", "-c", "mkdir -p ~/.local; echo private >~/.local/diamond-leak"])
        said = bench.inside(
            first,
            f"env; cat {home}/.local/diamond-leak 2>/dev/null || echo no home",
            *("--variable", "BATCH_*"),
            MY_OWN="leaked",
            PYTHONPATH="/leaked",
            DIAMOND_RUN="7",
            BATCH_JOB_ID="42",
        )
        assert "no home" in said
        assert "leaked" not in said
        assert "DIAMOND_RUN=7" in said
        assert "BATCH_JOB_ID=42" in said
        assert "PYTHONNOUSERSITE=1" in said

    def test_named_folders_are_seen_and_can_be_written(self, bench: Bench, first: Built) -> None:
        data = bench.folder / f"data, {new_id('d')}" if self.takes_odd_paths else bench.folder / "d"
        data.mkdir(exist_ok=True)
        data.chmod(0o777)
        (data / "input").write_text("42")
        options = ["--bind", str(data), "--folder", str(data)]
        assert bench.inside(first, "cat input; echo done >output; pwd", *options).split("42")[1]
        assert (data / "output").read_text() == "done\n"

    def test_a_sites_settings_are_not_baked_in(self, bench: Bench, tmp_path: Path) -> None:
        certificate = bench.folder / "site-ca.crt"
        certificate.write_text(CERTIFICATE)
        site = {"ca": str(certificate), "index": f"https://me:{SECRET}@index.invalid/simple"}
        look = f'echo "index $UV_INDEX_URL"; grep -c site "$SSL_CERT_FILE" >{self.place}'
        built = bench.build(site=site, commands=[look])
        assert built.code == 0, built.log
        assert "index https://me:***@index.invalid" in built.log
        assert bench.inside(built, f"cat {self.place}") == "1\n"
        content = self.everything_in(built, tmp_path)
        assert b"index.invalid" not in content
        assert b"the site's own" not in content
        assert SECRET not in built.log + json.dumps(built.events)
        assert "UV_INDEX_URL" not in bench.inside(built, "env")

    def everything_in(self, built: Built, folder: Path) -> bytes:
        """All bytes of the unpacked image."""
        raise NotImplementedError

    def test_a_tampered_file_is_refused(self, bench: Bench) -> None:
        built = bench.build(commands=[f"echo {new_id('tampered')} >{self.place}"])
        file = Path(built.record["file"])
        if file.is_dir():
            pytest.skip("a virtual environment has no file and is never transferred")
        file.chmod(0o644)
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        refused = bench.enter(built)
        assert refused.returncode == 1
        assert "is not what its digest says" in refused.stdout
        file.write_bytes(content[: len(content) // 2])
        assert "is not what its digest says" in bench.enter(built).stdout


def _builder_of(pid: int) -> int:
    """The Python process below `runuser` and `env`."""
    return next(
        process
        for process in [pid, *_descendants(pid)]
        if b"python" in Path(f"/proc/{process}/exe").resolve().name.encode()
    )


def _descendants(pid: int) -> list[int]:
    descendants = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(status.parent.name)
            descendants += [child, *_descendants(child)]
    return descendants


def _running(mark: str) -> list[str]:
    """Processes whose command line contains this text."""
    running = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command_line = file.read_bytes()
        except OSError:
            continue
        if mark.encode() in command_line:
            running.append(command_line.replace(b"\0", b" ").decode(errors="replace"))
    return running


def _left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
