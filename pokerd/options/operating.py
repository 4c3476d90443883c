"""The options for those who operate a server: metrics and health at a port of their own, and the log."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pokerd.options.network import port

if TYPE_CHECKING:
    from server.telemetry.logging_setup import LogConfig
    from server.web.health import MetricsPort

__all__ = ["add_log_options", "add_metrics_options", "journal", "metrics_port"]


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


def add_log_options(parser: argparse.ArgumentParser, level: str, file: str = "standard error") -> None:
    """Add them; ``level``: the default one. ``file``: where the log goes if not told."""
    levels = ("debug", "info", "warning", "error")
    parser.add_argument("--log-level", default=level, choices=levels, help="least level (%(default)s)")
    parser.add_argument("--log-file", type=Path, metavar="FILE", help=f"append the log there ({file})")
    parser.add_argument("--log-format", default="json", choices=("json", "console"), help="(%(default)s)")


def journal(options: argparse.Namespace) -> LogConfig:
    """What they say."""
    from server.telemetry.logging_setup import LogConfig

    return LogConfig(options.log_level, options.log_file, options.log_format)
