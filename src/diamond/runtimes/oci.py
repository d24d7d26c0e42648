"""Asking an OCI registry which digest a tag stands for; standard library, no container tool needed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Dict, Optional, Sequence

from diamond.core.errors import EnvironmentFailed
from diamond.images.bases import Base
from diamond.images.plan import BASE
from diamond.runtimes.addresses import is_plain_http, split_address
from diamond.runtimes.base import NotBegun

_MANIFESTS = ", ".join(
    [
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    ]
)


def resolve_digest(
    base: Base, *, ca: str = "", insecure: Sequence[str] = (), registry: str = ""
) -> str:
    """The digest of what a tag stands for now. Raises `EnvironmentFailed` with the registry's own words.

    `registry` is asked for names without a host; without one skopeo is, whose settings know the usual hub.
    """
    if base.digest:
        return base.digest
    host, name, tag = split_address(base, registry)
    if not host:
        return _ask_skopeo(base)
    scheme = "http" if is_plain_http(base, insecure) else "https"
    url = f"{scheme}://{host}/v2/{name}/manifests/{tag}"
    context = ssl.create_default_context(cafile=ca or None)
    try:
        return _digest(url, host, context)
    except urllib.error.HTTPError as error:
        raise _unknown(base, f"the registry answers {error.code} {error.reason}") from error
    except (OSError, ValueError) as error:
        raise _unknown(base, str(getattr(error, "reason", error))) from error


def _ask_skopeo(base: Base) -> str:
    if not shutil.which("skopeo"):
        raise NotBegun(
            BASE,
            f"The base image {base.reference} names no registry",
            "Write HOST/NAME:TAG, or NAME@sha256:…, or set `build: {registry: HOST}` in the site profile.",
        )
    command = ["skopeo", "inspect", "--format", "{{.Digest}}", f"docker://{base.address}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise _unknown(base, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "")
    return done.stdout.strip()


def _digest(url: str, host: str, context: ssl.SSLContext) -> str:
    headers = {"Accept": _MANIFESTS}
    try:
        return _ask(url, headers, context)
    except urllib.error.HTTPError as error:
        if error.code != 401:
            raise
        wanted = error.headers.get("WWW-Authenticate", "")
    return _ask(url, {**headers, "Authorization": _authorization(wanted, host, context)}, context)


def _ask(url: str, headers: Dict[str, str], context: ssl.SSLContext) -> str:
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
        digest = answer.headers.get("Docker-Content-Digest", "")
        content = answer.read()
    return str(digest) or "sha256:" + hashlib.sha256(content).hexdigest()


def _authorization(wanted: str, host: str, context: ssl.SSLContext) -> str:
    """A token as the registry describes it, with the user's own login if there is one."""
    login = _login(host)
    if wanted.lower().startswith("basic"):
        return f"Basic {login}"
    fields = dict(re.findall(r'(\w+)="([^"]*)"', wanted))
    realm = fields.pop("realm", "")
    if not realm:
        raise ValueError("the registry asks for a sign-in that is not understood")
    headers = {"Authorization": f"Basic {login}"} if login else {}
    request = urllib.request.Request(f"{realm}?{urllib.parse.urlencode(fields)}", headers=headers)
    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
        answered = json.loads(answer.read())
    return f"Bearer {answered.get('token') or answered.get('access_token')}"


def _login(host: str) -> str:
    """What `docker login`, `podman login` or `apptainer registry login` have left, or ''."""
    home = Path.home()
    for file in (
        ".docker/config.json",
        ".apptainer/docker-config.json",
        ".config/containers/auth.json",
    ):
        try:
            auths = json.loads((home / file).read_text()).get("auths", {})
        except (OSError, ValueError):
            continue
        for name, entry in auths.items():
            if host in name and entry.get("auth"):
                return str(entry["auth"])
    return ""


def _unknown(base: Base, why: Optional[str]) -> EnvironmentFailed:
    return NotBegun(
        BASE,
        f"The base image {base.reference} could not be found: {why}",
        "Check its name and tag, and that this machine may reach the registry.",
    )
