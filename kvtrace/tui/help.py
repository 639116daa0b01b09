"""The page of keys and words, made from the bindings and the vocabulary themselves."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from rich.text import Text

from kvtrace.model import Phase
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.reading import ReadingScreen
from kvtrace.tui.shown import KEYS_WIDTH, Key
from kvtrace.tui.text import pad, piece, wrap

WAITS = {
    Phase.REGISTRATION: "P has not heard where to write",
    Phase.READINESS: "P has not computed the blocks",
    Phase.WRITE: "a rank has not written them",
    Phase.COMPLETION: "D has not counted every rank",
}

WORDS = {
    "transfer": "one KV cache, P to D",
    "engine": "one vLLM, P or D",
    "P, D": "producer, consumer",
    "rank": "one worker of an engine",
    "link": "P and D of a transfer",
    "handshake": "reaching the other engine",
    "registration": "D tells P where to write",
    "readiness": "P’s blocks exist",
    "write": "one rank’s RDMA write",
    "completion": "D counted all ranks",
    "lease": "P keeps the blocks for it",
    "stall": "past its patience",
}

NUMBERS = (
    "1 GB is 10⁹ bytes, 1 ms 1,000 µs.",
    "p50 and p99 are of the last 5 minutes.",
    "The last line but one owns up: what was lost, late, unreadable. Not zero is amber.",
)

_COLUMN = 38

Groups: TypeAlias = Mapping[str, Sequence[Key]]
"""Keys by what they are for."""


class HelpScreen(ReadingScreen):
    """Keys, phases, marks and words."""

    def __init__(
        self, groups: Groups, footer: Sequence[tuple[str, str]], *, opened_from: str = "Fleet"
    ) -> None:
        super().__init__([opened_from, "Help"], footer)
        self._groups = groups

    def lines(self, frame: Frame) -> list[Text]:
        """Whole parts, in columns."""
        return page(frame, self._groups)


def page(frame: Frame, groups: Groups) -> list[Text]:
    """The help in as many columns as fit, each of whole parts."""
    look = frame.look
    parts = [*_keys(groups, look), list(_phases(look)), list(_marks(look))]
    parts += [list(_words(look)), list(_numbers(look))]
    count = max(min((frame.width - 1) // (_COLUMN + 1), 3), 1)
    columns = _packed(parts, count)
    lines = [Text()]
    for index in range(max(map(len, columns))):
        line = Text(" ")
        for column in columns:
            cell = column[index].copy() if index < len(column) else Text()
            cell.truncate(_COLUMN, pad=True)
            line.append_text(cell).append(" ")
        lines.append(line)
    return lines


def _packed(parts: Sequence[list[Text]], count: int) -> list[list[Text]]:
    """The parts in their order in so many columns, which are as low as that allows."""
    height = max(map(len, parts))
    while True:
        columns: list[list[Text]] = [[]]
        for part in parts:
            if columns[-1] and len(columns[-1]) + len(part) > height:
                columns.append([])
            columns[-1] += part
        if len(columns) <= count:
            return columns
        height += 1


def _title(words: str, look: Look) -> Text:
    return piece(words, look.style("muted", bold=True))


def _keys(groups: Groups, look: Look) -> list[list[Text]]:
    parts = []
    for title, keys in groups.items():
        lines = [_title(title.upper(), look)]
        for key in keys:
            line = piece(
                pad(look.words(key.keys), KEYS_WIDTH, sign=look.glyphs.cut), look.style("strong")
            )
            line.append(f" {key.said}", look.style("text"))
            lines.append(line.append(f"  {key.where}" * bool(key.where), look.style("muted")))
        parts.append([*lines, Text()])
    return parts


def _phases(look: Look) -> Iterable[Text]:
    yield _title("PHASE: WHAT A TRANSFER WAITS FOR", look)
    for phase, said in WAITS.items():
        yield look.chip(phase).append(f" {phase.value.capitalize()}", look.style(phase.value))
        yield piece(f"    {said}", look.style("text"))
    yield Text()


def _marks(look: Look) -> Iterable[Text]:
    glyphs = look.glyphs
    yield _title("MARKS", look)
    for sign, role, said in (
        (glyphs.stalled, "stalled", "stalled: past its patience"),
        (glyphs.slow, "slow", "slow, or a loss of our own"),
        (glyphs.event, "text", "event seen"),
        (glyphs.missing, "stalled", "expected, not seen yet"),
        (glyphs.finished, "muted", "finished"),
        (glyphs.failed, "stalled", "failed"),
        (glyphs.fold, "muted", "quiet stretch folded"),
        (glyphs.nothing, "muted", "nothing, or not known"),
        (glyphs.unseen, "slow", "could not be seen from here"),
        (glyphs.quiet, "muted", "on Links: too few writes"),
        (glyphs.marked, "strong", "marked with m"),
        (glyphs.pointer, "strong", "followed with f, stays on top"),
    ):
        yield piece(pad(sign, 4), look.style(role)).append(said, look.style("text"))
    yield Text()


def _words(look: Look) -> Iterable[Text]:
    yield _title("WORDS", look)
    for word, said in WORDS.items():
        yield piece(pad(word, 13), look.style("strong")).append(
            look.words(said), look.style("text")
        )
    yield Text()


def _numbers(look: Look) -> Iterable[Text]:
    yield _title("NUMBERS", look)
    for said in NUMBERS:
        for line in wrap(look.words(said), _COLUMN):
            yield piece(line, look.style("text"))
