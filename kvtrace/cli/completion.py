"""`kvtrace completion`: the script that completes kvtrace's words in a shell."""

import click
from click.shell_completion import get_completion_class

from kvtrace.cli.streams import put

EXAMPLES = """\b
Examples:
  eval "$(kvtrace completion bash)"             in ~/.bashrc
  eval "$(kvtrace completion zsh)"              in ~/.zshrc
  kvtrace completion fish > ~/.config/fish/completions/kvtrace.fish
"""


@click.command("completion", epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes kvtrace's words in SHELL."""
    made = get_completion_class(shell)
    if made is not None:
        root = ctx.find_root().command
        put([made(root, {}, "kvtrace", "_KVTRACE_COMPLETE").source()])
