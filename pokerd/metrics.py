"""The options for a port with metrics and health, and nothing else."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pokerd.network import port

if TYPE_CHECKING:
    from server.web.health import MetricsPort

__all__ = ["add_metrics_options", "metrics_port"]


def add_metrics_options(parser: argparse.ArgumentParser) -> None:
    """Add them."""
    parser.add_argument(
        "--metrics-port", type=port, metavar="PORT", help="port for /metrics and /healthz alone, 0 for any"
    )
    parser.add_argument(
        "--metrics-host", default="127.0.0.1", metavar="HOST", help="its address (%(default)s)"
    )


def metrics_port(options: argparse.Namespace) -> MetricsPort | None:
    """The port, if one is asked for."""
    from server.web.health import MetricsPort

    return None if options.metrics_port is None else MetricsPort(options.metrics_host, options.metrics_port)
