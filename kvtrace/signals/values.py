"""What an attribute can hold."""

from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = str | bool | int | float | bytes | tuple[str, ...] | tuple[int, ...]
"""What OpenTelemetry allows, as far as we use it."""

Attributes: TypeAlias = Mapping[str, Value]
"""Values by the attributes' names."""
