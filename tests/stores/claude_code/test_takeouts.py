"""What is taken out of a transcript, and what then hangs where."""

from pathlib import Path

import pytest
import transcripts as t
from killed_turn import KILLED

from suture.model.errors import Unsupported
from suture.model.operation import (
    Cut,
    Drop,
    DropPart,
    Note,
    Quarantine,
    Split,
    Truncate,
)
from suture.model.place import Span


def test_dropping_a_tail_leaves_one_note(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    after = t.repaired(path, DropPart(0, 3, 0), DropPart(0, 4, 0), Note(0, 4, ("Bash", "Bash")))
    assert after.startswith(t.dump(*KILLED[:3]))
    (note,) = t.records(after)[3:]
    assert note["parentUuid"] == t.uid("r")
    assert note["isMeta"] is True
    assert note["message"]["content"].startswith("[suture] The session was interrupted here.")
    assert "toolUseResult" not in note and "sourceToolAssistantUUID" not in note


def test_truncating_keeps_what_hangs_on_no_chain(tmp_path: Path) -> None:
    title = {"type": "custom-title", "customTitle": "shop", "sessionId": t.SESSION}
    path = t.write(tmp_path, *KILLED, title)
    after = t.repaired(path, Truncate(0, 0), Note(0, 0, ("Bash",)))
    kept = t.records(after)
    assert [r["type"] for r in kept] == ["user", "custom-title", "user"]
    assert kept[2]["parentUuid"] == t.uid("p")


def test_truncating_all_leaves_a_root_with_the_envelope_of_what_went(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED)
    (note,) = t.records(t.repaired(path, Truncate(0, -1), Note(0, -1, ("Bash",))))
    assert (note["parentUuid"], note["cwd"]) == (None, "/home/dev/shop")


def test_children_of_a_dropped_record_hang_on_its_parent(tmp_path: Path) -> None:
    lines = [t.prompt("p", None, 0), t.result("x", "p", 1, "gone"), t.result("y", "x", 2, "gone2")]
    path = t.write(tmp_path, *lines, t.reply("b", "y", 3), t.last_prompt("y"))
    after = t.repaired(path, Drop(0, 1), Drop(0, 2))
    kept = t.records(after)
    assert [r.get("parentUuid") for r in kept] == [None, t.uid("p"), None]
    assert kept[2]["leafUuid"] == t.uid("p")


def test_dropping_a_copy_moves_no_child(tmp_path: Path) -> None:
    path = t.write(tmp_path, *KILLED[:3], *KILLED[:2])
    assert t.repaired(path, Drop(0, 3), Drop(0, 4)) == t.dump(*KILLED[:3])


def test_a_record_that_a_compaction_keeps_is_not_dropped(tmp_path: Path) -> None:
    kept = {"headUuid": t.uid("r"), "tailUuid": t.uid("r")}
    path = t.write(tmp_path, *KILLED[:3], t.boundary("cut", "r", 9, preservedSegment=kept))
    with pytest.raises(Unsupported, match="line 4 keeps the record of line 3"):
        t.repaired(path, Drop(0, 2))


def test_a_block_goes_and_the_others_keep_their_bytes(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": f"{i}", "extra": 1.0} for i in range(4)]
    line = t.dump(t.assistant("a", "p", 1, "msg_a", *blocks))
    path = t.write(tmp_path, t.prompt("p", None, 0), line)
    one = t.repaired(path, DropPart(0, 1, 2))
    assert t.records(one)[1]["message"]["content"] == [*blocks[:2], blocks[3]]
    two = t.repaired(path, DropPart(0, 1, 3), DropPart(0, 1, 1))
    gone = (t.dump(blocks[1])[:-1] + b",", b"," + t.dump(blocks[3])[:-1])
    assert two.splitlines(keepends=True)[1] == line.replace(gone[0], b"").replace(gone[1], b"")


def test_children_of_a_quarantined_line_hang_on_the_parent_that_its_text_names(
    tmp_path: Path,
) -> None:
    broken = t.dump(t.reply("a", "p", 1)).replace(b'"message":{', b'"message":{{')
    path = t.write(tmp_path, t.prompt("p", None, 0), broken, t.prompt("q", "a", 60))
    (damage,) = t.read(path)["damage"]
    place = Span(str(path), damage["line"], damage["offset"], damage["length"])
    kept = t.records(t.repaired(path, Quarantine(place)))
    assert [r["parentUuid"] for r in kept] == [None, t.uid("p")]


def test_bytes_are_cut_and_split(tmp_path: Path) -> None:
    whole = t.dump(*KILLED)
    path = t.write(tmp_path, whole + b'{"torn')
    assert t.repaired(path, Cut(Span(str(path), 6, len(whole), 6))) == whole
    glued = t.dump(KILLED[0])[:-1]
    path = t.write(tmp_path, glued + t.dump(KILLED[1]))
    place = Span(str(path), 1, 0, len(glued))
    assert t.repaired(path, Split(place, (len(glued),))) == t.dump(*KILLED[:2])
