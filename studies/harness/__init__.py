"""The common parts of all studies: playing without sockets, interruptible work, reports."""
