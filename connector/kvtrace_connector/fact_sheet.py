"""The facts' writer: what records only point at, in two buffers that are written in turn."""

from mmap import mmap

from kvtrace.black_box import COUNTERS_AT, Counter, Facts, Layout, Origin, pack_facts

_FACTS = COUNTERS_AT // 8 + Counter.FACTS


class FactSheet:
    """The facts of one process; whoever writes holds the black box' lock."""

    def __init__(self, memory: mmap, words: "memoryview[int]", layout: Layout) -> None:
        self._memory = memory
        self._words = words
        self._start = layout.facts_at
        self._size = layout.facts_size

    def write(self, facts: Facts) -> None:
        """Fill the older buffer, so that the newer stays whole meanwhile.

        Where there is not room for all, the names of threads are left out first, and then what
        origins are known by beyond their names.
        """
        generation = self._words[_FACTS] + 1
        bare = tuple(Origin(it.engine[:100], it.role, it.rank) for it in facts.origins)
        nameless = Facts(origins=facts.origins, stopped=facts.stopped)
        for fewer in (facts, nameless, Facts(origins=bare, stopped=facts.stopped)):
            packed = pack_facts(fewer, generation)
            if len(packed) <= self._size:
                start = self._start + generation % 2 * self._size
                self._memory[start : start + len(packed)] = packed
                self._words[_FACTS] = generation
                return
