"""`python -m diamond.service.openapi FILE`: write the API's description, as committed in `web/openapi.json`."""

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
    Path(sys.argv[1] if len(sys.argv) > 1 else "web/openapi.json").write_text(openapi_text())


if __name__ == "__main__":
    main()
