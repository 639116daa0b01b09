"""A model small enough to start anywhere: settings only, the weights are random."""

import json
from pathlib import Path

NAME = "tiny"
"""What requests call it."""

VOCABULARY = 1024
"""Prompts are lists of token ids below this."""

MAX_LENGTH = 8192
"""Tokens, prompt and answer together."""


def make(directory: Path) -> Path:
    """Write the model's settings into a directory, and return it."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.json").write_text(json.dumps(settings(), indent=2), encoding="utf-8")
    return directory


def settings() -> dict[str, object]:
    """Describe a Llama of four layers, whose KV cache takes 2 KiB a token."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "num_hidden_layers": 4,
        "hidden_size": 256,
        "intermediate_size": 512,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 32,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": 2 * MAX_LENGTH,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "torch_dtype": "bfloat16",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
    }
