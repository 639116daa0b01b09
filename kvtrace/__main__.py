"""Where `kvtrace` and `python -m kvtrace` begin."""

import signal

before = signal.getsignal(signal.SIGINT)
if before is signal.default_int_handler:
    # Ctrl-C while all the rest is imported is an end, and no traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from kvtrace.cli import main  # noqa: E402

signal.signal(signal.SIGINT, before)

if __name__ == "__main__":
    main()
