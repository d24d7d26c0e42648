"""What can go wrong. Each error of one rank is raised on all of them."""

from __future__ import annotations


class FramesError(RuntimeError):
    """The work on a frame failed, on this rank or on another one; the message says which."""


class RankLost(FramesError):
    """A rank ended, or its node no longer answers."""


class MissingPackage(FramesError, ImportError):
    """A package is not in the job's environment."""
