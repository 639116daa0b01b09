from pathlib import Path

import pytest
from lab.faults import VARIABLE, Fault, FaultFile, Faults


def test_faults_last_as_long_as_their_block(tmp_path: Path) -> None:
    faults = Faults(tmp_path / "P.json")
    seen = FaultFile(tmp_path / "P.json")
    fault = Fault(call="transfer", does="raise", times=2)
    assert seen.now() == ()
    with faults.at_work(fault):
        assert seen.now() == (fault,)
        assert seen.now() == (fault,)
    assert seen.now() == ()


def test_faults_are_taken_away_also_when_the_block_fails(tmp_path: Path) -> None:
    faults = Faults(tmp_path / "P.json")
    with pytest.raises(ZeroDivisionError), faults.at_work(Fault(call="transfer", does="drop")):
        raise ZeroDivisionError
    assert FaultFile(tmp_path / "P.json").now() == ()


def test_each_fault_is_counted_by_a_name_of_its_own() -> None:
    first, second = (Fault(call="transfer", does="raise") for _ in range(2))
    assert first.name != second.name


def test_the_engine_is_told_which_file_is_its_own(tmp_path: Path) -> None:
    assert Faults(tmp_path / "P.json").environment == {VARIABLE: str(tmp_path / "P.json")}
