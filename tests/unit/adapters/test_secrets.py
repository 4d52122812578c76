"""The secrets scanner with the real library (docs/protocol.md#13-settings-and-policy)."""

import logging
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.adapters import secrets
from agentfs_lsp.adapters.secrets import DetectSecrets
from agentfs_lsp.service.proposal.scanner import UNSEARCHED

PASSWORD = 'password = "Xk9qLm33vB7w"'
SLACK_TOKEN = "xoxb-" + "12345678901-123456789012-" + "a" * 24
HERE = Path(__file__)


@pytest.fixture(scope="module")
def scanner() -> DetectSecrets:
    return DetectSecrets()


def found(scanner: DetectSecrets, text: str, path: str = "a.py", before: str = "") -> list[tuple[int, str]]:
    return [(one.line, one.detail) for one in scanner.scan(path, enumerate(text.split("\n"), 1), before)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PASSWORD, "password"),
        ('url = "https://bob:Xk9qLm33vB7w@example.org/"', "password in a URL"),
        ("DATABASE_URL=postgres://app:Xk9qLm33vB7w@db:5432/app", "password in a URL"),
        ("x" * 2000 + f" {PASSWORD}", "password"),
        (f"{SLACK_TOKEN}  # pragma: allowlist secret", "Slack Token"),
    ],
)
def test_passwords_are_found_and_no_comment_hides_them(scanner: DetectSecrets, text: str, kind: str) -> None:
    assert found(scanner, f"first\n{text}\nlast") == [(2, kind)]


def test_hashes_and_ids_and_lookups_are_no_secrets(scanner: DetectSecrets) -> None:
    lines = [
        '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kx==",',
        'COMMIT = "3ed53efb1c5d5dee1136d06eb6f04c6538e450c2"',
        'id: "123e4567-e89b-12d3-a456-426614174000"',
        "github.com/foo/bar v1.2.3 h1:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
        'password = os.environ["DB_PASSWORD"]',
        "password: ${PASSWORD}",
    ]
    for path in ("a.py", "a.yaml", "package-lock.json"):
        assert found(scanner, "\n".join(lines), path) == []
    assert found(scanner, "secret_key = settings.SECRET_KEY\napi_key: str\npassword = self.password") == []


def test_code_of_ours_and_its_docs_have_none(scanner: DetectSecrets) -> None:
    server = HERE.parents[3] / "server" / "agentfs_lsp" / "service"
    for path in (server / "history.py", server / "landing" / "deciding.py", HERE.parents[3] / "README.md"):
        assert found(scanner, path.read_text(), path.name) == []


def test_what_the_file_had_is_known_but_its_value_alone_is_not(scanner: DetectSecrets) -> None:
    assert found(scanner, PASSWORD, before=f"one\n    {PASSWORD}\ntwo") == []
    assert found(scanner, PASSWORD, before="one\nXk9qLm33vB7w\ntwo") == [(1, "password")]


def test_nothing_is_verified_over_the_network(
    scanner: DetectSecrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even if other code in the process has switched that on."""
    from detect_secrets.settings import get_settings

    def connect(*_: object) -> None:
        connected.append(1)
        raise OSError

    connected: list[int] = []
    verifies = "detect_secrets.filters.common.is_ignored_due_to_verification_policies"
    monkeypatch.setitem(get_settings().filters, verifies, {"min_level": 2})
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    monkeypatch.setattr(socket.socket, "connect", connect)
    assert found(scanner, SLACK_TOKEN) == [(1, "Slack Token")]
    assert not connected


def test_too_much_text_is_asked_about(scanner: DetectSecrets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "MAX_CHARACTERS", 60)
    assert scanner.scan("a.py", [(1, PASSWORD), (2, "x" * 60)], "")[1:] == [UNSEARCHED]


def test_so_is_what_takes_too_long() -> None:
    slow = DetectSecrets(seconds=0)
    assert slow.scan("a.py", [(1, PASSWORD)], "") == [UNSEARCHED]


def test_lines_made_to_be_slow_end_in_time(scanner: DetectSecrets, monkeypatch: pytest.MonkeyPatch) -> None:
    scanner.scan("a.py", [(1, PASSWORD)], "")
    monkeypatch.setattr(scanner, "_seconds", 0.1)
    begun = time.monotonic()
    hard = (
        "password" + " " * 5000,
        "password" * 700,
        "a_secret_" * 600,
        "apikey" + "_" * 5000,
        "://a:" * 1000,
    )
    for path in ("a.py", "a.go"):
        scanner.scan(path, enumerate(hard, 1), "")
    assert time.monotonic() - begun < 5


def test_a_failure_is_asked_about_and_logged_once_without_the_text(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def analyze_line(self, line: str, **_: Any) -> Iterator[Any]:
            raise ValueError(line)

    def load() -> secrets._Library:
        return secrets._Library([Failing()], lambda _: False)

    monkeypatch.setattr(secrets, "_load", load)
    failing = DetectSecrets()
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            assert failing.scan("a.py", [(1, PASSWORD)], "") == [UNSEARCHED]
    assert caplog.messages == ["the search for secrets failed: ValueError"]
    assert not re.search("Xk9q", caplog.text)


def test_without_the_library_nothing_is_found(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "find_spec", lambda _: None)
    missing = DetectSecrets()
    for _ in range(2):
        assert missing.scan("a.py", [(1, PASSWORD)], "") == ()
    assert caplog.messages == ["secrets.scan is on, but agentfs-lsp[secrets] is not installed"]
