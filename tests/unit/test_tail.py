"""The last that was heard."""

from kvtrace.moments import Ended, Lost
from kvtrace.tail import Tail


def test_the_oldest_gives_way_and_numbers_go_on() -> None:
    tail = Tail(3)
    for number in range(5):
        tail.hear(Ended(process=str(number), goodbye=True), number)
    assert [heard.number for heard in tail.last()] == [3, 4, 5]
    assert [heard.at for heard in tail.last()] == [2, 3, 4]


def test_what_others_sent_pushes_nothing_out() -> None:
    tail = Tail()
    for news in (Lost(foreign=3), Lost(turned_away=1), Lost(foreign=4)):
        tail.hear(news, 0)
    assert [heard.news for heard in tail.last()] == [Lost(turned_away=1)]


def test_while_nothing_comes_it_is_the_very_same() -> None:
    tail = Tail()
    tail.hear(Ended(process="p", goodbye=True), 1)
    assert tail.last() is tail.last()
