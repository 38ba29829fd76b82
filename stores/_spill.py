"""Columns that wait on the disk until all is read, so that a huge file is not held in memory."""

import mmap
import tempfile
import weakref
from collections.abc import Mapping
from typing import IO

import pyarrow as pa

_FIRST = 2  # chunks that stay: few files have more
_SEGMENT = 1 << 25  # bytes: each holds a file open
_CAN_MAP = hasattr(mmap, "MADV_DONTNEED")


class Spill:
    """Files without a name, mapped: pages that nobody looks at are no memory of ours."""

    def __init__(self) -> None:
        self._kept = 0
        self._file: IO[bytes] | None = None
        self._maps: list[mmap.mmap] = []
        self._at = 0

    def keep(self, columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        """The same columns. Where the disk cannot take them they stay in memory."""
        self._kept += 1
        if self._kept <= _FIRST or not _CAN_MAP:
            return dict(columns)
        batch = pa.record_batch(list(columns.values()), names=list(columns))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        try:
            mapped = self._written(sink.getvalue())
        except OSError:
            return dict(columns)
        with pa.ipc.open_stream(pa.py_buffer(mapped)) as stored:
            kept = dict(zip(columns, stored.read_next_batch().columns, strict=True))
        self.give_back()
        return kept

    def _written(self, data: pa.Buffer) -> memoryview:
        size = -(-len(data) // 64) * 64  # what Arrow likes columns to start at
        if self._file is None or self._at + size > len(self._maps[-1]):
            self._file = tempfile.TemporaryFile(prefix="suture-")  # noqa: SIM115 (as long as we live)
            weakref.finalize(self, self._file.close)
            self._file.truncate(max(size, _SEGMENT))
            self._maps.append(mmap.mmap(self._file.fileno(), 0))
            self._at = 0
        self._file.seek(self._at)
        self._file.write(data)
        self._file.flush()
        start = self._at
        self._at += size
        return memoryview(self._maps[-1])[start : start + len(data)]

    def give_back(self) -> None:
        """What was looked at, to be read again where it is looked at again, and what is free."""
        for mapped in self._maps:
            mapped.madvise(mmap.MADV_DONTNEED)
        if self._maps:
            pa.default_memory_pool().release_unused()
