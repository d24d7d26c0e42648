"""Every error a person can meet.

DiamondError
├── BadRequest            what was asked cannot be done as written
│   ├── InvalidRequest    fields that are unknown, missing or of another kind
│   └── InvalidSpec       a spec has faults; all of them are listed
├── NotSignedIn           no valid token or cookie
├── Forbidden             signed in, but not allowed
├── NotFound              no such thing, or not yours
│   └── Cleaned           it was there, and was removed to make room
├── Conflict              the thing is in another state, or the name is taken
├── TooLarge              over a stated limit
├── TooMany               more calls in a minute than this service takes from one caller
├── EndpointAway          the endpoint does not answer now
├── Refused               the batch system said no; nothing was queued
├── Unanswered            the batch system did not answer; it may have acted
├── EnvironmentFailed     what the program runs inside could not be made
├── ImageChanged          an image file is not what its digest says
├── Cancelled             cancelled before it was done
└── ServiceUnreachable    no Diamond service at that address
"""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Optional, Type


class DiamondError(Exception):
    """A failure with words for a scientist and a next step."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        faults: Optional[List[Dict[str, str]]] = None,
        code: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.faults = faults or []
        self.detail_code = code or self.code

    def as_problem(self) -> Dict[str, Any]:
        """The problem+json body (RFC 9457)."""
        problem: Dict[str, Any] = {
            "type": "about:blank",
            "title": self.message,
            "status": self.status,
            "code": self.detail_code,
            "hint": self.hint,
            "retryable": self.retryable,
        }
        if self.faults:
            problem["faults"] = self.faults
        return problem


class BadRequest(DiamondError):
    code = "bad-request"
    status = 400


class InvalidRequest(BadRequest):
    """Fields that are unknown, missing or of another kind; `faults` lists each."""

    code = "invalid-request"
    status = 422


class InvalidSpec(BadRequest):
    """`faults` lists each: {"field": …, "message": …, "hint": …}."""

    code = "invalid-spec"
    status = 422


class NotSignedIn(DiamondError):
    code = "not-signed-in"
    status = 401


class Forbidden(DiamondError):
    code = "forbidden"
    status = 403


class NotFound(DiamondError):
    code = "not-found"
    status = 404


class Cleaned(NotFound):
    """The run directory was removed by `diamond clean` or the endpoint's own limits."""

    code = "cleaned"


class Conflict(DiamondError):
    code = "conflict"
    status = 409


class TooLarge(DiamondError):
    code = "too-large"
    status = 413


class TooMany(DiamondError):
    code = "too-many"
    status = 429
    retryable = True


class EndpointAway(DiamondError):
    code = "endpoint-away"
    status = 503
    retryable = True


class Refused(DiamondError):
    code = "refused"
    status = 422


class Unanswered(DiamondError):
    code = "unanswered"
    status = 503
    retryable = True


class EnvironmentFailed(DiamondError):
    code = "environment-failed"
    status = 422


class ImageChanged(DiamondError):
    code = "image-changed"
    status = 409


class DataChanged(DiamondError):
    """Files of a tree are no longer as they were registered."""

    code = "data-changed"
    status = 409


class NoRoom(DiamondError):
    """Data does not fit into a quota or onto a disk."""

    code = "no-room"
    status = 409


class Cancelled(DiamondError):
    code = "cancelled"
    status = 409


class ServiceUnreachable(DiamondError):
    code = "service-unreachable"
    status = 503
    retryable = True


def error_classes() -> Dict[str, Type[DiamondError]]:
    """Each error class by its code, for turning a problem back into an exception."""
    classes: Dict[str, Type[DiamondError]] = {}
    pending: List[Type[DiamondError]] = [DiamondError]
    while pending:
        cls = pending.pop()
        classes[cls.code] = cls
        pending.extend(cls.__subclasses__())
    return classes


def from_problem(problem: Dict[str, Any]) -> DiamondError:
    """The exception that a problem+json body stands for; an unknown code keeps its words."""
    code = str(problem.get("code", "internal"))
    cls = error_classes().get(code) or _by_status(int(problem.get("status", 500)))
    return cls(
        str(problem.get("title", "The service failed")),
        str(problem.get("hint", "")),
        faults=problem.get("faults"),
        code=code,
    )


def _by_status(status: int) -> Type[DiamondError]:
    """The general one: it is defined before those that say more."""
    for cls in DiamondError.__subclasses__():
        if cls.status == status:
            return cls
    return DiamondError
