"""``pokerd study``: rerun the experiments of a paper."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.options.arguments import positive

HELP = "rerun the experiments of a paper and write a report"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_run_study)
    parser.add_argument("name", nargs="?", metavar="NAME", help="the study; without it, list them")
    parser.add_argument("--quick", action="store_true", help="a short run, to check that everything works")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="directory for the report (results/studies/NAME)"
    )
    parser.add_argument(
        "--workers", type=positive, default=2, metavar="N", help="parallel processes (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=2017, metavar="N", help="random seed (%(default)s)")


def _run_study(options: argparse.Namespace) -> int:
    from studies.harness.runner import run_study, study_names, study_of

    if options.name is None:
        for name in study_names():
            print(f"{name:12}{study_of(name).title}")
        return 0
    out = options.out or Path("results", "studies", f"{options.name}{'-quick' if options.quick else ''}")
    return run_study(options.name, out, quick=options.quick, seed=options.seed, workers=options.workers)
