import json
from pathlib import Path

from lab import model


def test_the_model_is_one_file_of_settings(tmp_path: Path) -> None:
    directory = model.make(tmp_path / "tiny")
    (file,) = directory.iterdir()
    assert json.loads(file.read_text())["num_hidden_layers"] == 4
