"""`should_stop` for several ranks, which must all get the same answer at the same step."""

from __future__ import annotations

from typing import Optional

from diamond.training.checkpoints.ranks import Agreement, Ranks
from diamond.training.session import at_finish

_agreement: Optional[Agreement] = None


def agreed_stop(own: bool) -> bool:
    """Whether any rank has seen the flag; the same answer on all. Each rank must call it equally often."""
    global _agreement
    if _agreement is None:
        _agreement = Agreement(Ranks())
        at_finish(lambda together: _agreement.close() if together else None)
    return _agreement.ask(own)[0]
