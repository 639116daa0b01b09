from kvtrace_connector.shorten import shortened

from kvtrace.events import FailureLogged, MatchMade, ProcessStarted, RequestAdmitted


def test_short_texts_stay() -> None:
    event = FailureLogged(message="m", error="e" * 100)
    assert shortened(event) == event


def test_long_texts_are_cut_and_show_it() -> None:
    assert shortened(FailureLogged(message="m" * 101)).message == "m" * 100 + "…"


def test_ids_stay_whole() -> None:
    event = MatchMade(request="p" * 500, remote_request="d" * 500, consumer="D" * 500)
    assert shortened(event) == event


def test_tables_and_lists_keep_their_first_entries() -> None:
    facts = {f"{number:03}" + "k" * 200: "v" * 200 for number in range(50)}
    kept = shortened(ProcessStarted(facts=facts)).facts
    assert list(kept.items())[31] == ("031" + "k" * 97 + "…", "v" * 100 + "…")
    assert len(kept) == 32
    missing = tuple(str(number) for number in range(50))
    assert shortened(RequestAdmitted(missing=missing)).missing == missing[:32]


def test_values_of_foreign_types_become_texts() -> None:
    event = FailureLogged(message=ValueError("why"))  # type: ignore[arg-type]
    assert shortened(event).message == "why"
