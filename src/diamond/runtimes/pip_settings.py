"""The site's settings for pip (mirrors, wheel folders, certificates), passed to uv as well.

uv does not read pip's settings; without them it would pass by the site's own wheels.
Addresses are handed over by variables: an index address may hold a password, and arguments are seen by `ps`.
"""

from __future__ import annotations

import os
import sys
from configparser import Error, RawConfigParser
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Tuple

_TIMEOUTS = ("default-timeout", "timeout")
_FALSE = ("", "0", "false", "no", "off")


def pip_settings(environ: Optional[Mapping[str, str]] = None) -> Dict[str, str]:
    """What `pip config list` would say for `pip install`, also where no pip is installed."""
    environ = os.environ if environ is None else environ
    by_section: Dict[str, Dict[str, str]] = {"global": {}, "install": {}}
    for path in _config_files(environ):
        for section, values in _read(path).items():
            by_section[section].update(values)
    return {**by_section["global"], **by_section["install"], **_from_variables(environ)}


def uv_variables(settings: Mapping[str, str]) -> Dict[str, str]:
    """The same settings as variables for uv.

    pip takes the best version of all indexes together; uv only does so with `unsafe-best-match`.
    """
    uv_settings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for key, (variable, separator) in _LISTS.items():
        if settings.get(key):
            uv_settings[variable] = separator.join(settings[key].split())
    for key, variables in _VALUES.items():
        if settings.get(key):
            uv_settings.update({variable: settings[key].strip() for variable in variables})
    if _is_on(settings, "pre"):
        uv_settings["UV_PRERELEASE"] = "allow"
    return uv_settings


def uv_flags(settings: Mapping[str, str]) -> List[str]:
    """What uv takes only as an argument (uv 0.13 has no variable for `--no-index`)."""
    return ["--no-index"] if _is_on(settings, "no-index") else []


_LISTS: Dict[str, Tuple[str, str]] = {
    "extra-index-url": ("UV_EXTRA_INDEX_URL", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "constraint": ("UV_CONSTRAINT", " "),
}
_VALUES: Dict[str, Tuple[str, ...]] = {
    "index-url": ("UV_INDEX_URL",),
    "cert": ("SSL_CERT_FILE",),
    "client-cert": ("SSL_CLIENT_CERT",),
    "proxy": ("HTTP_PROXY", "HTTPS_PROXY"),
    "timeout": ("UV_HTTP_TIMEOUT",),
}


def _is_on(settings: Mapping[str, str], key: str) -> bool:
    return settings.get(key, "").strip().lower() not in _FALSE


def _config_files(environ: Mapping[str, str]) -> List[Path]:
    """Where pip looks, later files winning (pip.pypa.io/en/stable/topics/configuration)."""
    named = environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return []
    home = Path(environ.get("HOME") or Path.home())
    shared = [Path(part) for part in environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":") if part]
    own = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    files = [folder / "pip" / "pip.conf" for folder in reversed(shared)] + [Path("/etc/pip.conf")]
    files += [home / ".pip" / "pip.conf", own / "pip" / "pip.conf", Path(sys.prefix) / "pip.conf"]
    return files + ([Path(named)] if named else [])


def _read(path: Path) -> Dict[str, Dict[str, str]]:
    """The sections that count for `pip install`; a file that cannot be read counts as absent."""
    parser = RawConfigParser()
    try:
        parser.read_string(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, Error):
        return {}
    names = [name for name in ("global", "install") if parser.has_section(name)]
    return {name: {_key(key): value for key, value in parser.items(name)} for name in names}


def _from_variables(environ: Mapping[str, str]) -> Dict[str, str]:
    given = {key[4:]: value for key, value in environ.items() if key.startswith("PIP_") and value}
    return {_key(name): value for name, value in given.items()}


def _key(name: str) -> str:
    key = name.lower().replace("_", "-").lstrip("-")
    return "timeout" if key in _TIMEOUTS else key
