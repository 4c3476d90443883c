"""All benchmarks: ``python -m benchmarks``."""

from __future__ import annotations

from benchmarks import acpc, rules, server

if __name__ == "__main__":
    rules.main()
    print()
    server.main()
    print()
    acpc.main([])
