"""Puts the engines screen together: a row for each, and all that the chosen one told."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.differences import Fact, facts
from kvtrace.readings import Vital
from kvtrace.snapshot import EngineLine
from kvtrace.tui import said
from kvtrace.tui.empty import silent
from kvtrace.tui.engines import trouble
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.phases import sparkline
from kvtrace.tui.text import cells, cut, pad, piece, shortened

_SPARK = 30
_NUMBERS = {
    "in flight": 10,
    "held": 6,
    "ranks": 6,
    "step": 9,
    "vllm": 12,
    "nixl": 9,
    "block": 6,
    "lease": 8,
    "mode": 6,
}
"""Columns and their cells; the last is the first to give way."""

_FACTS = {
    "vllm": "vllm_version",
    "nixl": "nixl_version",
    "block": "block_size",
    "lease": "lease",
    "mode": "mode",
}
_LEFT = ("vllm", "nixl", "mode")
_STATE = 16


def ordered(frame: Frame) -> list[EngineLine]:
    """Producers first, and P2 before P10."""
    return sorted(
        frame.snapshot.engines,
        key=lambda one: (not one.roles.startswith("P"), len(one.name), one.name),
    )


def is_trouble(engine: EngineLine) -> bool:
    """Whether `n` stops at it."""
    return bool(engine.waited_for) or engine.state not in ("alive", "ended")


def page(frame: Frame, chosen: str | None, room: int) -> list[Text]:
    """All of it in so many lines."""
    engines = ordered(frame)
    told = facts(engines)
    airy = room >= 24
    blank = [Text()] if airy else []
    lines = [*blank, *verdict(frame, told), *blank]
    if not engines:
        return lines[:room]
    picked = next((one for one in engines if one.id == chosen), engines[0])
    left = max(room - len(lines) - 1, 1)
    detail = [*blank, *_detail(picked, told, frame)]
    rows = min(len(engines), max(left - len(detail), (left + 1) // 2))
    at = engines.index(picked)
    first = min(max(at - rows + 1, 0), len(engines) - rows)
    shown = engines[first : first + rows]
    lines.append(_heading(frame, engines, rows))
    different = {fact.name for fact in told if fact.differs}
    lines += [_row(one, frame, different, selected=one is picked) for one in shown]
    return [*lines, *detail][:room]


def row_at(frame: Frame, chosen: str | None, room: int, y: int) -> str | None:
    """Which engine is drawn in that line of the page."""
    engines = ordered(frame)
    lines = [line.plain for line in page(frame, chosen, room)]
    head = next((i for i, line in enumerate(lines) if line.startswith(" ENGINE")), None)
    if head is None or not head < y < len(lines):
        return None
    named = lines[y][1:].split(" ", 1)[0]
    return next((one.id for one in engines if frame.names.engine(one.id) == named), None)


def verdict(frame: Frame, told: Sequence[Fact]) -> list[Text]:
    """Are all there, and do P and D fit together?"""
    look, engines = frame.look, frame.snapshot.engines
    if not engines:
        line = piece(" No engine heard yet.", look.style("strong"))
        return [shortened(line, frame.width - 1, look.glyphs.cut), *silent(frame)]
    producers = sum(engine.roles.startswith("P") for engine in engines)
    gone = [one for one in engines if trouble(one, look) is not None and one.state != "alive"]
    line = piece(f" {producers} P and {len(engines) - producers} D", look.style("strong"))
    if gone:
        names = ", ".join(frame.names.engine(one.id) for one in gone[:4])
        more = f" and {len(gone) - 4} more" if len(gone) > 4 else ""
        line.append(f"  {look.glyphs.unseen} not well: {names}{more}", look.style("slow"))
    else:
        line.append(", all are heard.", look.style("text"))
    different = [fact for fact in told if fact.differs]
    if not different:
        alike = "" if gone else "  P and D tell the same of themselves."
        return [shortened(line.append(alike, look.style("muted")), frame.width - 1)]
    names = ", ".join(fact.name.replace("_", " ") for fact in different)
    sign = look.glyphs.unequal
    line.append(f"  {sign} P and D differ in {names}.", look.style("slow"))
    return [shortened(line, frame.width - 1, look.glyphs.cut)]


def _name_width(frame: Frame) -> int:
    names = [frame.names.engine(one.id) for one in frame.snapshot.engines]
    return max([*map(cells, names), 6]) + 2


def _columns(frame: Frame) -> dict[str, int]:
    room = frame.width - 2 - _name_width(frame) - _STATE
    shown = dict(_NUMBERS)
    while shown and sum(shown.values()) > room:
        shown.popitem()
    return shown


def _spark_width(frame: Frame) -> int:
    taken = 1 + _name_width(frame) + _STATE + sum(_columns(frame).values())
    return min(frame.width - 1 - taken - 2, _SPARK)


def _heading(frame: Frame, engines: Sequence[EngineLine], rows: int) -> Text:
    look = frame.look
    line = piece(" " + pad("ENGINE", _name_width(frame)), look.style("muted", bold=True))
    line.append(pad("state", _STATE), look.style("muted"))
    for name, width in _columns(frame).items():
        line.append(_cell(name, name, width), look.style("muted"))
    if _spark_width(frame) >= 10:
        line.append("  longest step, 5 min"[: _spark_width(frame) + 2], look.style("muted"))
    if len(engines) > rows:
        line.append(f"   {rows} of {len(engines)}", look.style("muted"))
    return shortened(line, frame.width - 1)


def _cell(name: str, said_there: str, width: int) -> str:
    left = name in _LEFT
    return "  " + pad(said_there, width - 2) if left else pad(said_there, width, right=True)


def _row(engine: EngineLine, frame: Frame, different: set[str], *, selected: bool) -> Text:
    look = frame.look
    line = piece(look.glyphs.cursor if selected else " ", look.style("strong"))
    mark = look.glyphs.stalled if engine.waited_for else ""
    name = frame.names.engine(engine.id)
    line.append(name, look.style("strong")).append(mark, look.style("stalled"))
    line.append(" " * max(1 + _name_width(frame) - line.cell_len, 0))
    wrong = trouble(engine, look)
    state = wrong if wrong is not None else piece(engine.state, look.style("muted"))
    state = state.copy()
    state.plain = cut(state.plain.strip(), _STATE - 1, look.glyphs.cut)
    line.append_text(state).append(" " * (_STATE - state.cell_len))
    known = dict(engine.facts)
    vital = vital_of(frame, engine.id)
    for name, width in _columns(frame).items():
        fact = _FACTS.get(name, "")
        role = "slow" if fact in different else "text"
        told = _number(name, engine, vital) if not fact else said.fact(fact, known.get(fact, ""))
        line.append(_cell(name, look.words(told), width), look.style(role))
    width = _spark_width(frame)
    if vital is not None and width >= 10:
        line.append("  " + sparkline(vital.steps, width, look), look.style("muted"))
    line.append(" " * max(frame.width - line.cell_len, 0))
    if selected:
        line.stylize(look.selection)
    return line


def vital_of(frame: Frame, engine: str) -> Vital | None:
    """How the engine goes over time; None where it did not tell."""
    return next((vital for vital in frame.snapshot.vitals if vital.engine == engine), None)


def _number(name: str, engine: EngineLine, vital: Vital | None) -> str:
    if name == "in flight":
        return words.count(engine.in_flight)
    if name == "ranks":
        return words.count(engine.ranks)
    if name == "held":
        if not engine.blocks:
            return words.UNKNOWN
        return words.share(100 * engine.held_blocks // engine.blocks, engine.held_blocks)
    return words.duration(vital.longest or None if vital is not None else None)


def _detail(engine: EngineLine, told: Sequence[Fact], frame: Frame) -> list[Text]:
    """What the engine told of itself, and beside it, or below, its steps and tables."""
    look = frame.look
    title = piece(f" {frame.names.engine(engine.id)}", look.style("strong"))
    if engine.id != frame.names.engine(engine.id):
        title.append(f"  {cut(look.words(engine.id), frame.width - 20)}", look.style("muted"))
    right = _tables(vital_of(frame, engine.id), frame)
    beside = frame.width >= 100
    width = frame.width // 2 - 1 if beside else frame.width - 1
    left = [_fact(fact, engine, frame, width) for fact in told if engine.id in fact.values]
    if not beside:
        return [title, *right, *left]
    lines = []
    for index in range(max(len(left), len(right))):
        line = left[index].copy() if index < len(left) else Text()
        line.truncate(width, pad=True)
        lines.append(line.append_text(right[index] if index < len(right) else Text()))
    return [title, *lines]


def _fact(fact: Fact, engine: EngineLine, frame: Frame, width: int) -> Text:
    look, own = frame.look, fact.values[engine.id]
    sign = look.glyphs.unequal if fact.differs else " "
    line = piece(f" {sign} ", look.style("slow"))
    line.append(pad(_fact_name(fact), 24), look.style("muted"))
    line.append(
        look.words(said.fact(fact.name, own)), look.style("slow" if fact.differs else "text")
    )
    other = next((v for v in fact.values.values() if v != own), "") if fact.differs else ""
    if other:
        line.append(f"  elsewhere {look.words(said.fact(fact.name, other))}", look.style("slow"))
    return shortened(line, width - 1, look.glyphs.cut)


def _fact_name(fact: Fact) -> str:
    """Environment variables keep their own spelling."""
    return (fact.name if fact.name.isupper() else fact.name.replace("_", " ")) + " "


def _tables(vital: Vital | None, frame: Frame) -> list[Text]:
    look = frame.look
    if vital is None:
        return [piece(" told nothing of its steps and tables yet", look.style("muted"))]
    took = f"steps take {words.duration(vital.mean)} on average"
    step = look.words(took if vital.mean else "told nothing of how long its steps take")
    head = piece(" " + pad("TABLE", 24), look.style("muted", bold=True))
    head.append(pad("now", 7, right=True) + pad("oldest", 9, right=True), look.style("muted"))
    head.append("  last 5 min", look.style("muted"))
    steps = piece(f" {step}", look.style("text" if vital.mean else "muted"))
    if not vital.tables:
        return [steps]
    lines = [steps, head]
    used = [table for table in vital.tables if table.size or max(table.history) > 0]
    for table in used:
        line = piece(" " + pad(table.name.replace("_", " "), 24), look.style("text"))
        line.append(pad(words.count(table.size), 7, right=True), look.style("text"))
        oldest = words.duration(table.oldest) if table.oldest else words.UNKNOWN
        line.append(pad(look.words(oldest), 9, right=True), look.style("muted"))
        spark = sparkline(table.history, _spark_room(frame, look), look)
        lines.append(line.append("  " + spark, look.style("muted")))
    empty = len(vital.tables) - len(used)
    if empty:
        others = "other tables are" if used else "tables are"
        lines.append(piece(f" {empty} {others} empty", look.style("muted")))
    return lines


def _spark_room(frame: Frame, look: Look) -> int:
    half = frame.width // 2 if frame.width >= 100 else frame.width
    return max(min(half - 46, _SPARK), 0)
