import random

from lab.client import Ask, random_prompt


def test_the_answer_is_as_long_as_asked_for_and_the_same_each_time() -> None:
    body = Ask(prompt=[5], max_tokens=3, request_id="r1").body
    assert (body["max_tokens"], body["ignore_eos"], body["temperature"]) == (3, True, 0)


def test_a_random_prompt_has_no_special_tokens() -> None:
    prompt = random_prompt(2000, random.Random(1))
    assert len(prompt) == 2000
    assert min(prompt) >= 3
    assert max(prompt) < 1024
