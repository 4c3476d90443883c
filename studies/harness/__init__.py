"""What all studies share: playing without sockets, work that can be interrupted, reports."""
