"""How much of a long log is kept away from the cluster: agent and service go by the same numbers."""

from __future__ import annotations

HEAD_BYTES = TAIL_BYTES = 8 * 2**20
"""The middle of a longer log stays in its file and is fetched by range."""
