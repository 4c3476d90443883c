"""Names that look alike, and letters of different scripts (after Unicode Technical Standard 39).

Two names are the same if they differ in case only, or look the same: Cyrillic and Greek letters may look like
Latin ones. Similar signs within one script, such as ``0`` and ``O`` or ``l`` and ``I``, are different.
"""
# ruff: noqa: RUF001 (letters that look like others are what this is about)

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

#: Invisible characters that names may contain, such as those after an emoji (Unicode:
#: Default_Ignorable_Code_Point).
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
#: Characters that look like the first one of their line, for the common scripts.
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
#: First words of the Unicode names of letters that fit any script, and of letters with irregular names.
_COMMON: Final = frozenset({"MODIFIER", "KATAKANA-HIRAGANA"})
_SCRIPTS: Final = {"IDEOGRAPHIC": "CJK", "IDEOGRAPH": "CJK"}
#: Scripts that may be mixed (UTS 39, "highly restrictive").
_COMPATIBLE_SCRIPTS: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """Return a name without differences in case, width, spaces and invisible characters."""
    seen = unicodedata.normalize("NFKC", " ".join(name.translate(_INVISIBLE).split()))
    # A combining accent without a letter becomes a space and the accent, so spaces are removed again.
    return " ".join(unicodedata.normalize("NFKC", seen.casefold()).split())


@lru_cache(maxsize=4096)
def name_keys(name: str) -> frozenset[str]:
    """Return the keys of a name. Two names with a common key are the same. For ASCII letters, digits, ``_``,
    ``-`` and ``.`` the only key is the name in lower case.
    """
    # A letter composed with an accent can look like another letter. Some letters look different under NFKD.
    parts = unicodedata.normalize("NFKD", name.translate(_LOOKALIKES))
    return frozenset({fold_name(name), fold_name(parts.translate(_LOOKALIKES))})


def is_one_script(text: str) -> bool:
    """Return whether all letters are of one script, or of scripts that may be mixed."""
    # The standard library has no scripts, but the Unicode names of letters start with theirs.
    named = {
        unicodedata.name(sign, "").partition(" ")[0]
        for sign in unicodedata.normalize("NFKC", text)
        if unicodedata.category(sign)[0] == "L"
    }
    scripts = {_SCRIPTS.get(name, name) for name in named - _COMMON}
    return len(scripts) <= 1 or any(scripts <= together for together in _COMPATIBLE_SCRIPTS)
