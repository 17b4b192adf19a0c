"""`benchmark make|run|report`: test sets of a collection, every method on them, the tables."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from brit.cli.checks import positive
from brit.cli.commands import Add, Command, named_path
from brit.cli.terminal import complain, print_facts, printable, show, shown_progress
from brit.config import Budget, Settings, read_budget
from brit.errors import InputError

if TYPE_CHECKING:
    from brit.pipeline.estimate import Estimate

COUNT = 100


def add_benchmark_commands(add: Add) -> None:
    parent = add("benchmark", make_command, "make a test set of a collection, run it, report")
    actions = parent.add_subparsers(required=True, metavar="make|run|report")

    def act(name: str, command: Command, help: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=help, description=help)
        # Without a default of its own: what stands before the action counts too.
        sub.add_argument("--workspace", type=named_path, metavar="DIR", default=argparse.SUPPRESS,
                         help="the workspace folder")  # fmt: skip
        sub.set_defaults(command=command)
        return sub

    sub = act("make", make_command, "make questions that need both text and pictures")
    sub.add_argument("--collection", required=True)
    sub.add_argument("-o", "--output", type=named_path, required=True, metavar="FILE.jsonl")
    sub.add_argument("--seed", type=int, default=0, metavar="N")
    sub.add_argument("--count", type=positive, default=COUNT, metavar="N")
    sub.add_argument("--model", action="store_true",
                     help="written and checked by the model that answers, which costs")  # fmt: skip
    sub.add_argument("--nea", metavar="NAME",
                     help="pairs without and with imaginary names, asked of the new collection "
                     "NAME, a copy with the names explained")  # fmt: skip
    sub.add_argument("--pairs", type=named_path, metavar="FILE.jsonl",
                     help="with --nea: these pairs, made by hand, and no others")  # fmt: skip
    sub.add_argument("--estimate", action="store_true",
                     help="with --model: only say what it would cost")  # fmt: skip
    _add_cap(sub, "the model")
    sub.add_argument("--json", action="store_true")
    sub = act("run", run_command, "run methods on a test set; the same command goes on")
    sub.add_argument("file", type=named_path, metavar="FILE.jsonl")
    sub.add_argument("--collection", required=True)
    sub.add_argument("-o", "--output", type=named_path, required=True, metavar="RUN.json")
    sub.add_argument("--methods", metavar="NAME,…",
                     help="as default,own,paper:CA+LS,paper:none,bm25; all without")  # fmt: skip
    sub.add_argument("--answers", action="store_true",
                     help="questions are also answered: by the model, which costs, or by quoting "
                     "where there is none and no choices are given")  # fmt: skip
    sub.add_argument("--estimate", action="store_true",
                     help="only say what the answers would cost")  # fmt: skip
    _add_cap(sub, "the answers")
    sub.add_argument("--fields", type=named_path, metavar="MAP.toml",
                     help="which fields of MM-RAG's test set are which")  # fmt: skip
    sub.add_argument("--json", action="store_true")
    sub = act("report", report_command, "the paper's tables of a run")
    sub.add_argument("file", type=named_path, metavar="RUN.json")
    sub.add_argument(
        "--table", type=int, choices=(1, 2, 3, 4, 5), help="all that were measured without"
    )
    sub.add_argument("--format", choices=("text", "csv", "json", "latex"), default="text")
    sub.add_argument("--json", action="store_true")


def _add_cap(sub: argparse.ArgumentParser, what: str) -> None:
    sub.add_argument("--cap", default="", metavar="AMOUNT",
                     help=f"what {what} of this call may cost, as 2.50 or “200000 tokens”; the "
                     "same command goes on")  # fmt: skip


def _read_cap(options: argparse.Namespace) -> Budget | None:
    return read_budget(" ".join(options.cap.split()), "--cap")


def make_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.evaluation.benchmark.by_hand import read_pairs
    from brit.evaluation.benchmark.records import BenchmarkSet, write_set
    from brit.pipeline import Models
    from brit.pipeline.benchmark import begun_beside, make_set
    from brit.pipeline.benchmark_estimate import estimate_making
    from brit.pipeline.benchmark_named import make_named_set
    from brit.storage import Workspace

    cap = _read_cap(options)
    if options.output.exists():
        raise InputError(
            f"“{options.output}” is there already, and what was accepted or edited in it would be "
            "lost: name another file."
        )
    if options.pairs and options.nea is None:
        raise InputError("Pairs have names to be explained: say --nea NAME as well.")
    workspace = Workspace.open(settings.workspace, create=False)
    models = Models(settings, workspace.calls)
    if options.model or options.estimate:
        cost = estimate_making(workspace, models, options.count)
        if options.estimate:
            _show_estimate(cost, options)
            return 0
        complain(cost.in_words())
    begun = begun_beside(options.output)
    make: Callable[..., BenchmarkSet] = make_set
    if options.nea is not None:
        by_hand = read_pairs(options.pairs) if options.pairs else ()
        make = partial(make_named_set, derived=options.nea, by_hand=by_hand)
    with shown_progress() as on_progress:
        made = make(
            workspace,
            options.collection,
            models=models,
            count=options.count,
            seed=options.seed,
            made_by="model" if options.model else "embedded",
            cap=cap,
            begun=begun,
            on_progress=on_progress,
        )
    write_set(options.output, made)
    begun.unlink(missing_ok=True)
    kinds = Counter(f"{each.type}, {each.source}" for each in made.questions)
    facts = {"file": str(options.output), "collection": made.making.collection,
             "questions": len(made.questions),
             "wanted": made.making.wanted, "documents": made.making.documents,
             "made_by": made.making.made_by, "by_type": dict(kinds),
             "rejected": made.making.rejected}  # fmt: skip
    show(facts, options.json, lambda: _print_made(facts))
    return 0


def _show_estimate(cost: Estimate, options: argparse.Namespace) -> None:
    names = ("calls", "prompt_tokens", "completion_tokens", "money", "currency")
    show({name: getattr(cost, name) for name in names}, options.json,
         lambda: print(printable(cost.in_words())))  # fmt: skip


def _print_made(facts: dict[str, Any]) -> None:
    told = {name: value for name, value in facts.items() if not isinstance(value, dict)}
    print_facts(told)
    for name in ("by_type", "rejected"):
        print(f"\n{name.replace('_', ' ')}")
        print_facts({f"  {each}": count for each, count in facts[name].items()})


def run_command(options: argparse.Namespace, settings: Settings) -> int:
    from brit.evaluation.benchmark.foreign import read_any_set
    from brit.pipeline import Models
    from brit.pipeline.benchmark_estimate import estimate_answers
    from brit.pipeline.benchmark_run import ALL_METHODS, parse_method, questions_here, run_set
    from brit.storage import Workspace

    questions = read_any_set(options.file, options.fields)
    cap = _read_cap(options)
    workspace = Workspace.open(settings.workspace, create=False)
    models = Models(settings, workspace.calls)
    methods = ALL_METHODS if options.methods is None else options.methods.split(",")
    if options.answers or options.estimate:
        asked = questions_here(workspace, questions, options.collection)
        count = sum(len(parse_method(name)) for name in methods)
        cost = estimate_answers(workspace, asked, count, models)
        if options.estimate:
            _show_estimate(cost, options)
            return 0
        complain(cost.in_words())
    with shown_progress() as on_progress:
        run = run_set(
            workspace,
            questions,
            options.collection,
            options.output,
            models=models,
            methods=methods,
            answers=options.answers,
            cap=cap,
            on_progress=on_progress,
        )
    for method in run.methods:
        if method.missing:
            complain(f"{method.name} was not measured: {method.missing}")
    facts = {"file": str(options.output), "questions": len(run.questions),
             "methods": [each.name for each in run.methods], "left": run.left}  # fmt: skip
    show(facts, options.json, lambda: print_facts(facts | {"methods": len(run.methods)}))
    return 0


def report_command(options: argparse.Namespace, _: Settings) -> int:
    from brit.evaluation.benchmark.report import as_data, measured_tables, render, tabulate_run
    from brit.evaluation.benchmark.running import read_run

    run = read_run(options.file)
    tables = [options.table] if options.table else measured_tables(run)
    if options.json or options.format == "json":
        data = [as_data(run, table, tabulate_run(run, table)) for table in tables]
        show({"tables": data}, True, lambda: None)
    else:
        print("\n\n".join(printable(render(run, table, options.format)) for table in tables))
    return 0
