"""``python -m holdfast`` is the command line."""

from holdfast.apps.cli import main

main()
