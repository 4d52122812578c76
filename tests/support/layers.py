"""Layers of settings, as they are put one over the other."""

from __future__ import annotations

from agentfs_lsp.lsp.configuration.layers import LayerName, SettingsStore


def stored(*layers: tuple[LayerName, object]) -> SettingsStore:
    store = SettingsStore()
    for name, raw in layers:
        store.replace_layer(name, raw)
    return store


def told(store: SettingsStore) -> list[str]:
    return [problem.path for problem in store.problems]
