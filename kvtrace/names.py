"""What screens call an engine: its id where that is short, else a letter and a number."""

from collections.abc import Collection

from kvtrace.model import Role

SHORT = 12
"""Characters that an id may have to be shown as it is."""


MOST = 4_096
"""Names that are kept, of engines that are heard no more too."""


class Names:
    """Names given once, in the order in which engines are met, and kept."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def of(self, engine: str, roles: frozenset[Role]) -> str:
        """The engine's name; empty for an engine without id."""
        known = self._given.get(engine)
        if known is not None or not engine:
            return known or ""
        if len(engine) <= SHORT:
            return self._give(engine, engine)
        if not roles:
            return self.known(engine)
        letters = "".join(role.value for role in Role if role in roles)
        taken = set(self._given.values())
        numbers = (f"{letters}{n}" for n in range(len(taken) + 1))
        return self._give(engine, next(name for name in numbers if name not in taken))

    def known(self, engine: str) -> str:
        """The name given to the engine, or the beginning of its id."""
        short = engine if len(engine) <= SHORT else f"{engine[: SHORT - 1]}…"
        return self._given.get(engine, short)

    def keep(self, engines: Collection[str]) -> None:
        """Forget all but those of these engines, where there are too many."""
        if len(self._given) > MOST:
            self._given = {one: name for one, name in self._given.items() if one in engines}

    @property
    def given(self) -> dict[str, str]:
        """Every name given so far, by engine id."""
        return dict(self._given)

    def _give(self, engine: str, name: str) -> str:
        self._given[engine] = name
        return name
