"""What `diamond up` reads before it starts anything."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from diamond.cli.doctor import home_finding
from diamond.cli.local_processes import (
    USUAL_PORT,
    choose_port,
    ensure_home,
    log_tail,
    own_command,
    read_config,
    running_client,
)
from diamond.cli.saved_links import SavedLink, bridge_pid, load_link, lock_pid_file, save_link
from diamond.cli.supervisor import RestartDelay
from diamond.core.errors import BadRequest, NotFound, ServiceUnreachable
from support.small_server import Reply, Request, serving


def test_a_config_file_holds_known_settings_only(tmp_path: Path) -> None:
    file = tmp_path / "diamond.toml"
    file.write_text('port = 9000\ndatabase_url = "postgresql://x"\n')
    assert read_config(file) == {"port": 9000, "database_url": "postgresql://x"}
    assert read_config(None) == {}
    file.write_text("prot = 9000\n")
    with pytest.raises(BadRequest, match="prot") as caught:
        read_config(file)
    assert "port" in caught.value.hint


@pytest.mark.parametrize("text", [None, "port = "])
def test_a_config_file_that_cannot_be_read_is_told(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "diamond.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BadRequest, match="Cannot read"):
        read_config(file)


def test_a_home_without_a_service_has_no_client(tmp_path: Path) -> None:
    assert running_client(tmp_path) is None
    (tmp_path / "token.json").write_text('{"url": "http://127.0.0.1:1", "token": "t"}')
    assert running_client(tmp_path) is None


def test_a_service_of_another_home_on_the_same_port_is_not_ours(tmp_path: Path) -> None:
    def other(request: Request) -> Reply:
        if request.path.endswith("/health"):
            return Reply(b'{"version": "0.1.0"}')
        return Reply(b'{"title": "no", "code": "not-signed-in"}', 401)

    with serving(other) as server:
        (tmp_path / "token.json").write_text(f'{{"url": "{server.url}", "token": "t"}}')
        assert running_client(tmp_path) is None


def test_a_home_that_cannot_be_written_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIAMOND_HOME", "/proc/self")
    with pytest.raises(BadRequest, match="Cannot write to Diamond's folder /proc/self") as caught:
        ensure_home()
    assert "DIAMOND_HOME" in caught.value.hint


def test_a_taken_port_is_replaced_by_a_free_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("diamond.cli.local_processes.USUAL_PORT", port)
        settings: dict[str, object] = {}
        choose_port(settings)
        assert settings["port"] != port
        assert f"Another program uses port {port}" in capsys.readouterr().err
        with pytest.raises(ServiceUnreachable, match=f"uses port {port}"):
            choose_port({"port": port})
    settings = {}
    choose_port(settings)
    assert settings == {} and USUAL_PORT == 8642


def test_a_command_that_is_not_on_path_is_named_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(tmp_path / ".venv" / "bin" / "diamond")])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_command() == ".venv/bin/diamond"


def test_a_process_that_keeps_dying_is_restarted_ever_more_slowly() -> None:
    delay = RestartDelay()
    pauses = [delay.died() for _ in range(20)]
    assert pauses == sorted(pauses) and pauses[-1] == 60


def test_a_home_that_is_no_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "file"))
    with pytest.raises(BadRequest, match=r"Cannot create Diamond's folder .*: File exists"):
        ensure_home()
    assert home_finding().verdict == "broken"


def test_the_last_words_of_a_log_are_quoted(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a\nb\nc\n")
    assert log_tail(tmp_path / "log", 2) == "b | c"
    assert log_tail(tmp_path / "none") == "its log is empty"


def test_a_connection_is_remembered_in_private(tmp_path: Path) -> None:
    link = SavedLink("alpha", "e1", "http://127.0.0.1:1", "key", "host", ssh_options=["Port=2"])
    save_link(tmp_path, link)
    assert load_link(tmp_path, "alpha") == link
    assert stat.S_IMODE((tmp_path / "endpoints/alpha.json").stat().st_mode) == 0o600
    with pytest.raises(NotFound):
        load_link(tmp_path, "beta")


def test_a_bridge_is_known_by_its_lock_not_by_a_number(tmp_path: Path) -> None:
    assert bridge_pid(tmp_path, "alpha") is None
    held = lock_pid_file(tmp_path, "alpha")
    assert bridge_pid(tmp_path, "alpha")
    del held
    assert bridge_pid(tmp_path, "alpha") is None
