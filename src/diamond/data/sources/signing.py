"""AWS Signature Version 4 of requests to S3-compatible storage, with the standard library alone.

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

from __future__ import annotations

import hashlib
import hmac
import time
import urllib.parse
from dataclasses import dataclass
from typing import Dict, Mapping, Optional, Sequence, Tuple

EMPTY = hashlib.sha256(b"").hexdigest()
_SAFE = "-_.~"


@dataclass(frozen=True)
class Keys:
    access: str
    secret: str
    session: str = ""


def signed_headers(
    method: str,
    url: str,
    keys: Keys,
    *,
    region: str,
    headers: Optional[Mapping[str, str]] = None,
    payload: str = EMPTY,
    now: Optional[float] = None,
) -> Dict[str, str]:
    """The headers to send, with the signature. `payload`: the SHA-256 of the body in hex."""
    parts = urllib.parse.urlsplit(url)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() if now is None else now))
    sent = {
        "Host": parts.netloc,
        "X-Amz-Content-Sha256": payload,
        "X-Amz-Date": stamp,
        **({"X-Amz-Security-Token": keys.session} if keys.session else {}),
        **(headers or {}),
    }
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    names, canonical = _canonical(method, parts, sent, payload)
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    signature = hmac.new(_key(keys, stamp[:8], region), text.encode(), hashlib.sha256).hexdigest()
    credential = f"Credential={keys.access}/{scope}"
    sent["Authorization"] = (
        f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"
    )
    return sent


def quoted(path: str) -> str:
    """A key as it stands in a URL: everything but `/` and the unreserved characters is escaped."""
    return urllib.parse.quote(path, safe="/" + _SAFE)


def query_string(pairs: Sequence[Tuple[str, str]]) -> str:
    """Sorted and escaped, as it is signed."""
    escaped = [
        (urllib.parse.quote(name, safe=_SAFE), urllib.parse.quote(value, safe=_SAFE))
        for name, value in pairs
    ]
    return "&".join(f"{name}={value}" for name, value in sorted(escaped))


def _canonical(
    method: str, parts: urllib.parse.SplitResult, headers: Mapping[str, str], payload: str
) -> Tuple[str, str]:
    lowered = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    names = ";".join(sorted(lowered))
    lines = "".join(f"{name}:{lowered[name]}\n" for name in sorted(lowered))
    return names, "\n".join([method, parts.path or "/", parts.query, lines, names, payload])


def _key(keys: Keys, day: str, region: str) -> bytes:
    key = f"AWS4{keys.secret}".encode()
    for word in (day, region, "s3", "aws4_request"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    return key
