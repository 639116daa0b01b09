"""Tells whether the traced connector fits the vLLM that runs here, as one JSON object on stdout.

`python -m kvtrace_connector.told`: in a process of its own, since importing vLLM takes long.
"""

import json
import sys

from kvtrace_connector.fit import check


def main() -> int:
    """Print it; 1 where there is no vLLM here."""
    try:
        fit = check()
    except ImportError as error:
        print(json.dumps({"error": str(error)}))  # noqa: T201 - it is what this module is for
        return 1
    told = {"release": fit.release, "fits": fit.fits, "reasons": fit.reasons, "unseen": fit.unseen}
    print(json.dumps(told))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
