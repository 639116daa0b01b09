"""Which headers are passed on."""

from kvtrace.sources.otlp.request import passed_on


def test_a_clients_headers_go_on_but_for_those_of_its_connection() -> None:
    given = (("x-scope-orgid", "a"), ("user-agent", "b"), ("grpc-timeout", "1S"), (":path", "/"))
    assert passed_on(given, (), guarded=False) == (("x-scope-orgid", "a"),)


def test_ours_take_the_place_of_those_of_the_same_name() -> None:
    given = (("authorization", "Bearer theirs"), ("a", "1"))
    own = (("authorization", "Bearer ours"),)
    assert passed_on(given, own, guarded=False) == (("a", "1"), *own)


def test_a_token_that_was_for_us_goes_no_further() -> None:
    given = (("authorization", "Bearer for-kvtrace"),)
    assert passed_on(given, (), guarded=True) == ()
    assert passed_on(given, (), guarded=False) == given
