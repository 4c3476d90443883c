"""Who is taken for whom, and which letters go together."""
# ruff: noqa: RUF001 (letters that look like others are what this is about)

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.auth.confusables import fold_name, is_one_script, name_keys
from server.auth.text_rules import is_valid_name


def alike(one: str, other: str) -> bool:
    return not name_keys(one).isdisjoint(name_keys(other))


@pytest.mark.parametrize("name", ["Straße", "STRASSE", "strasse"])
def test_spellings_of_a_name(name: str) -> None:
    assert fold_name(name) == "strasse"
    assert fold_name("\uff41nn") == fold_name("ANN")


@given(st.text())
def test_folding_is_done_once(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rob", "rоb"),
        ("ace", "асе"),
        ("ANN", "ΑΝΝ"),
        ("Ann", "ΑΝΝ"),
        ("vox", "νοχ"),
        ("coco", "ϲοϲο"),
        ("zoë", "zоё"),
        ("Rob", "ꓣꓳꓐ"),
        ("SLEW", "ᏚᏞᎬᎳ"),
        ("bob", "ʙob".replace("ʙ", "Ƅ")),
        ("rob-2", "rob–2"),
        ("O'Brien", "O’Brien"),
        ("ロボ", "口ボ"),
        ("a b", "A   b"),
        ("𝐑𝐨𝐛", "rob"),
        ("ёж", "ЁЖ"),
        ("νίκος", "ΝΊΚΟΣ"),
    ],
)
def test_names_that_look_alike_are_the_same(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *[("Kai", "Kal"), ("Ian", "Lan"), ("bot-1", "bot-l"), ("bot-1", "bot-I"), ("r0b", "rob")],
        *[("Anna", "Änna"), ("ann", "ann-2"), ("Вася", "Васа"), ("Νίκος", "Νίκη"), ("太郎", "大郎")],
    ],
)
def test_names_that_do_not_are_two(one: str, other: str) -> None:
    assert not alike(one, other)


def test_an_ascii_name_is_known_by_its_small_letters_alone() -> None:
    for sign in string.ascii_letters + string.digits + "_-.":
        assert name_keys(sign) == {sign.lower()}


@given(st.text(max_size=64))
def test_every_name_is_known_by_what_it_is_folded_to(name: str) -> None:
    assert fold_name(name) in name_keys(name)
    assert alike(name, name.upper()) or alike(name, name.lower())


@pytest.mark.parametrize(
    "name",
    [
        *[
            "Ann",
            "José",
            "Łukasz",
            "Þór",
            "ʻIolani",
            "O’Brien",
            "Jean-Luc 2",
            "rob_7",
            "Äffchen 🎲",
            "7",
            "🎲",
        ],
        *["Иван", "Ољга", "Їжак", "Νίκος", "Ἀχιλλεύς", "Գագիկ", "ჯორჯი", "محمد", "דוד", "नेहा", "ஸ்ரீ", "ทดสอบ"],
        *[
            "山田たろう",
            "佐々木",
            "タロー",
            "太郎 san",
            "김철수",
            "金철수 Kim",
            "王小明",
            "ㄅㄆ王",
            "ᏣᎳᎩ",
            "ꓮꓠ",
            "አበበ",
        ],
    ],
)
def test_names_of_one_script_are_names(name: str) -> None:
    assert is_one_script(name)
    assert is_valid_name(name)


@pytest.mark.parametrize("name", ["rоb", "Αnn", "Xрень", "αб", "김ᎪᏏ", "Иван 太郎", "ﬁхер", "ann\uff41б"])
def test_letters_of_two_scripts_make_no_name(name: str) -> None:
    assert not is_one_script(name)
    assert not is_valid_name(name)
