from __future__ import annotations

from diamond.sdk.courses import folder_names


def line(key: str, name: str, email: str = "") -> dict[str, str]:
    return {"id": key, "name": name, "email": email}


def test_everybody_has_a_folder_of_her_own_whatever_she_is_called() -> None:
    lines = [
        line("u1", "Ada", "ada@example.org"),
        line("u2", "Ada", "ADA@example.org"),
        line("u3", "Bob", "b+ob@example.org"),
        line("u4", "Bob", "b-ob@example.org"),
        line("u5", "../../etc/cron.d/x"),
        line("u6", "..", ".."),
        line("u7", "Eve", "eve@example.org"),
    ]
    names = folder_names(lines)
    assert len({name.lower() for name in names.values()}) == len(lines)
    assert names["u7"] == "eve@example.org"
    assert not any("/" in name or name.startswith(".") for name in names.values())
