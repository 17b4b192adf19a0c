"""`python -m brit …`: the same core as the page (command-line contract of DESIGN.md).

`--json` prints one JSON object on stdout; progress goes to stderr. Exit 0: ok; 1: the user's input
was at fault, one line a fault on stderr; 2: usage.
"""

from __future__ import annotations

import argparse
import io
import os
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import replace

from brit.cli.benchmark import add_benchmark_commands
from brit.cli.care import add_care_commands, doctor_command
from brit.cli.checks import add_check_commands
from brit.cli.commands import Command, named_path
from brit.cli.documents import add_document_commands
from brit.cli.questions import add_question_commands
from brit.cli.terminal import complain
from brit.config import home_path, load_settings
from brit.errors import BritError
from brit.journal import name_visitors


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; → exit code."""
    # They are None where the caller has closed them.
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8 (RFC 8259) whatever the locale.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    options = parse(sys.argv[1:] if arguments is None else arguments)
    command: Command = options.command
    name_visitors(lambda: "command line")
    try:
        settings = load_settings()
        if options.workspace is not None:
            settings = replace(settings, workspace=home_path(str(options.workspace)))
        if command is not doctor_command:  # it says them itself, among the problems
            for notice in settings.notices:
                complain(notice)
        code = command(options, settings)
        sys.stdout.flush()
        return code
    except BritError as error:
        complain(str(error))
    except BrokenPipeError:
        complain("Whoever read the output has closed it.")
        # Python writes out what is left at exit, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except sqlite3.Error as error:
        complain(f"The workspace cannot be read or written ({error}): see `python -m brit doctor`.")
    except OSError as error:
        place = f"“{error.filename}”" if error.filename else "A file, or the output,"
        complain(f"{place} cannot be read or written ({error.strerror or error}).")
    except KeyboardInterrupt:
        complain("Stopped. What was finished stays; run the same command to go on.")
    return 1


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Raises SystemExit(2) on wrong usage."""
    parser = build_parser()
    for each in arguments:
        if each.encode("utf-8", "replace") != each.encode("utf-8", "surrogatepass"):
            parser.error(f"{each!a} is not valid UTF-8: type it again or rename the file")
    return parser.parse_args(arguments)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m brit", description="Ask documents, see why.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help)
        sub.add_argument("--workspace", type=named_path, metavar="DIR", help="the workspace folder")
        sub.set_defaults(command=command)
        return sub

    add_document_commands(add)
    add_question_commands(add)
    add_check_commands(add)
    add_benchmark_commands(add)
    add_care_commands(add)
    return parser
