"""The results of a study, in one form for all studies: rows with a verdict each, figures, and a text.

``report.json`` has everything but the pictures; ``report.md`` is the same for people to read, and the figures
are PNG files beside it, or GIF files if animated. Everything follows from the results: the same results give
the same bytes, so there is no date.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from studies.harness.errors import StudyError

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Verdict = Literal["reproduced", "not reproduced", "undecided", "document in error", "beyond"]
"""The source's claim holds here; it does not; what was played cannot tell; the source contradicts itself or
computable facts; the source makes no such claim, or none that can be judged.
"""

Value = float | int | str | None
"""The type of a claim's value."""

Setting = Value | Mapping[str, Value]
"""A setting of a study; those of its parts, by name, are a table in ``report.md``."""

COLOURS = ("#1f4e79", "#c55a11", "#548235", "#7f3f98", "#7f7f7f")
"""Of lines and bars in pictures."""

NOT_SHOWN = "The document's own figure does not show it"
"""In the note of a claim of which the source's own figure, with its noise, is no evidence."""

_AIM = 2.0
# Core-hours.

_NO_EVIDENCE = "the document's own figures are no evidence for {} of them"
_ONE_SIDED = "{} of them could not have come out as reproduced, as the document's noise exceeds the margin"

_MARGIN = 0.08
# Inches around axes with their titles and ticks.

_RULE = """
*document* is its figure, after ± half of its 95 % interval, where that can be estimated. *bound* is the
margin of a figure (±), or the range of a claim. A figure is *reproduced* if the 95 % interval of its
difference from the document's, with the noise of both, lies within the margin, even if it surely differs,
which its note then says; otherwise *not reproduced* if that interval excludes zero, so that the figure
surely differs, be it by less than the margin; otherwise *undecided*. A claim is reproduced if our whole
interval is in its range, not reproduced if none of it is, otherwise undecided; its note says if the
document's own figure, with its noise, does not show it. Fewer than ten units decide nothing. *detects*
tells whether a row could have come out otherwise: it is the smallest difference that four of five such
studies would find. What is computed has no interval and no bound: it has to be what the document says, or
as near to it as its note says. *document in error*: it contradicts itself, a computation, or the public
record. *beyond*: it makes no such claim, or none that can be judged.
"""

_HIDDEN = """
The noise of the document's own figure hides what would matter: were the true figures equal, fewer than half
of such comparisons would come out as reproduced, however much is played. So these have no verdict.
"""

_UNDECIDED = """
{spent}Below is from how many units the interval of a row is, how many would decide if its figure stays what
it is, and about how many more core-hours they take; of rows that are *beyond*, how many would decide whether
there is a gain. *None*: no number decides as long as the figure stays
there, because it lies on the bound, because with the document's noise it can neither be told from the
document's figure nor be said to be within the margin, or because the row is computed. No row is played on
until it is decided, however cheap: each further look adds to the chance of a wrong decision.
"""

_SPENT = """
The sizes of a full run were set by time: they aim at an hour on two cores, which is two core-hours. The run
of this report took {spent:.2g} core-hours of CPU time on the machine that made it{beyond}.
"""


class MissingLibrary(StudyError):
    """A library that studies need is not installed."""

    code = "missing_library"
    at_fault = "environment"


@dataclass(frozen=True)
class Row:
    """One claim and its verdict.

    ``source`` is the claim's place in the source, ``paper`` the source's value, ``measured`` the value
    measured here, with a 95 % interval from ``low`` to ``high`` where meaningful. ``detects`` is the row's
    power: the smallest difference that four of five such studies would find (``studies.harness.verdicts``).
    ``units`` is the number of independent units of the interval; ``needed``, if undecided, how many would
    decide (None: no number would). ``bound`` is the margin or the range that it is judged by.
    ``paper_noise`` is half of the 95 % interval of the source's value (None: unknown, or none).
    """

    id: str
    source: str
    claim: str
    paper: Value
    measured: Value
    verdict: Verdict
    note: str = ""
    low: float | None = None
    high: float | None = None
    detects: float | None = None
    units: int | None = None
    needed: int | None = None
    bound: str = ""
    paper_noise: float | None = None

    @property
    def hidden_by_noise(self) -> bool:
        """Return whether the source has this figure, and its noise alone hides what would matter."""
        return self.verdict == "beyond" and self.bound.startswith("±")

    @property
    def could_not_be_reproduced(self) -> bool:
        """Return whether it is not reproduced, and the noise of the source's figure alone exceeds the margin,
        so that it could not have been.
        """
        figure = self.verdict == "not reproduced" and self.bound.startswith("± ")
        return figure and float(self.bound[2:].replace(",", "")) < (self.paper_noise or 0.0)

    @property
    def is_beyond(self) -> bool:
        """Return whether the source makes no such claim, or none that can be judged."""
        return self.verdict == "beyond" and not self.hidden_by_noise

    @property
    def is_open(self) -> bool:
        """Return whether more units might decide it."""
        return self.verdict == "undecided" or self.needed is not None


