"""Asks the router for a completion and waits, as a client that does one thing at a time."""

import json
import random
import urllib.error
import urllib.request

import msgspec

from lab import model


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What came back."""

    status: int
    request_id: str
    """The router's: the same on both legs."""
    tokens: tuple[int, ...]
    """The ids of the answer."""
    error: str = ""

    @property
    def answered(self) -> bool:
        """Whether it is an answer."""
        return self.status == 200


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a completion."""

    prompt: list[int]
    max_tokens: int
    request_id: str
    headers: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def body(self) -> dict[str, object]:
        """As OpenAI's API has it; the answer is as long as asked for, and the same each time."""
        return {
            "model": model.NAME,
            "prompt": self.prompt,
            "max_tokens": self.max_tokens,
            "temperature": 0,
            "ignore_eos": True,
            "return_token_ids": True,
        }


def complete(url: str, ask: Ask, timeout: float = 240) -> Completion:
    """Send a request to a router, or to an engine, and wait for the answer."""
    request = urllib.request.Request(
        f"{url}/v1/completions",
        json.dumps(ask.body).encode(),
        {"Content-Type": "application/json", "X-Request-Id": ask.request_id, **ask.headers},
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return _understood(response.status, ask, response.read())
    except urllib.error.HTTPError as refusal:
        with refusal:
            text = refusal.read().decode(errors="replace")
        return Completion(status=refusal.code, request_id=ask.request_id, tokens=(), error=text)


def _understood(status: int, ask: Ask, answer: bytes) -> Completion:
    ids = json.loads(answer)["choices"][0].get("token_ids") or ()
    return Completion(status=status, request_id=ask.request_id, tokens=tuple(ids))


def random_prompt(length: int, chance: random.Random | None = None) -> list[int]:
    """Make a prompt nobody has cached: token ids without the special ones."""
    source = chance or random.Random()
    return [source.randrange(3, model.VOCABULARY) for _ in range(length)]
