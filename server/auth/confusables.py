"""Names that look alike, and letters that do not belong together (after Unicode Technical Standard 39).

Two names are taken for the same if they differ in case alone, or if the signs that are seen do: a Cyrillic or
Greek letter may look like a Latin one. Within one script nothing is: ``0`` and ``O``, or ``l`` and ``I``, are
told apart.
"""
# ruff: noqa: RUF001 (letters that look like others are what this is about)

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["fold_name", "is_one_script", "name_keys"]

#: Signs that nobody sees and that a name may have, as after an emoji (Unicode: Default_Ignorable_Code_Point).
_INVISIBLE: Final = dict.fromkeys(
    sign
    for first, last in (
        (0x34F, 0x34F),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0xFE00, 0xFE0F),
        (0xE0100, 0xE01EF),
    )
    for sign in range(first, last + 1)
)
#: What looks like the first sign of each line, of all scripts in which names are written and of some more.
_LOOKALIKES: Final = str.maketrans(
    {
        alike: line[0]
        for line in (
            "aɑΑαАаᎪᗅꓮ𐊠𖽀",
            "bƄΒβВвЬьᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁",
            "cϲϹСсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜",
            "dԁᎠᏧᑯᗞᗪꓒꓓ",
            "eΕεЕеҽᎬⴹꓰꬲ𐊆𑢦𑢮",
            "fϜքᖴẝꓝꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂",
            "gƍɡԌցᏀᏳᶃꓖ",
            "hΗНнһհᎻᏂᕼⲎꓧ𐋏",
            "iıɩɪͺΙιІіᎥⲒꓲꙇꭵ𑣃",
            "jȷͿϳЈјᎫᒍꓙꞲ",
            "kΚκКкᏦᛕⲔꓗ𐔘",
            "lƖǀӀӏᏞᒪᛁⳐⵏꓡ𐊊𐌉𐐛𐔦𑢣𑢲𖼖𖼨",
            "mΜϺМмᎷᗰᛖⲘꓟ𐊰𐌑",
            "nΝηոռⲚꓠ𐔓",
            "oΟοОоՕօסଠഠဝჿዐᴏᴑⲞⲟⵔꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑢵𑣈𑣗",
            "pΡρϱРрᏢᑭⲢⲣꓑ𐊕",
            "qԛգզⵕ",
            "rƦгᎡᏒᖇᴦⲅꓣꭇꭈꮁ𐒴𖼵",
            "sƽЅѕՏᏕᏚꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺",
            "tΤτТтᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊",
            "uʋυՍսሀᑌᴜꓴꞟꭎꭒ𐓎𐓶𑢸𑣘𖽂",
            "vνѴѵᏙᐯᴠⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈",
            "wɯωѡԜԝաᎳᏔᴡꓪꮃ𑜊𑜎𑜏",
            "xΧχХхᕁᕽᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧",
            "yɣʏΥγϒУуҮүყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃",
            "zΖᏃᴢꓜꮓ𑢩𑣄",
            "3ƷȜЗзӠⳌꝪꞫ𑣊𖼻",
            "4Ꮞ𑢯",
            "6бᏮⳒ𑣕",
            "8Ȣȣ𐌚",
            "口ロ",
            "工エ",
            "力カ",
            "夕タ",
            "卜ト",
            "二ニ",
            "八ハ",
            "千チ",
            "へヘ",
            "り\u30ea",
            "一ー",
            "-‐‑‒–—―−",
            "'‘’ʹʻʼʽ",
        )
        for alike in line[1:]
    }
)
#: First words of the names of letters that go with those of any script, and of those that go by another name.
_COMMON: Final = frozenset({"MODIFIER", "KATAKANA-HIRAGANA"})
_SCRIPTS: Final = {"IDEOGRAPHIC": "CJK", "IDEOGRAPH": "CJK"}
#: Scripts that are written together (UTS 39, "highly restrictive").
_COMPATIBLE_SCRIPTS: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """The same for all spellings of a name that differ in case, width, blanks or what cannot be seen."""
    seen = unicodedata.normalize("NFKC", " ".join(name.translate(_INVISIBLE).split()))
    # An accent that stands alone becomes a blank and the accent: so blanks are looked for once more.
    return " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())


@lru_cache(maxsize=4096)
def name_keys(name: str) -> frozenset[str]:
    """What a name is known by: two that have one of these in common are taken for the same. Of letters,
    digits, ``_``, ``-`` and ``.`` of ASCII it is the name in small letters alone.
    """
    # What is composed of a letter and an accent looks like another letter with it. Some letters are seen as
    # they are, and are other ones to NFKD.
    parts = unicodedata.normalize("NFKD", name.translate(_LOOKALIKES))
    return frozenset({fold_name(name), fold_name(parts.translate(_LOOKALIKES))})


def is_one_script(text: str) -> bool:
    """Whether all letters are of one script, or of scripts that are written together."""
    # The standard library knows no scripts, but the names of letters begin with theirs.
    named = {
        unicodedata.name(sign, "").partition(" ")[0]
        for sign in unicodedata.normalize("NFKC", text)
        if unicodedata.category(sign)[0] == "L"
    }
    scripts = {_SCRIPTS.get(name, name) for name in named - _COMMON}
    return len(scripts) <= 1 or any(scripts <= together for together in _COMPATIBLE_SCRIPTS)
