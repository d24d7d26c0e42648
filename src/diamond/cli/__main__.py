"""`python -m diamond.cli`."""

from diamond.cli.main import main

main()
