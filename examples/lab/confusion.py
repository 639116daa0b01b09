"""The page that tells what was named for each scenario."""

from collections.abc import Sequence

from lab.result import Result
from lab.scenario import Scenario

HEAD = """# What the lab names

The table is made by `kvtrace lab page` from what `kvtrace lab run --json` told, on real vLLM
engines with real NIXL writes. A row is a scenario, that is a fault that was made on purpose;
`named` is what kvtrace said in the end, over all runs. A cell that is not what was made would be
in **bold**.

"""


def page(scenarios: Sequence[Scenario], results: Sequence[Result]) -> str:
    """The page, as Markdown."""
    rows = [
        _row(one, [result for result in results if result.name == one.name]) for one in scenarios
    ]
    played = [result for result in results if not result.error]
    right = sum(result.passed for result in results)
    return (
        HEAD
        + "| scenario | modes | made | named | runs | stand-in |\n|---|---|---|---|---:|---|\n"
        + "\n".join(rows)
        + f"\n\n{right} of {len(results)} runs named right; {len(results) - len(played)} could not "
        "be played. *Stand-in*: a NIXL call was told to go wrong; all else is real.\n"
    )


def _row(scenario: Scenario, results: Sequence[Result]) -> str:
    wanted = scenario.cause or "nothing"
    played = [one for one in results if not one.error]
    named = [str(cause or "nothing") for one in played for cause in one.final]
    named = named or (["nothing"] if played else ["–"])
    counts = {one: named.count(one) for one in dict.fromkeys(named)}
    cells = [
        f"{one} ({count})" if one in (wanted, "–") else f"**{one} ({count})**"
        for one, count in counts.items()
    ]
    stand_in = "yes" if scenario.stand_in else ""
    modes = " ".join(scenario.modes)
    told = ", ".join(cells)
    return f"| {scenario.name} | {modes} | {wanted} | {told} | {len(played)} | {stand_in} |"
