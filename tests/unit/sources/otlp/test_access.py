"""Tokens and certificates."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.access import Access, context_of, credentials_of, token_of


def test_only_the_right_token_will_do() -> None:
    access = Access(token="s3cret")
    assert access.allows("Bearer s3cret")
    assert access.allows(b"bearer s3cret")
    for wrong in (None, "", "s3cret", "Basic s3cret", "Bearer s3cre", "Bearer s3cretx", "Bearer"):
        assert not access.allows(wrong), wrong
    assert Access().allows(None)


@given(st.text() | st.binary())
def test_any_header_is_an_answer(shown: str | bytes) -> None:
    assert not Access(token="s3cret").allows(shown)


def test_a_token_comes_from_a_file_or_else_from_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    assert token_of(file, "other") == "s3cret"
    assert token_of(None, " other ") == "other"
    assert token_of(None, "") == ""


@pytest.mark.parametrize("content", [b"", b"\n\n", b"a\x00b", b"\xff\xfe", b"x" * 5000])
def test_a_file_without_a_token_is_told_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(ReceiverError, match=str(file)):
        token_of(file, "")


def test_a_token_file_that_is_not_there_is_not_asked_to_be_a_certificate(tmp_path: Path) -> None:
    with pytest.raises(ReceiverError, match=r"missing.*one line of text"):
        token_of(tmp_path / "missing", "")


def test_tls_needs_certificate_and_key(tmp_path: Path) -> None:
    file = tmp_path / "c.pem"
    file.write_text("nothing")
    with pytest.raises(ReceiverError, match="TLS needs both"):
        context_of(Access(certificate=file))
    with pytest.raises(ReceiverError, match="need TLS"):
        context_of(Access(client_ca=file))
    with pytest.raises(ReceiverError, match=r"c\.pem cannot be used"):
        context_of(Access(certificate=file, key=file))
    with pytest.raises(ReceiverError, match=r"gone\.pem cannot be used"):
        context_of(Access(certificate=tmp_path / "gone.pem", key=file))


def test_without_a_certificate_there_is_no_tls() -> None:
    assert context_of(Access(token="x")) is None
    assert credentials_of(Access(token="x")) is None


def test_a_token_or_client_certificates_close_the_door() -> None:
    assert Access().is_open
    assert not Access(token="x").is_open
    assert not Access(client_ca=Path("ca.pem")).is_open
