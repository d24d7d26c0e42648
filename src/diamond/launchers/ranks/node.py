"""One node's command, where a launcher of the person's choice starts the ranks itself."""

from __future__ import annotations

import os
from typing import List

from diamond.launchers.ranks.identity import own_identity, without_identity
from diamond.launchers.ranks.variables import node_variables


def become_node(words: List[str]) -> int:
    """Give way to the command, with the variables of this node."""
    variables = without_identity(os.environ)
    variables.update(node_variables(own_identity(), os.environ))
    try:
        os.execvpe(words[0], words, variables)
    except OSError as error:
        os.write(2, f"diamond: {words[0]} cannot be started: {error.strerror}\n".encode())
        return 127
