"""axe-core, which looks for what keeps people out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from playwright.sync_api import Page, expect


@cache
def _source() -> str:
    return (Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


#: The rules about colours: all that can change with those of the system.
_CONTRAST = ["color-contrast", "link-in-text-block"]


def violations(page: Page, *, contrast_only: bool = False) -> list[str]:
    """What axe finds wrong with the page as it is now, one line each."""
    # Buttons that do not listen yet are paler on purpose.
    expect(page.locator("[data-too-soon]")).to_have_count(0)
    # Evaluated rather than added as a script: the policy of the page allows no foreign one.
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(_source())
    found: list[str] = page.evaluate(
        """async (rules) => {
          const some = rules ? { runOnly: rules } : {};
          const { violations } = await axe.run({ resultTypes: ['violations'], ...some });
          return violations.flatMap(({ id, nodes }) => nodes.map(
            (node) => `${id}: ${node.html.slice(0, 120)} ${node.failureSummary.slice(0, 300)}`));
        }""",
        _CONTRAST if contrast_only else None,
    )
    return found
