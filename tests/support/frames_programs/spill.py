"""More rows than fit in the memory that frames may use."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from diamond import frames

session = frames.start(memory=150 << 20, spill=Path(sys.argv[2]), threads=1, connect_seconds=60)
rows = frames.read(Path(sys.argv[1]))
count = rows.with_columns(word="hash(n)::VARCHAR").sort("word").filter("n % 2 = 0").count()
# `ru_maxrss` would count what the process that started this one had in memory.
peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
assert peak
print(count, int(peak[1]) >> 10)
frames.finish()
