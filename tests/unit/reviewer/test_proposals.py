"""What waits for a reviewer, and when a key may decide."""

from agentfs_lsp.reviewer.proposals import File, Guard, Review, Reviews
from support.reviewer import file_of
from support.wire import Message


def told(ident: str) -> Message:
    return {
        "id": ident,
        "title": ident,
        "agent": "",
        "session": "default",
        "explanation": "",
        "atomic": False,
        "files": [],
    }


class Clock:
    time = 0.0

    def now(self) -> float:
        return self.time


def test_a_key_decides_only_after_a_second_on_the_screen() -> None:
    clock = Clock()
    guard = Guard(clock.now)
    assert not guard.admits()
    guard.drawn()
    clock.time = 0.9
    assert not guard.admits()
    clock.time = 2.0
    assert guard.admits()
    guard.hide()
    assert not guard.admits()


def test_a_key_held_down_never_decides() -> None:
    clock = Clock()
    guard = Guard(clock.now)
    guard.drawn()
    for _ in range(100):
        clock.time += 0.5
        guard.drawn()
        assert not guard.admits()


def test_the_next_one_follows_the_one_that_ended() -> None:
    reviews = Reviews()
    assert [reviews.propose(told(one)) for one in "abc"] == [True, False, False]
    reviews.step(1)
    assert reviews.current is not None
    assert reviews.current.id == "b"
    reviews.end("b")
    assert reviews.current.id == "c"
    reviews.end("c")
    assert reviews.current.id == "a"
    reviews.end("a")
    assert (reviews.current, len(reviews)) == (None, 0)
    assert reviews.end("a") is None


def test_one_that_ends_elsewhere_in_the_list_moves_nothing() -> None:
    reviews = Reviews()
    for one in "abc":
        reviews.propose(told(one))
    reviews.end("c")
    assert reviews.current is not None
    assert reviews.current.id == "a"
    assert not reviews.propose(told("a"))  # told twice
    assert len(reviews) == 2


def review_of(*files: Message) -> Review:
    review = Review("p", "", "", "", "", atomic=False, blind=False)
    review.load({"files": files})
    return review


def test_the_decisions_of_all_files_are_sent_together() -> None:
    review = review_of(file_of("a", "1\n", "2\n"), file_of("b", "1\n", "2\n"), file_of("c", "1\n", "2\n"))
    assert review.acceptance() == {"id": "p", "decision": "accepted"}
    review.files[0].is_rejected = True
    review.files[1].amend("3\n")
    uris = [file.uri for file in review.files]
    assert review.acceptance()["files"] == [
        {"uri": uris[0], "decision": "rejected"},
        {"uri": uris[1], "decision": "amended", "text": "3\n"},
    ]
    assert review.acceptance(always=True)["always"] is True
    assert review.rejection("") == {"id": "p", "decision": "rejected"}
    assert review.rejection("no")["feedback"] == "no"


def test_a_last_line_that_only_the_text_editor_ended_is_not_the_users() -> None:
    file = File("u", "a", "update", "1\n", "2", ())
    file.amend("2\n")
    assert file.amended is None
    file.amend("3\n")
    assert file.text == "3"
    ended = File("u", "a", "update", "1\n", "2\n", ())
    ended.amend("2")
    assert ended.text == "2"
