"""What is inside an image, learned from inside: packages of the system and of Python, with versions."""

from __future__ import annotations

from typing import Dict, Tuple

from diamond.images.scripts import VENV

INVENTORY = f"""\
exec 2>/dev/null
diamond_venv=${{diamond_venv:-{VENV}}}
echo "[system]"
if [ -n "${{diamond_bare:-}}" ]; then :
elif [ -s /var/lib/dpkg/status ]; then dpkg-query -W -f '${{Package}} ${{Version}}\\n'
elif [ -d /var/lib/rpm ] || [ -d /usr/lib/sysimage/rpm ]; then rpm -qa --queryformat '%{{NAME}} %{{VERSION}}-%{{RELEASE}}\\n'
elif [ -d /lib/apk/db ]; then apk info -v 2>/dev/null | sed 's/^\\(.*\\)-\\([0-9][^-]*-r[0-9]*\\)$/\\1 \\2/'
fi
echo "[python]"
for one in "$diamond_venv"/lib/python3*/site-packages/*.dist-info; do
  [ ! -d "$one" ] || basename "$one" .dist-info
done
echo "[interpreter]"
if [ -x "$diamond_venv/bin/python" ]; then "$diamond_venv/bin/python" --version
elif command -v python3 >/dev/null 2>&1; then python3 --version
fi
"""


def read_inventory(text: str) -> Tuple[Dict[str, Dict[str, str]], str]:
    """Packages by kind with their versions, and the version of Python ('' where there is none)."""
    inventory: Dict[str, Dict[str, str]] = {"system": {}, "python": {}}
    kind, python = "", ""
    for line in text.splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif kind == "interpreter":
            python = line.replace("Python", "").strip() or python
        elif kind in inventory and line.strip():
            name, version = _split(line.strip(), "-" if kind == "python" else " ")
            inventory[kind][name] = version
    return inventory, python


def _split(line: str, mark: str) -> Tuple[str, str]:
    name, _, version = line.rpartition(mark) if mark == "-" else line.partition(mark)
    return (name, version) if name else (version, "")
