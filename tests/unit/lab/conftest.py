"""Lets the tests import the lab, which is no part of the distribution."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
