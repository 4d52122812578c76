"""Messages about interrupted landings: one per outcome, however many there are."""

from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.outgoing import INFO, WARNING
from agentfs_lsp.lsp.sweeping import recovery_messages
from agentfs_lsp.service.files.store import Recovered


def test_many_landings_are_one_message_for_each_outcome() -> None:
    recovered = [
        one
        for number in range(100)
        for one in (
            Recovered("finished", (f"/r/done{number}",)),
            Recovered("set_aside", (f"/r/half{number}",), f"/state/set-aside/{number}"),
        )
    ]
    finished, half_done = recovery_messages(recovered, english)
    assert (finished[0], half_done[0]) == (INFO, WARNING)
    assert finished[1].endswith("was completed: /r/done0, /r/done1, /r/done2, /r/done3, /r/done4 …")
    assert half_done[1].endswith("are in /state/set-aside.")


def test_one_landing_names_its_own_folder() -> None:
    ((_, told),) = recovery_messages([Recovered("set_aside", ("/r/a",), "/state/set-aside/1")], english)
    assert told.endswith("are in /state/set-aside/1.")
