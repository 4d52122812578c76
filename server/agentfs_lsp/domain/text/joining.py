"""Where scripts and emoji use joiners and variation selectors
(docs/protocol.md#94-what-the-answer-says).

Anywhere else these are invisible: `fermé` and `fermé` with a joiner look the same, and are two names to a
program. The VS Code extension has the same lists, in src/util/display.ts; a test compares them.
"""

from __future__ import annotations

JOINED = (
    r"\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06fc\u06ff\u0710-\u077f"
    r"\u07c0-\u07f5\u07fa-\u07fd\u0840-\u085b\u0860-\u0887\u0889-\u088e\u0898-\u08e1\u08e3-\u0963\u0966-\u096f"
    r"\u0971-\u09f1\u09fc\u09fe-\u0a75\u0a81-\u0aef\u0af9-\u0b6f\u0b71\u0b82-\u0bef\u0c00-\u0c6f\u0c80-\u0c83"
    r"\u0c85-\u0d4e\u0d54-\u0d57\u0d5f-\u0d6f\u0d7a-\u0df3\u0f00\u0f18\u0f19\u0f20-\u0f29\u0f35\u0f37\u0f39"
    r"\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u1000-\u1049\u1050-\u109d\u1780-\u17b3\u17b6-\u17d3\u17d7\u17dc-\u17e9"
    r"\u1810-\u18aa\u1b00-\u1b59\u1b6b-\u1b73\u1cd0-\u1cd2\u1cd4-\u1cfa\ua840-\ua873\ua8e0-\ua8f7\ua8fb"
    r"\ua8fd-\ua8ff\ua980-\ua9c0\ua9cf-\ua9d9\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f\ufb50-\ufbb1\ufbd3-\ufd3d"
    r"\ufd50-\ufdc7\ufdf0-\ufdfb\ufe70-\ufefc\U0001e900-\U0001e959"
)
"""Letters, marks, and digits of the scripts in which joiners change how letters look: Arabic, Syriac, those
of India, and similar ones."""

ENDING = (
    r"\u0647\u06be\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a"
    r"\u17d2\u1b44\ua9c0"
)
"""Those behind which a joiner changes the last letter of a word: viramas, and the heh of Persian
abbreviations."""

EMOJI = (
    r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3"
    r"\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c"
    r"\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U0001fc00-\U0001fffd"
)
"""Emoji, and the symbols and pictographs among them."""

IDEOGRAPHS = r"\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003fffd"

MATHEMATICAL = (
    r"\u2205\u2229\u222a\u2268\u2269\u2272\u2273\u228a\u228b\u2293-\u2295\u2297\u229c\u22da\u22db\u2a3c\u2a3d"
    r"\u2a9d\u2a9e\u2aac\u2aad\u2acb\u2acc"
)
"""The operators of which Unicode has variants."""

USUAL = (
    rf"(?<=[{JOINED}])[\u200c\u200d](?=[{JOINED}])|(?<=[{ENDING}])\u200d(?![\u200c\u200d])"
    rf"|(?:(?<=[{EMOJI}])|(?<=[{EMOJI}]\ufe0f))\u200d(?=[{EMOJI}])"
    rf"|(?<=[{EMOJI}])[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3)"
    rf"|(?<=[{IDEOGRAPHS}])[\ufe00-\ufe02\U000e0100-\U000e01ef]|(?<=[{MATHEMATICAL}\ua840-\ua873])\ufe00"
    r"|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]"
)
"""The pattern of a joiner or selector that a script or an emoji uses."""
