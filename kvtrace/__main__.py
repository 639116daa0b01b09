"""Makes `python -m kvtrace` the same as `kvtrace`."""

from kvtrace.cli import main

main()
