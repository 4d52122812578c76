"""Any JSON gives settings, and no mistake makes them looser."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.settings.settings import SETTINGS, Settings, value_of
from agentfs_lsp.lsp.capabilities import flatten
from agentfs_lsp.lsp.configuration.layers import LayerName
from support.layers import layered

TURNED_INTO_VALUES = {"roots", "rules", "files", "protected"} | {
    key for key in SETTINGS if key.startswith("correction.")
}
LOOSE = {"approval.mode": "auto_edit", "paths": "any", "save": "always"}

keys = st.sampled_from([*{part for key in SETTINGS for part in key.split(".")}, *SETTINGS])
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
scalars |= st.sampled_from(sorted(LOOSE.values()))
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keys | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
sections = st.dictionaries(keys, json_values, max_size=5)
names: st.SearchStrategy[LayerName] = st.sampled_from(("initialization", "configuration", "changed"))


@given(st.lists(st.tuples(names, sections | json_values), max_size=4))
def test_any_json_leaves_settings_of_the_right_shape(answers: list[tuple[LayerName, object]]) -> None:
    settings = layered(*answers).settings
    for key, setting in SETTINGS.items():
        value = value_of(settings, key)
        assert value == setting.default or key in TURNED_INTO_VALUES or setting.shape.check(value) == value


@given(st.lists(st.tuples(names, sections | json_values), max_size=4))
def test_settings_loosen_only_if_a_client_says_so(answers: list[tuple[LayerName, object]]) -> None:
    settings = layered(*answers).settings
    for key, loose in LOOSE.items():
        assert value_of(settings, key) != loose or repr(loose) in repr(answers)
    assert settings.require_read or "False" in repr(answers)


@given(sections)
def test_a_withdrawn_answer_leaves_nothing(section: dict[str, object]) -> None:
    layers = layered(("configuration", section), ("configuration", None))
    assert (layers.settings, layers.problems) == (Settings(), ())


@given(
    json_values
    | st.recursive(
        scalars,
        lambda inner: st.dictionaries(
            st.sampled_from(
                (
                    "capabilities",
                    "workspace",
                    "window",
                    "general",
                    "clientInfo",
                    "experimental",
                    "agentfs",
                    "name",
                )
            ),
            inner,
        ),
    )
)
def test_any_json_of_a_client_is_read(params: object) -> None:
    assert flatten(params).position_encoding == "utf-16"