@dataclass(frozen=True)
class Figure:
    """A picture, drawn into an empty matplotlib figure of ``size`` inches."""

    name: str
    caption: str
    draw: Callable[[Canvas], None]
    size: tuple[float, float] = (8.0, 4.5)

    @property
    def file(self) -> str:
        """Return the file name in the report's directory."""
        return f"{self.name}.png"


@dataclass(frozen=True)
class Animation:
    """Pictures one after the other, half a second each, in a loop; each drawn like a Figure."""

    name: str
    caption: str
    frames: Sequence[Callable[[Canvas], None]]
    size: tuple[float, float] = (8.0, 4.5)

    @property
    def file(self) -> str:
        """Return the file name in the report's directory."""
        return f"{self.name}.gif"


@dataclass(frozen=True)
class StudyReport:
    """A finished study. ``method`` is paragraphs on the method, ``settings`` its settings.

    ``seconds``: the CPU time of each unit of work (``studies.harness.work``); a quick report has none, so
    that it is the same again. ``row_contests``: the contests or experiments that a row's interval is from,
    where these are not all.
    """

    study: str
    title: str
    quick: bool
    settings: Mapping[str, Setting]
    method: Sequence[str]
    rows: Sequence[Row]
    figures: Sequence[Figure | Animation] = ()
    row_contests: Mapping[str, Collection[str]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def core_hours(self) -> float | None:
        """Return what all units took, in CPU time; None if that is unknown."""
        return sum(self.seconds.values()) / 3600 if self.seconds else None

    def data(self) -> dict[str, Any]:
        """Return the content of ``report.json``."""
        return {
            "study": self.study,
            "title": self.title,
            "quick": self.quick,
            "settings": {
                key: dict(value) if isinstance(value, Mapping) else value
                for key, value in self.settings.items()
            },
            "core_hours": None if self.core_hours is None else round(self.core_hours, 2),
            "method": list(self.method),
            "rows": [asdict(row) for row in self.rows],
            "figures": [{"file": one.file, "caption": one.caption} for one in self.figures],
        }

    def markdown(self) -> str:
        """Return the content of ``report.md``."""
        settings = ", ".join(
            f"{key} {value if key == 'seed' else _text(value)}"
            for key, value in self.settings.items()
            if not isinstance(value, Mapping)
        )
        parts = [
            f"# {self.title}",
            f"Made by `python -m pokerd study {self.study}{' --quick' if self.quick else ''}`: {settings}.",
            *(
                _settings_table(key, one)
                for key, one in self.settings.items()
                if one and isinstance(one, Mapping)
            ),
        ]
        if self.quick:
            parts.append("A quick run: enough to see that everything works, too little to judge a claim by.")
        rule = " ".join(_RULE.split())
        hidden = [row for row in self.rows if row.hidden_by_noise]
        beyond = [row for row in self.rows if row.is_beyond]
        judged = [row for row in self.rows if row.verdict != "beyond"]
        parts += [*self.method, f"## Claims\n\n{self._counts()}", rule, _table(judged)]
        if hidden:
            why = " ".join(_HIDDEN.split())
            parts += [f"## Hidden by the document's noise\n\n{why}", _table(hidden)]
        if beyond:
            parts += ["## Beyond the document", _table(beyond)]
        if not self.quick and any(row.is_open for row in self.rows):
            parts += ["## Undecided rows", self._undecided()]
        notes = [f"* `{row.id}`: {row.note}" for row in self.rows if row.note]
        if notes:
            parts += ["## Notes", "\n".join(notes)]
        if self.figures:
            parts.append("## Figures")
            parts += [f"![{one.caption}]({one.file})\n\n{one.caption}" for one in self.figures]
        return "\n\n".join(parts) + "\n"

    def _counts(self) -> str:
        """Return how many rows have which verdict, those that are measured and those that are computed."""
        beyond, hidden = (
            sum(getattr(row, name) for row in self.rows) for name in ("is_beyond", "hidden_by_noise")
        )
        told = [
            f"{what}: {_verdicts(row for row in self.rows if (row.units is None) is computed)}."
            for what, computed in (("Measured", False), ("Computed", True))
        ]
        told += [f"Beyond the document: {beyond}."] if beyond else []
        told += [f"Hidden by the document's noise: {hidden}."] if hidden else []
        return f"{len(self.rows)} rows. {' '.join(told)}"

    def _undecided(self) -> str:
        """Return what was spent, and what each row would need that more units might decide."""
        lines = ["| row | units | would decide | more core-hours |", "|---|---:|---:|---:|"]
        spent = ""
        if self.core_hours is not None:
            beyond = ", more than the aim" if self.core_hours > _AIM else ""
            spent = _SPENT.format(spent=self.core_hours, beyond=beyond)
        for row in self.rows:
            if row.is_open:
                hours = self._more_hours(row)
                cost = "" if hours is None else f"{hours:.2g}" if hours < 10 else f"{hours:,.0f}"
                needed = "none" if row.needed is None else _text(row.needed)
                lines.append(f"| `{row.id}` | {_text(row.units)} | {needed} | {cost} |")
        rule = " ".join(_UNDECIDED.format(spent=spent).split())
        return f"{rule}\n\n" + "\n".join(lines)

    def _more_hours(self, row: Row) -> float | None:
        if not self.seconds or not row.units or row.needed is None:
            return None
        names = self.row_contests.get(row.id)
        own = [
            spent for key, spent in self.seconds.items() if names is None or key.rpartition("/")[0] in names
        ]
        return sum(own) / 3600 * (row.needed / row.units - 1)


def _verdicts(rows: Iterable[Row]) -> str:
    judged = [row for row in rows if row.verdict != "beyond"]
    counts = Counter(row.verdict for row in judged)
    unshown = sum(row.verdict == "reproduced" and NOT_SHOWN in row.note for row in judged)
    noisy = sum(row.could_not_be_reproduced for row in judged)
    asides = {
        "reproduced": f" ({_NO_EVIDENCE.format(unshown)})" if unshown else "",
        "not reproduced": f" ({_ONE_SIDED.format(noisy)})" if noisy else "",
    }
    told = [f"{counts[one]} {one}{asides.get(one, '')}" for one in get_args(Verdict) if counts[one]]
    return ", ".join(told) or "none"


def _table(rows: Sequence[Row]) -> str:
    lines = [
        "| row | source | claim | document | here | 95 % | bound | detects | verdict |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        between = "" if row.low is None else f"{_text(row.low)} to {_text(row.high)}"
        paper = _text(row.paper)
        if row.paper_noise is not None:
            counted = round(row.paper, 4) if isinstance(row.paper, float) else row.paper
            paper = f"{_text(counted)} ± {_text(row.paper_noise)}"
        numbers = (paper, _text(row.measured), between, row.bound, _text(row.detects))
        cells = [f"`{row.id}`", row.source, row.claim, *numbers]
        lines.append("| " + " | ".join(_cell(cell) for cell in (*cells, row.verdict)) + " |")
    return "\n".join(lines)


def _settings_table(heading: str, settings: Mapping[str, Value]) -> str:
    lines = [f"| {_cell(key)} | {_cell(_text(value))} |" for key, value in settings.items()]
    return "\n".join([f"| {heading} | |", "|---|---:|", *lines])


def _text(value: Value) -> str:
    if value is None:
        return ""
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def write_report(report: StudyReport, directory: Path) -> None:
    """Write ``report.json``, ``report.md`` and the figures. Raises MissingLibrary without matplotlib."""
    directory.mkdir(parents=True, exist_ok=True)
    for figure in report.figures:
        if isinstance(figure, Animation):
            save_animation(figure, directory / figure.file)
        else:
            save_picture(figure.draw, figure.size, directory / figure.file)
    data = json.dumps(report.data(), indent=1, ensure_ascii=False) + "\n"
    (directory / "report.json").write_text(data, encoding="utf-8")
    (directory / "report.md").write_text(report.markdown(), encoding="utf-8")


def save_picture(
    draw: Callable[[Canvas], None], size: tuple[float, float], file: Path | BytesIO, dpi: int = 110
) -> None:
    """Call ``draw`` with an empty figure of ``size`` inches, and save it as a PNG file, whatever its name.
    Raises MissingLibrary without matplotlib, OSError.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError as error:
        raise MissingLibrary("pictures need matplotlib: pip install 'pokerd[studies]'") from error
    # Above axes of a fixed shape it may leave less than that.
    layout = ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN)
    canvas = Canvas(figsize=size, dpi=dpi, layout=layout)
    drawn = FigureCanvasAgg(canvas)
    draw(canvas)
    # ``savefig`` would draw it twice: to lay it out, and once more.
    drawn.print_png(file, metadata={"Software": None})  # type: ignore[no-untyped-call]


def save_animation(film: Animation, file: Path) -> None:
    """Write a film as a GIF file, whatever its name. Raises MissingLibrary without matplotlib, OSError."""
    pictures = []
    for draw in film.frames:
        drawn = BytesIO()
        save_picture(draw, film.size, drawn, dpi=80)
        # It comes with matplotlib.
        from PIL import Image

        # Few colours and no dithering: a tenth of the size, and it looks the same.
        pictures.append(Image.open(drawn).convert("RGB").quantize(48, dither=Image.Dither.NONE))
    first, *rest = pictures
    first.save(file, "GIF", save_all=True, append_images=rest, duration=500, loop=0, optimize=True)
