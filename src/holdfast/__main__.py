"""The command line begins and ends here: ``python -m holdfast``, and the word ``holdfast``.

Ctrl-C means an exception that every command handles, once there is a command. While its libraries are loaded,
and while the interpreter is taken down, nobody could handle it: it then ends the process on the spot.
"""

import os
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command that the arguments name, and leave with its exit code."""
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # or else it is ignored
    if handled:
        signal.signal(signal.SIGINT, _stop)
    from holdfast.apps.cli import main as command
    from holdfast.apps.cli.interruptions import interrupt, lost

    sys.unraisablehook = lost
    try:
        if handled:
            signal.signal(signal.SIGINT, interrupt)
        command()
    finally:
        if handled:
            signal.signal(signal.SIGINT, _stop)


def _stop(number: int, frame: object) -> NoReturn:
    os.write(2, b"stopped\n")
    os._exit(130)


if __name__ == "__main__":
    main()
