"""Says what spans do not tell, though log records do: what came too late, or found no room."""

from kvtrace.signals.halves import Halves
from kvtrace.signals.sampling import Sampler


def left_out(halves: Halves, sampler: Sampler) -> str:
    """What is missing of spans so far, in words; empty where nothing is."""
    counts = {
        "{} events came after their spans were made": halves.late,
        "{} events were too many for one request": halves.overlong,
        "{} requests were given up for room": halves.forgotten,
        "{} spans found no room to wait": sampler.crowded,
    }
    found = [said.format(count) for said, count in counts.items() if count]
    return f"spans leave something out that log records tell: {', '.join(found)}" if found else ""
