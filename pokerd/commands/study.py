"""``pokerd study``: rerun the experiments of a paper."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.options.arguments import declare, positive

HELP = "rerun the experiments of a paper and write a report"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_run_study)
    parser.add_argument("name", nargs="?", metavar="NAME", help="the study; without it, list them")
    declare(
        parser,
        ("--quick", "a short run, to check that everything works"),
        ("--out", "directory for the report (results/studies/NAME)", Path, None, "DIR"),
        ("--workers", "parallel processes", positive, 2, "N"),
        ("--seed", "random seed", int, 2017, "N"),
    )


def _run_study(options: argparse.Namespace) -> int:
    from studies.harness.runner import run_study, study_names, study_of

    if options.name is None:
        for name in study_names():
            print(f"{name:12}{study_of(name).title}")
        return 0
    out = options.out or Path("results", "studies", f"{options.name}{'-quick' if options.quick else ''}")
    return run_study(options.name, out, quick=options.quick, seed=options.seed, workers=options.workers)
