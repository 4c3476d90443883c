"""What can be wrong with a fleet. This needs none of its libraries, so it can say that they are missing."""

from __future__ import annotations

from server.errors import ServerError

__all__ = ["FleetError"]


class FleetError(ServerError):
    """``no_fleet``: the libraries are not installed. ``bad_database``: no address of a PostgreSQL database.
    ``no_database``: it cannot be reached, or lets us not in. ``newer_database``: a later pokerd made its
    tables. ``bad_tables``: some of them are missing. ``unknown_competition``: the database does not know it.
    ``competition_in_use``: another coordinator has it. ``bad_node``: no node can be called that.
    ``bad_url``: bots could not reach a node there. ``node_in_use``: another node has that name, or plays in
    that directory. ``node_failed``: pokerd failed at a node. ``bad_result``: a node reported what cannot be.
    """
