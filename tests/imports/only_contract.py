"""An import-linter contract: the modules of one room import what is listed and nothing else.

The contract types that come with import-linter name what is forbidden; a room added later would be allowed
everywhere. This one names what is allowed. It looks at direct imports only, which is enough when every room
has a contract: an indirect way out needs a direct one somewhere.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, cast

from importlinter import Contract, ContractCheck, fields, output

if TYPE_CHECKING:
    from grimp import ImportGraph


class Refused(NamedTuple):
    """One import that the contract does not allow, with the lines where it stands."""

    importer: str
    imported: str
    lines: tuple[int, ...]


class OnlyContract(Contract):
    """Configuration of one room.

    room: the package that the contract is about.
    rooms: packages of the project that it may import, beside itself.
    libraries: packages from outside that it may import; absent = any.
    never: modules of the standard library that it must not import.
    """

    type_name = "only"

    room = fields.StringField()
    rooms = fields.ListField(subfield=fields.StringField(), required=False)
    libraries = fields.ListField(subfield=fields.StringField(), required=False)
    never = fields.ListField(subfield=fields.StringField(), required=False)

    def validate(self) -> None:
        """Read the parsed fields once, with their types: importlinter replaces each field by its value."""
        self._rooms = [str(self.room), *(cast("list[str] | None", self.rooms) or [])]
        self._libraries = cast("list[str] | None", self.libraries)
        self._never = cast("list[str] | None", self.never) or []

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Compare every direct import of the room with the lists."""
        room = str(self.room)
        modules = sorted({room} | graph.find_descendants(room))
        refused = [
            Refused(module, imported, _lines(graph, module, imported))
            for module in modules
            for imported in sorted(graph.find_modules_directly_imported_by(module))
            if not self._allows(imported, self.session_options["root_packages"])
        ]
        return ContractCheck(kept=not refused, metadata={"refused": refused})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the refused imports, one a line."""
        for importer, imported, lines in check.metadata["refused"]:
            output.print_error(f"- {importer} -> {imported} (l.{', '.join(map(str, lines))})", bold=False)
        output.new_line()

    def _allows(self, imported: str, roots: list[str]) -> bool:
        if any(imported == room or imported.startswith(f"{room}.") for room in self._rooms):
            return True
        top = imported.partition(".")[0]
        if top in roots:
            return False
        if top in sys.stdlib_module_names:
            return top not in self._never
        return self._libraries is None or top in self._libraries


def _lines(graph: ImportGraph, importer: str, imported: str) -> tuple[int, ...]:
    details = graph.get_import_details(importer=importer, imported=imported)
    return tuple(sorted({int(detail["line_number"]) for detail in details}))
