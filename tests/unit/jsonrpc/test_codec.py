"""Valid JSON is parsed and formatted alike with and without msgspec; invalid JSON is refused."""

import json

import msgspec
import pytest

from agentfs_lsp.jsonrpc import codec
from agentfs_lsp.jsonrpc.codec import (
    Format,
    Malformed,
    Parse,
    decode,
    encode,
    find_id,
    format_json,
    parse_json,
)

both_parsers = pytest.mark.parametrize("parse", [msgspec.json.decode, parse_json], ids=["msgspec", "json"])
both_formatters = pytest.mark.parametrize(
    "formatter", [msgspec.json.encode, format_json], ids=["msgspec", "json"]
)


def refusal(body: bytes, parse: Parse) -> tuple[int, int | str | None]:
    with pytest.raises(Malformed) as raised:
        decode(body, parse)
    return raised.value.code, raised.value.request_id


def test_msgspec_is_used_where_it_is_installed() -> None:
    assert codec.PARSE is not parse_json
    assert codec.FORMAT is not format_json


@both_parsers
@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b' {"a": 1} \r\n', {"a": 1}),
        (b'{"a": "\\ud800"}', {"a": "\ud800"}),
        (b'{"\\udc00\\ud83d": 1}', {"\udc00\ud83d": 1}),
        (b'{"a": "\\ud83d\\ude00 \xf0\x9f\x98\x80"}', {"a": "😀 😀"}),
        (b'{"a": "\\u0000\xe2\x80\xa8"}', {"a": "\0\u2028"}),
        (b'{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        (b'{"a": 1e400, "b": -1e400}', {"a": 1.7976931348623157e308, "b": -1.7976931348623157e308}),
        (b'{"a": ' + b"9" * 10_000 + b"}", {"a": 1.7976931348623157e308}),
        (b'{"class": 1, "dry-run": {"jsonrpc": 2}}', {"class": 1, "dry-run": {"jsonrpc": 2}}),
    ],
)
def test_valid_json_is_decoded(parse: Parse, body: bytes, value: object) -> None:
    assert decode(body, parse) == value


@both_parsers
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"a": 1,}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": "\n"}',
        b'{"a": 01}',
        b"{} {}",
        b"{'a': 1}",
        b'{"a": "\xff"}',
        b'{"a": "\xed\xa0\x80"}',
        '{"a": 1}'.encode("utf-16"),
    ],
)
def test_what_is_not_json_is_a_parse_error(parse: Parse, body: bytes) -> None:
    assert refusal(body, parse) == (-32700, None)


@both_parsers
@pytest.mark.parametrize("body", [b"[]", b'[{"id": 1}]', b"1", b"null", b'"text"', b"true"])
def test_what_is_no_object_is_an_invalid_request(parse: Parse, body: bytes) -> None:
    assert refusal(body, parse) == (-32600, None)


@both_parsers
@pytest.mark.parametrize("opener", [b"[", b'{"a":', b'[{"a":'])
def test_endless_nesting_is_a_parse_error(parse: Parse, opener: bytes) -> None:
    assert refusal(b'{"id": 7, "params": ' + opener * 1_000_000, parse) == (-32700, 7)


@both_parsers
def test_what_nests_deeper_than_the_limit_is_refused_and_what_does_not_is_written_back(parse: Parse) -> None:
    def nested(depth: int) -> bytes:
        return b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)

    large = b" " * 100_000
    assert encode(decode(nested(codec.MAX_DEPTH), parse)) == nested(codec.MAX_DEPTH)
    assert encode(decode(large + nested(codec.MAX_DEPTH), parse)) == nested(codec.MAX_DEPTH)
    assert refusal(nested(codec.MAX_DEPTH + 1), parse)[0] == -32700
    assert refusal(large + nested(codec.MAX_DEPTH + 1), parse)[0] == -32700


@both_parsers
def test_many_brackets_in_a_flat_message_are_no_nesting(parse: Parse) -> None:
    message = {"params": [{"text": "[{" * 1000}] * 1000}
    assert decode(json.dumps(message).encode(), parse) == message


@both_formatters
@pytest.mark.parametrize(
    ("message", "body"),
    [
        ({"a": [1, None, True, "漢"]}, '{"a":[1,null,true,"漢"]}'.encode()),
        ({"a": "\ud800é"}, b'{"a":"\\ud800\\u00e9"}'),
        ({"\udc80": 10**30}, b'{"\\udc80":1000000000000000000000000000000}'),
    ],
)
def test_messages_are_compact_and_surrogates_survive(formatter: Format, message: object, body: bytes) -> None:
    assert encode(message, formatter) == body
    assert decode(body) == message


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b'{"jsonrpc": "2.0", "id": 12, "method": "x", "params": {"text": "cut he', 12),
        (b'{"id":"a\\"b","method":"x"', 'a"b'),
        (b'{"params": {"id": 1}, "id": 2}', 2),
        (b'{"params": [{"id": 1}], "id": -3 }', -3),
        (b'{"id": 12', None),
        (b'{"params": {"id": 1}, "text": "', None),
        (b'{"text": "cut \\"id\\": 5, ', None),
        (b'{"text": "\\\\", "id": 5, ', 5),
        (b'{"id": null, "a": 1}', None),
        (b'{"id": true, "a": 1}', None),
        (b'{"id": 1.5, "a": 1}', None),
        (b'{"id": {"id": 1}, "a": 1}', None),
        (b'[{"id": 1, "a": 1}]', None),
        (b'{"id": 4, "params": "\xff"}', 4),
        (b"\xff\x00", None),
    ],
)
def test_the_id_of_an_unreadable_request_is_found_if_certain(head: bytes, found: int | str | None) -> None:
    assert find_id(head) == found
