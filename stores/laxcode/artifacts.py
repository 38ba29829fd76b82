"""Large tool outputs lie in files beside the database; their name is the hash of their bytes."""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from suture.model.files import Files
from suture.model.rows import ArtifactRow
from suture.stores.laxcode.session import Session

_ID = re.compile("[0-9a-f]{64}")


def artifacts(session: Session, key: int, path: str, files: Files) -> Iterator[ArtifactRow]:
    """Once each; whether a file is there is asked only where the database has its folder."""
    if not session.shape.strict:
        return
    named = {entry.line.artifact: entry for entry in session.entries if entry.line.artifact}
    root = Path(path).parent / ".session"
    for name, entry in named.items():
        if not isinstance(name, str) or _ID.fullmatch(name) is None:
            continue
        file = str(root / session.name / "artifacts" / name)
        present = files.exists(file) if files.exists(str(root)) else None
        yield ArtifactRow(
            session=key,
            n=session.home(entry) or 0,
            ref=file,
            hash=name,
            present=present,
            computed=_hash(file, files) if present else None,
        )


def _hash(file: str, files: Files) -> str | None:
    try:
        return sha256(files.data(file)).hexdigest()
    except OSError:
        return None
