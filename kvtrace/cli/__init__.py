"""The command line: `main` alone prints errors and chooses exit codes."""

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from kvtrace import __version__
from kvtrace.cli.streams import prepare, put, tell, unwritten
from kvtrace.errors import KvtraceError

COMMANDS = {
    "live": "Show the transfers of this host's engines, or of a fleet, as they happen.",
    "collect": "Receive OTLP without a screen: record it, pass it on, tell counts.",
    "record": "Record what this host's engines say, to replay it later.",
    "replay": "Play a recording through the same screen.",
    "diagnose": "Say what is wrong, and why, as a report.",
    "explain": "Print what a cause means and what to do.",
    "agent": "Send what this host's engines say to an OTLP endpoint.",
    "find": "Say what a request is called in what the agent sent.",
    "doctor": "Check how engines are set up.",
    "lab": "Break real engines in known ways (in a checkout).",
    "version": "Say which kvtrace this is.",
    "completion": "Print the script that completes kvtrace's words in a shell.",
}
"""What each subcommand does; told here so that help imports none of them."""

EXAMPLES = """\b
Examples:
  kvtrace live                       watch the engines of this host
  kvtrace live --once                how things stand, and no more
  kvtrace live --listen :4317        watch the engines that agents tell of
  kvtrace live --record now.kvtrace  watch, and keep what is seen
  kvtrace replay now.kvtrace         see it again
  kvtrace diagnose now.kvtrace       what went wrong, and why

\b
Exit codes:
  0    done; with diagnose and doctor, nothing is wrong
  1    with diagnose and doctor, something is wrong
  2    it could not be done, and why is said
  130  Ctrl-C cut it off
"""


class Subcommands(click.Group):
    """Imports a subcommand when it is chosen."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All of them, in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The one of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"kvtrace.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists them without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Subcommands,
    epilog=EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="kvtrace %(version)s")
@click.pass_context
def kvtrace(ctx: click.Context) -> None:
    """See why a KV transfer between vLLM's prefill and decode engines hangs or is slow."""
    if ctx.invoked_subcommand is None:
        put([ctx.get_help()])


def run(arguments: Sequence[str] | None = None) -> int:
    """Does what the arguments say; 0 when it was done, 2 when it could not be, 130 when cut off."""
    try:
        return int(kvtrace.main(arguments, "kvtrace", standalone_mode=False) or 0)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "kvtrace"
        return _refused(f"{error.format_message().rstrip('.')}; see `{path} --help`")
    except (KvtraceError, click.ClickException) as error:
        return _refused(str(error))
    except OSError as error:
        # Whatever opens or reads turns this into an error of ours; click prints help by itself.
        if error.filename is not None:
            raise
        return _refused(str(unwritten(error)))
    except (click.Abort, KeyboardInterrupt):
        return 130


def main() -> None:
    """The entry point of the `kvtrace` command."""
    prepare()
    sys.exit(run())


def _refused(message: str) -> int:
    tell(f"kvtrace: {message}")
    return 2
