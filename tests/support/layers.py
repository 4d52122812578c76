"""Builds layers of settings."""

from agentfs_lsp.lsp.configuration.layers import LayerName, Layers


def layered(*answers: tuple[LayerName, object]) -> Layers:
    """The layers after these answers."""
    layers = Layers()
    for name, raw in answers:
        layers = layers.answered(name, raw)
    return layers


def told(layers: Layers) -> list[str]:
    return [problem.path for problem in layers.problems]
