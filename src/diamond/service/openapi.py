"""`python -m diamond.service.openapi [FILE]`: write the API's description to a file, or print it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from diamond.service.app import create_app
from diamond.service.settings import Settings


def openapi_text() -> str:
    app = create_app(Settings(home=Path("unused")))
    return json.dumps(app.openapi(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> None:
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(openapi_text())
    else:
        sys.stdout.write(openapi_text())


if __name__ == "__main__":
    main()
