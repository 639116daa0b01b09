"""The rules as a list."""

from kvtrace.diagnosis.rules import ENGINE_RULES, FINISHED_RULES, RULES


def test_no_rule_is_tried_twice() -> None:
    for rules in (RULES, FINISHED_RULES):
        assert len(set(rules)) == len(rules)
    assert len(set(ENGINE_RULES)) == len(ENGINE_RULES)
