"""Replaces request ids by keyed hashes, so that they join as before and tell nobody anything."""

import hmac
import re
from functools import cache
from hashlib import sha256

import msgspec

from kvtrace.events import AnyEvent
from kvtrace.identity import base_id
from kvtrace.moments import News, Record

IDS = frozenset(("request", "remote_request", "example"))
"""Fields that hold an id and nothing else."""

TEXTS = frozenset(("error", "message", "reason", "status", "failure", "error_type", "seam", "url"))
"""Fields whose text may speak of a request."""

KNOWN = 50_000
"""Ids that are remembered in order to be found in texts."""

_SHORTEST = 4
"""Letters of an id with signs in it that is looked for; a shorter one would be found anywhere."""

_WORD = re.compile(r"[\w-]+")
_ODD = re.compile(r"[^\w-]")


_HASHED = re.compile(r"[0-9a-f]{16}(?:-[0-9a-f]{8})?")


def is_hashed(name: str) -> bool:
    """Whether the id has the form that a hasher gives, which no engine's own has."""
    return _HASHED.fullmatch(name) is not None


class Hasher:
    """Replaces every id by what its key makes of it."""

    def __init__(self, secret: str) -> None:
        self._key = secret.encode("utf-8", "surrogatepass")
        self._known: dict[str, str] = {}
        self._bases: dict[str, str] = {}
        self._odd: dict[str, None] = {}

    def of(self, name: str) -> str:
        """What stands for this id; ids with one base id get ids with one base id."""
        if not name:
            return ""
        known = self._known.get(name)
        if known is not None:
            return known
        base = base_id(name)
        made = self._digest(base)[:16]
        _keep(self._bases, base, made)
        if base != name:
            made += "-" + self._digest(name)[:8]
        _keep(self._known, name, made)
        for one in (name, base):
            if len(one) >= _SHORTEST and _ODD.search(one):
                _keep(self._odd, one, None)
        return made

    def news(self, news: News) -> News:
        """The same without any id that is not hashed."""
        if not isinstance(news, Record):
            return news
        event = self._event(news.event)
        return news if event is news.event else msgspec.structs.replace(news, event=event)

    def text(self, text: str) -> str:
        """The text with the ids in it replaced, as far as any event told them."""
        for odd in sorted(self._odd, key=len, reverse=True):
            if odd in text:
                text = text.replace(odd, self._hashed(odd) or "")
        return _WORD.sub(self._word, text)

    def _event(self, event: AnyEvent) -> AnyEvent:
        ids, texts = _fields(type(event))
        found = {field: self.of(getattr(event, field)) for field in ids if getattr(event, field)}
        for field in texts:
            said = getattr(event, field)
            if said:
                found[field] = self.text(said)
        return msgspec.structs.replace(event, **found) if found else event

    def _word(self, found: re.Match[str]) -> str:
        return self._hashed(found[0]) or "-".join(self._parts(found[0].split("-")))

    def _parts(self, parts: list[str]) -> list[str]:
        """The parts between hyphens, with the longest run of them that is an id replaced."""
        for length in range(len(parts), 0, -1):
            for start in range(len(parts) - length + 1):
                made = self._hashed("-".join(parts[start : start + length]))
                if made:
                    before, after = parts[:start], parts[start + length :]
                    return [*self._parts(before), made, *self._parts(after)]
        return parts

    def _hashed(self, name: str) -> str | None:
        return self._known.get(name) or self._bases.get(name)

    def _digest(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _keep(kept: dict[str, str] | dict[str, None], name: str, made: str | None) -> None:
    """Remember it; beyond the limit the oldest is forgotten."""
    kept[name] = made  # type: ignore[assignment]
    if len(kept) > KNOWN:
        del kept[next(iter(kept))]


@cache
def _fields(cls: type[AnyEvent]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of this kind of event that hold an id, and those that hold a text."""
    fields = [field.name for field in msgspec.structs.fields(cls) if field.type is str]
    return tuple(f for f in fields if f in IDS), tuple(f for f in fields if f in TEXTS)
