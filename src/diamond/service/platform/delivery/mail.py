"""E-mail by the SMTP server of the settings."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from diamond.core.errors import BadRequest

TIMEOUT_SECONDS = 20.0
SECURITIES = ("starttls", "tls", "none")


@dataclass(frozen=True)
class Smtp:
    host: str
    port: int = 587
    security: str = "starttls"
    """starttls, tls (from the first byte), or none, for a server on the same machine."""
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""


def check_smtp(smtp: Smtp) -> None:
    if smtp.security not in SECURITIES:
        raise BadRequest(
            f"smtp_security: {smtp.security!r} is not known", f"One of: {', '.join(SECURITIES)}"
        )
    if "@" not in smtp.sender:
        raise BadRequest("smtp_from is missing", "Give the address that mail comes from.")


def send_mail(smtp: Smtp, to: str, *, subject: str, text: str, key: str) -> None:
    """Raises OSError or smtplib.SMTPException. `key` is the same for a message that is sent again."""
    message = EmailMessage()
    message["From"], message["To"] = smtp.sender, to
    message["Subject"] = " ".join(subject.split())
    message["Date"] = formatdate()
    message["Message-ID"] = f"<{key}@{make_msgid(domain='diamond').rpartition('@')[2].rstrip('>')}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    with _connect(smtp) as server:
        if smtp.user:
            server.login(smtp.user, smtp.password)
        server.send_message(message)


def _connect(smtp: Smtp) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if smtp.security == "tls":
        return smtplib.SMTP_SSL(smtp.host, smtp.port, timeout=TIMEOUT_SECONDS, context=context)
    server = smtplib.SMTP(smtp.host, smtp.port, timeout=TIMEOUT_SECONDS)
    if smtp.security == "starttls":
        server.starttls(context=context)
    return server
