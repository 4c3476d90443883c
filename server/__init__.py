"""The open house: sockets, live tables, competitions, storage."""
