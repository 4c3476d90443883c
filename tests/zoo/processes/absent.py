"""Never connects."""

import signal

signal.pause()
