"""What a session may be told about a file it may not read (docs/protocol.md#13-settings-and-policy)."""

import pytest

from agentfs_lsp.domain.errors import Conflict, NotRead, PolicyDenied, TextLeftOut, Unencodable
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.proposal.proposal import Proposal
from support.fakes.disk import HOME
from support.fakes.workspace import FakeWorkspace


@pytest.fixture
def unseen(work: FakeWorkspace) -> FakeWorkspace:
    """No session may read a.txt; each may write it."""
    work.set(rules=(Rule(("a.txt",), read="deny"),))
    work.store.put("a.txt", "secret\n")
    return work


async def test_an_unseen_file_is_replaced_and_nothing_is_known_of_it(unseen: FakeWorkspace) -> None:
    unseen.reviewer.accepts()
    done = await unseen.write("a.txt", "new\n")
    assert unseen.store.bytes_of("a.txt") == b"new\n"
    assert (done.access.readable, done.access.seen) == (False, False)
    assert unseen.ws.sessions.get("s", f"{HOME}/a.txt") is None


@pytest.mark.parametrize("there", ["", "x\n", "x\n# ... rest of the file unchanged ...\n"])
async def test_a_marker_is_refused_whatever_is_there(unseen: FakeWorkspace, there: str) -> None:
    unseen.store.put("a.txt", there)
    with pytest.raises(TextLeftOut):
        await unseen.write("a.txt", "x\n# ... rest of the file unchanged ...\n")
    assert unseen.store.bytes_of("a.txt") == there.encode()


@pytest.mark.parametrize("data", [b"a\0b", b"gr\xfc\xdfe\n", b"x" * 101])
async def test_failures_that_reveal_bytes_are_about_reading(unseen: FakeWorkspace, data: bytes) -> None:
    unseen.set(limits__max_file_bytes=100)
    unseen.store.put("a.txt", data)
    with pytest.raises(PolicyDenied, match="read"):
        await unseen.write("a.txt", "x\n")
    unseen.set(rules=(Rule(("a.txt",), read="ask"),))
    with pytest.raises(NotRead):
        await unseen.write("a.txt", "x\n", dry_run=True)
    unseen.store.put("a.txt", "known\n")
    unseen.reviewer.reads.append(True)
    await unseen.read("a.txt")
    unseen.store.put("a.txt", data)
    with pytest.raises(Conflict) as conflict:
        await unseen.write("a.txt", "x\n", dry_run=True)
    assert conflict.value.actual is None


async def test_the_users_amendment_is_not_known_where_reading_asks(work: FakeWorkspace) -> None:
    work.set(rules=(Rule(("a.txt",), read="ask"),))
    work.reviewer.accepts(amended={"a.txt": "KEY=1\n"})
    await work.write("a.txt", "x\n")
    assert work.ws.sessions.get("s", f"{HOME}/a.txt") is None


async def test_a_new_file_is_seen_by_who_makes_it_until_it_is_there(unseen: FakeWorkspace) -> None:
    unseen.store.remove("a.txt")
    unseen.reviewer.accepts()
    done = await unseen.write("a.txt", "x\n")
    assert not done.access.seen


async def test_a_guarded_file_is_changed_only_by_who_read_its_present_text(work: FakeWorkspace) -> None:
    work.store.put(".env", "KEY=1\n")
    with pytest.raises(NotRead):
        await work.edit(".env", "1", "2", expected_hash=hash_bytes(b"KEY=1\n"))
    work.reviewer.reads.append(True)
    await work.read(".env")
    work.reviewer.accepts()
    done = await work.edit(".env", "1", "2")
    assert (done.access.readable, done.access.seen) == (False, True)
    work.store.put(".env", "KEY=3\n")
    with pytest.raises(Conflict) as refused:
        await work.edit(".env", "3", "4")
    assert (refused.value.reason, refused.value.actual, refused.value.diff) == ("changed", None, None)


async def test_an_error_that_is_told_as_another_lets_go_of_the_texts(unseen: FakeWorkspace) -> None:
    unseen.set(encoding__default="latin-1", rules=(Rule(("a.txt",), read="deny"),))
    unseen.store.put("a.txt", b"gr\xfc\xdfe\n")
    unseen.reviewer.accepts(amended={"a.txt": "漢\n"})
    with pytest.raises(PolicyDenied) as denied:
        await unseen.write("a.txt", "x\n")
    assert isinstance(denied.value.proposal, Proposal)
    (told,) = unseen.reviewer.applier.errors
    assert isinstance(told, Unencodable)
    assert (told.proposal, told.__traceback__) == (None, None)
