"""Rollouts that belong together, and compressed ones."""

import fcntl
from contextlib import closing
from pathlib import Path

import rollouts as r

from suture.model.packed import zstd
from suture.model.unit import Unit
from suture.stores._disk import DiskFiles
from suture.stores._store import Head
from suture.stores.codex import STORE

CHILD = "019c0000-0000-7000-8000-000000000002"
ENTRIES = [r.PAGINATED, r.start("t"), r.message("user", "one"), r.complete("t")]


def _units(*paths: Path) -> list[Unit]:
    with closing(DiskFiles()) as files:
        return STORE.units(files, [str(path) for path in paths])


def _child(base: str, ordinal: int, offset: int) -> list[bytes]:
    origin = {"thread_id": base, "end_ordinal_exclusive": ordinal, "end_byte_offset": offset}
    header = r.meta(id=CHILD, history_mode="paginated", forked_from_id=base, history_base=origin)
    return r.lines([header, r.message("user", "two")], ordinal)


def test_a_fork_by_reference_is_one_unit_with_its_base(tmp_path: Path) -> None:
    content = r.lines(ENTRIES, 0)
    folder = tmp_path / "sessions/2026/03/02"
    base = r.write(folder, content)
    name = f"rollout-2026-03-02T10-00-00-{CHILD}.jsonl"
    child = r.write(folder, _child(r.THREAD, 3, len(b"".join(content[:3]))), name)
    (unit,) = _units(child, base)
    assert unit.paths == (str(base), str(child))
    (alone,) = _units(child)
    assert alone.paths == (str(base), str(child))
    _, forked = r.read(base, child)["session"]
    assert (forked["id"], forked["fork_of"], forked["first_ordinal"]) == (CHILD, r.THREAD, 3)
    assert forked["fork_ordinal"] == 3


def test_a_segment_of_the_same_thread_has_an_id_of_its_own(tmp_path: Path) -> None:
    base = r.write(tmp_path, r.lines(ENTRIES, 0))
    segment = r.write(
        tmp_path,
        r.lines([r.PAGINATED, r.message("user", "two")], 4),
        f"rollout-2026-03-02T10-00-00-{r.THREAD}_{CHILD}.jsonl",
    )
    ids = [session["id"] for session in r.read(base, segment)["session"]]
    assert ids == [r.THREAD, f"{r.THREAD}_{CHILD}"]


def test_strangers_are_units_of_their_own(tmp_path: Path) -> None:
    one = r.write(tmp_path, r.lines(ENTRIES, 0))
    other = r.write(
        tmp_path,
        r.lines([r.meta(id=CHILD), r.message("user", "two")]),
        f"rollout-2026-03-02T10-00-00-{CHILD}.jsonl",
    )
    assert len(_units(one, other)) == 2


def test_a_compressed_rollout_reads_as_the_plain_one(tmp_path: Path) -> None:
    content = b"".join(r.lines(ENTRIES, 0))
    plain = r.write(tmp_path / "a", content)
    packed = r.write(tmp_path / "b", zstd.compress(content), r.NAME + ".zst")
    (left,), (right,) = (r.read(path)["source"] for path in (plain, packed))
    assert (left["records"], left["bytes"]) == (right["records"], right["bytes"])
    assert right["dialect"] == "jsonl.zst"


def test_the_plain_file_wins_over_the_compressed_one(tmp_path: Path) -> None:
    content = b"".join(r.lines(ENTRIES, 0))
    plain = r.write(tmp_path, content)
    packed = r.write(tmp_path, zstd.compress(content), r.NAME + ".zst")
    (unit,) = _units(plain, packed)
    assert unit.paths == (str(plain),)


def test_a_cut_or_garbled_compressed_file_is_damage(tmp_path: Path) -> None:
    content = zstd.compress(b"".join(r.lines(ENTRIES, 0)) * 50)
    cut = r.write(tmp_path / "a", content[: len(content) // 2], r.NAME + ".zst")
    garbled = r.write(tmp_path / "b", b"{not compressed}", r.NAME + ".zst")
    behind = zstd.compress(b"".join(r.lines(ENTRIES, 0))) + b"no frame, no line"
    junk = r.write(tmp_path / "c", behind, r.NAME + ".zst")
    for path in (cut, garbled, junk):
        rows = r.read(path)
        assert [row["kind"] for row in rows["damage"]] == ["unreadable"]
        assert "session" not in rows


def test_rollouts_are_claimed_by_content_and_by_name_when_garbled() -> None:
    start = b"".join(r.lines(ENTRIES))
    assert STORE.claims(Head("anything.txt", start))
    assert STORE.claims(Head(f"x/{r.NAME}", b""))
    assert STORE.claims(Head(f"x/{r.NAME}", b"\0\0\0\0"))
    assert not STORE.claims(Head("anything.jsonl", b""))
    assert not STORE.claims(Head("a.jsonl", b'{"type":"user","message":{"role":"user"}}\n'))
    assert not STORE.claims(Head("a.jsonl", b'{"type":"session.created","payload":{}}\n'))


def test_a_held_lock_and_an_open_descriptor_name_the_writer(tmp_path: Path) -> None:
    path = r.write(tmp_path / "sessions/2026/03/02", r.lines(ENTRIES, 0))
    lock = r.write(tmp_path, b"", f"thread-writer-locks/{r.THREAD}.lock")
    (unit,) = _units(path)
    assert STORE.writers(unit) == []
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        (writer,) = STORE.writers(unit)
    assert "writer lock" in writer.evidence
    assert STORE.writers(unit) == []
    assert sorted(p.name for p in lock.parent.iterdir()) == [lock.name]
