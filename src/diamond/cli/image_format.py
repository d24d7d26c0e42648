"""Images, builds and transfers as text."""

from __future__ import annotations

from typing import Any

from diamond.cli.format import time_ago
from diamond.cli.output import plural
from diamond.core.units import show_bytes

Data = dict[str, Any]


def image_row(image: Data) -> tuple[str, ...]:
    where = ", ".join(sorted({copy["endpoint"] for copy in image["copies"]}))
    base = image["base"].get("reference") or "no container"
    built = time_ago(image["built"].get("at"))
    return (
        image["name"] or "-",
        short_digest(image["identity"]),
        base,
        show_bytes(image["size"]),
        where or "no copies",
        built,
    )


def image_lines(image: Data) -> list[str]:
    built, base = image["built"], image["base"]
    lines = [
        f"{image['name'] or '(no name)'}  {image['identity']}",
        f"base      {base.get('reference') or 'none'} {base.get('digest') or ''}".rstrip(),
        f"inside    Python {image['python'] or '-'}, {plural(image['packages'], 'package')}, "
        f"{image['platform']}, {show_bytes(image['size'])}",
        f"built     {time_ago(built.get('at'))} by {built.get('user') or '?'} on {built.get('host') or '?'} "
        f"with {built.get('runtime') or '?'} in {built.get('seconds') or 0:.0f} s",
    ]
    lines += [_copy_line(copy) for copy in image["copies"]] or ["where     no copies"]
    lines += [f"transfer  {describe_transfer(move)}" for move in image["moves"]]
    lines.append(f"used by   {plural(image['uses'], 'task')}, {image['in_use']} of them still open")
    lines += [f"differs   {difference}" for difference in image["differences"]]
    return lines


def _copy_line(copy: Data) -> str:
    shared = ", shared" if copy["shared"] else ""
    sha256 = short_digest(copy["sha256"])
    return f"where     {copy['endpoint']}: {copy['format']} {sha256} {show_bytes(copy['size'])}{shared}"


def use_lines(tasks: list[Data]) -> list[str]:
    return [
        f"  {task['id']}  {task['state']:9}  {task['name']} on {task['endpoint']}, "
        f"{time_ago(task['created'])}"
        for task in tasks
    ]


def contents_lines(inside: Data) -> list[str]:
    return [
        f"{kind:7} {package['name']} {package['version']}"
        for kind in inside
        for package in inside[kind]
    ]


def diff_lines(diff: Data) -> list[str]:
    lines = [_change(field["field"], field) for field in diff["fields"]]
    for kind in ("python", "system"):
        lines += [_change(package["name"], package) for package in diff[kind]]
    return lines


def _change(name: str, values: Data) -> str:
    return f"{name}: {values['a'] or '-'} -> {values['b'] or '-'}"


def describe_transfer(move: Data) -> str:
    route = f"{move['source']} -> {move['endpoint']}" if move["source"] else move["endpoint"]
    what = move["reference"] or route
    done = f"{show_bytes(move['bytes'])} of {show_bytes(move['size'])}" if move["size"] else ""
    kinds = {"copy": "to another endpoint", "push": "to a registry", "pull": "from a registry"}
    tail = f": {move['message']}" if move["message"] else ""
    return f"{kinds[move['kind']]} ({what}), {move['state']} {done}{tail}".rstrip()


def short_digest(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]
