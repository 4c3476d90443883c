"""TLS certificates for servers of the tests."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_certificate(
    folder: Path, name: str = "server", *, password: str = "", host: str = "localhost"
) -> tuple[Path, Path]:
    """A self-signed certificate for ``host`` and 127.0.0.1, and its key."""
    folder.mkdir(exist_ok=True)
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    secret = ["-passout", f"pass:{password}"] if password else ["-nodes"]
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", *secret]
    words += ["-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=IP:127.0.0.1,DNS:{host}"]
    subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=30)
    return certificate, key
