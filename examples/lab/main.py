"""Where the lab begins, as `kvtrace lab` and `python -m lab.main` start it."""

import signal
import sys

before = signal.getsignal(signal.SIGINT)
if before is signal.default_int_handler:
    # Ctrl-C while all the rest is imported is an end, and no traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from lab.commands import main  # noqa: E402

signal.signal(signal.SIGINT, before)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
