"""The server's version, as told in ``welcome``."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["VERSION"]

try:
    VERSION = version("pokerd")
except PackageNotFoundError:  # run from a checkout that is not installed
    VERSION = "0+unknown"
