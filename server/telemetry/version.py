"""The server's version, as sent in ``welcome``."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("pokerd")
except PackageNotFoundError:  # a checkout that is not installed
    VERSION = "0+unknown"
