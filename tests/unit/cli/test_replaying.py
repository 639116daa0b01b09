"""Recordings on disk that can be gone back and forth in."""

from contextlib import closing
from pathlib import Path

import pytest

from kvtrace.cli.replaying import known_at, place_of, player_of
from kvtrace.errors import KvtraceError
from kvtrace.playback import Playback
from kvtrace.seeking import Named, Share
from kvtrace.sources.recording import length, open_recording

KEPT = Path(__file__).parents[2] / "recordings" / "version-1.kvtrace"


def test_a_share_of_a_file_is_a_position() -> None:
    with closing(open_recording(KEPT)) as recording:
        assert place_of(Share(0.5), KEPT, recording.header) == (length(KEPT) or 0) // 2


def test_what_comes_by_the_standard_input_cannot_be_searched() -> None:
    with (
        closing(open_recording(KEPT)) as recording,
        pytest.raises(KvtraceError, match="keep it in a file"),
    ):
        place_of(Named("r1"), Path("-"), recording.header)


def test_a_player_over_a_file_knows_what_one_look_knows() -> None:
    upto = length(KEPT) or 0
    with closing(open_recording(KEPT)) as one, closing(open_recording(KEPT)) as other:
        playback = Playback(one.header.monotonic, length=upto)
        playback.pause()
        playback.go(Share(0.7))
        with player_of(one, KEPT, playback) as player:
            found = next(iter(player.snapshots()))
        assert found == known_at(other, playback.position)
        assert playback.stopped
