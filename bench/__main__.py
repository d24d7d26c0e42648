"""`python -m bench [NAME…] [DIR] [--count N] [--minutes M] [--write]`: measure all claims, or the named ones."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from bench import report
from bench.claim import Claim, Options
from bench.claims import CLAIMS
from bench.swf import logs_in


def main() -> int:
    arguments = read_words(sys.argv[1:])
    chosen = [claim for claim in CLAIMS if not arguments.names or claim.name in arguments.names]
    if arguments.list:
        print("\n".join(f"{claim.name:12} {claim.title}" for claim in CLAIMS))
        return 0
    keep_bytecode(arguments.cache / "bytecode")
    verdicts = [run(claim, arguments) for claim in chosen]
    return 0 if all(verdicts) else 1


def run(claim: Claim, arguments: argparse.Namespace) -> bool:
    """Measure one claim in its own folder, and return whether all its bars hold."""
    print(f"{time.strftime('%H:%M:%S')} {claim.name}: {claim.title}", file=sys.stderr, flush=True)
    folder = Path(tempfile.mkdtemp(prefix="db-"))
    folder.chmod(0o755)
    conditions = report.Conditions.now(how_long(arguments))
    try:
        findings = claim.measure(options(arguments, folder))
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    text = report.section(claim, findings, conditions)
    print(text + "\n", flush=True)
    if arguments.write:
        report.write_section(claim.name, text)
    return all(row.holds is not False for row in findings.rows)


def keep_bytecode(folder: Path) -> None:
    """Installed programs have bytecode; a checkout run without it starts 0.5 s slower."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def options(arguments: argparse.Namespace, folder: Path) -> Options:
    return Options(folder, arguments.cache, arguments.count, arguments.minutes, arguments.logs)


def read_words(words: list[str]) -> argparse.Namespace:
    """`planning DIR`: a name that is not a claim is a folder with job logs."""
    reader = parser()
    arguments = reader.parse_args(words)
    claims = [claim.name for claim in CLAIMS]
    folders = [Path(name) for name in arguments.names if name not in claims]
    for folder in folders:
        if not folder.is_dir():
            reader.error(f"{folder} is neither a claim nor a folder. Claims: {', '.join(claims)}")
        if not logs_in(folder):
            reader.error(f"{folder}: contains no file that ends with .swf or .swf.gz")
    arguments.logs = folders[0] if folders else None
    arguments.names = [name for name in arguments.names if name in claims]
    return arguments


def how_long(arguments: argparse.Namespace) -> str:
    if not arguments.count and not arguments.minutes:
        return "full measurement"
    return (
        f"shortened: --count {arguments.count or 'full'}, --minutes {arguments.minutes or 'full'}"
    )


def parser() -> argparse.ArgumentParser:
    names = [claim.name for claim in CLAIMS]
    one = argparse.ArgumentParser(prog="python -m bench")
    one.description = "Measure Diamond against peers and raw limits; ratios from one run."
    one.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)} (all)")
    one.add_argument("--list", action="store_true", help="list the claims and exit")
    one.add_argument("--count", type=int, default=0, help="samples per arm, to shorten")
    one.add_argument("--minutes", type=float, default=0, help="minutes per arm, to shorten")
    one.add_argument("--write", action="store_true", help="rewrite the section of RESULTS.md")
    one.add_argument("--keep", action="store_true", help="keep the scratch folder")
    one.add_argument(
        "--cache", type=Path, default=default_cache(), help="for the peers (%(default)s)"
    )
    return one


def default_cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "diamond-bench"


if __name__ == "__main__":
    sys.exit(main())
