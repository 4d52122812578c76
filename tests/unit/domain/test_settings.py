"""Each setting accepts exactly its documented values."""

from dataclasses import fields

import pytest

from agentfs_lsp.domain.settings.settings import GROUPS, SETTINGS, Approval, Settings, settings_from
from agentfs_lsp.domain.settings.shapes import NamedRoot
from agentfs_lsp.domain.shapes import Constraint, ShapeError

HUGE = 10**400


@pytest.mark.parametrize(
    ("key", "raw", "value"),
    [
        ("approval.mode", "auto_edit", "auto_edit"),
        ("approval.timeout_s", 0, 0),
        ("approval.timeout_s", 0.5, 0.5),
        ("require_read", False, False),
        ("locale", "zh-CN", "zh-cn"),
        ("limits.read_lines", 10, 10),
        ("limits.read_lines", 10.0, 10),
        ("limits.base_text_mib", 0, 0),
        ("encoding.default", "UTF8", "utf-8"),
        ("encoding.default", "windows-1252", "cp1252"),
        ("encoding.default", "shift_jis", "shift_jis"),
        ("encoding.default", "gb18030", "gb18030"),
        ("roots", [], ()),
        ("roots", [{"path": "/a/b/", "name": "x y"}], (NamedRoot("/a/b", "x y"),)),
        ("roots", [{"uri": "file:///a%20b", "name": "目"}], (NamedRoot("/a b", "目"),)),
        ("roots", [{"uri": "file:///", "name": "disk"}], (NamedRoot("/", "disk"),)),
    ],
)
def test_values_that_are_taken(key: str, raw: object, value: object) -> None:
    taken = SETTINGS[key].shape.check(raw)
    assert taken == value
    assert type(taken) is type(value)


@pytest.mark.parametrize(
    ("key", "raw", "constraint"),
    [
        ("approval.mode", "auto", Constraint("choice", ("manual", "auto_edit"))),
        ("approval.mode", "Auto_Edit", Constraint("choice", ("manual", "auto_edit"))),
        ("approval.mode", True, Constraint("choice", ("manual", "auto_edit"))),
        ("approval.timeout_s", -1, Constraint("seconds", (), 0, 604_800)),
        ("approval.timeout_s", "5", Constraint("seconds", (), 0, 604_800)),
        ("approval.timeout_s", True, Constraint("seconds", (), 0, 604_800)),
        ("approval.timeout_s", float("nan"), Constraint("seconds", (), 0, 604_800)),
        ("approval.timeout_s", HUGE, Constraint("seconds", (), 0, 604_800)),
        ("landing_timeout_s", 0, Constraint("seconds", (), 0.05, 3600)),
        ("require_read", 0, Constraint("flag")),
        ("require_read", "false", Constraint("flag")),
        ("diff.context", -1, Constraint("whole", (), 0, 1000)),
        ("diff.context", 1.5, Constraint("whole", (), 0, 1000)),
        ("diff.context", False, Constraint("whole", (), 0, 1000)),
        ("diff.context", HUGE, Constraint("whole", (), 0, 1000)),
        ("diff.context", float("inf"), Constraint("whole", (), 0, 1000)),
        ("locale", "fr", Constraint("choice", ("en", "zh-cn"))),
        ("locale", ["en"], Constraint("choice", ("en", "zh-cn"))),
    ],
)
def test_values_that_are_refused(key: str, raw: object, constraint: Constraint) -> None:
    with pytest.raises(ShapeError) as caught:
        SETTINGS[key].shape.check(raw)
    assert caught.value.constraint == constraint


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "utf-9",
        "utf-16",
        "utf-7",
        "cp037",
        "utf-8-sig",
        "idna",
        "undefined",
        "a\0b",
        "é",
        "\udc80",
        8,
        None,
    ],
)
def test_encodings_that_write_ascii_otherwise_are_refused(raw: object) -> None:
    with pytest.raises(ShapeError):
        SETTINGS["encoding.default"].shape.check(raw)


@pytest.mark.parametrize(
    "raw",
    [
        {"path": "/a", "name": "a"},
        "/a",
        ["/a"],
        [{"path": "/a"}],
        [{"name": "a"}],
        [{"path": "a", "name": "a"}],
        [{"path": "/a", "uri": "file:///a", "name": "a"}],
        [{"path": "/a", "name": "a", "more": 1}],
        [{"path": 1, "name": "a"}],
        [{"uri": "http://a/b", "name": "a"}],
        [{"uri": "file:///%FF", "name": "a"}],
        [{"path": "/a", "name": ""}],
        [{"path": "/a", "name": " "}],
        [{"path": "/a", "name": ".."}],
        [{"path": "/a", "name": "a/b"}],
        [{"path": "/a", "name": "a\\b"}],
        [{"path": "/a", "name": "a\u202e"}],
        [{"path": "/a", "name": "a"}, {"path": "/b", "name": "a"}],
    ],
)
def test_names_of_folders_that_are_refused(raw: object) -> None:
    with pytest.raises(ShapeError):
        SETTINGS["roots"].shape.check(raw)


@pytest.mark.parametrize("key", SETTINGS)
def test_a_default_and_a_strictest_value_pass_their_own_check(key: str) -> None:
    setting = SETTINGS[key]
    for value in (setting.default, setting.strictest):
        if value is not None:
            as_json = list(value) if isinstance(value, tuple) else value
            assert setting.shape.check(as_json) == value


def test_the_settings_read_what_the_table_says() -> None:
    defaults = Settings()
    for key, setting in SETTINGS.items():
        value: object = defaults
        for name in key.split("."):
            value = getattr(value, name)
        assert value == setting.default
    groups = {"approval", "encoding", "preview", "limits", "diff", "history", "log", "agents", "reviewers"}
    groups |= {"correction", "telemetry", "secrets", "diagnostics"}
    assert groups == GROUPS
    assert {item.name for item in fields(Settings)} == {key.split(".")[0] for key in SETTINGS} | {"faulty"}


def test_values_are_put_in_their_places() -> None:
    settings = settings_from({"approval.mode": "auto_edit", "diff.context": 0, "save": "never"}, ("rules",))
    assert settings.approval == Approval(mode="auto_edit")
    assert (settings.diff.context, settings.diff.max_lines, settings.save) == (0, 100, "never")
    assert settings.faulty == ("rules",)
    assert settings_from({}) == Settings()


@pytest.mark.parametrize(
    ("timeout_s", "review_client", "seconds"),
    [(None, True, None), (None, False, 600), (0, True, None), (0, False, None), (5, True, 5), (5, False, 5)],
)
def test_how_long_a_review_waits(timeout_s: float | None, review_client: bool, seconds: float | None) -> None:
    assert Approval(timeout_s=timeout_s).seconds(review_client=review_client) == seconds
