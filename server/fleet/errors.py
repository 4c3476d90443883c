"""The error of a fleet. Imports none of its libraries, so it can report that they are missing."""

from __future__ import annotations

from server.errors import ServerError


class FleetError(ServerError):
    """An error of a fleet.

    ``no_fleet``: the libraries are not installed. ``bad_database``: not the address of a PostgreSQL database.
    ``no_database``: it cannot be reached, or refuses us. ``newer_database``: its schema was created by a
    later version. ``bad_tables``: some tables are missing. ``unknown_competition``: the database does not
    have it. ``competition_in_use``: another coordinator has it. ``bad_node``: not a valid name for a node.
    ``bad_url``: bots could not reach a node there. ``node_in_use``: another node has that name or directory.
    ``node_failed``: pokerd failed at a node. ``bad_result``: a node reported an impossible result.
    """
