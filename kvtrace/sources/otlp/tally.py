"""What became of all that was received, as counts."""

import msgspec


class Tally(msgspec.Struct, kw_only=True):
    """Counts of one request, or of all; each adds up."""

    records: int = 0
    """Log records, spans and metrics in all."""

    events: int = 0
    """Events and other news of ours, those heard before included."""

    foreign: int = 0
    """Log records and spans of others, passed over."""

    metrics: int = 0
    """Metrics, which are only counted."""

    unreadable: int = 0
    """Records and span events of ours that could not be read."""

    rejected: int = 0
    """Records of ours with something in them that could not be read."""

    unknown: int = 0
    """Events of a kind that a newer kvtrace wrote."""

    def add(self, more: "Tally") -> None:
        """Adds the other's counts to these."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(more, name))
