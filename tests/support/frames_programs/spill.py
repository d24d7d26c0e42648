"""More rows than fit in the memory that frames may use."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from diamond import frames

session = frames.start(memory=150 << 20, spill=Path(sys.argv[2]), threads=1, connect_seconds=60)
rows = frames.read(Path(sys.argv[1]))
count = rows.with_columns(word="hash(n)::VARCHAR").sort("word").filter("n % 2 = 0").count()
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
frames.finish()
