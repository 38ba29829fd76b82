"""URLs of servers, and what of them is shown."""

import sys

import pytest

from suture.model.address import address, shown
from suture.model.errors import NothingToRead
from suture.servers.connect import snapshot


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://ann:pw@db.example:5433/app", "postgresql://db.example:5433/app"),
        ("postgresql+psycopg://ann@db.example/app", "postgresql://db.example:5432/app"),
        ("postgres://db/app?sslmode=require&password=pw", "postgresql://db:5432/app"),
        ("postgresql://ann:p%40w@[::1]/app", "postgresql://[::1]:5432/app"),
        ("postgresql:///app?host=/run/postgresql", "postgresql://%2Frun%2Fpostgresql:5432/app"),
        ("mysql+pymysql://ann:pw@db.example/a%2Fb", "mysql://db.example:3306/a%2Fb"),
        ("mariadb://ann:p/w?x@db:3307/app?charset=utf8mb4", "mysql://db:3307/app"),
    ],
)
def test_user_and_password_are_not_shown(url: str, told: str) -> None:
    assert shown(url) == address(url).shown == told
    assert address(told).shown == told
    assert "pw" not in repr(address(url)) and "ann" not in repr(address(url))


def test_user_and_password_are_read() -> None:
    found = address("mysql://a%3An:p%40+w@db/app?ssl_ca=/ca.pem")
    assert (found.user, found.password) == ("a:n", "p@+w")
    assert found.options == {"ssl_ca": "/ca.pem"}


@pytest.mark.parametrize(
    "url", ["mysql://ann:p@w@db/app", "postgresql://ann:pw@db", "oracle://ann:pw@db/x"]
)
def test_a_bad_url_is_not_repeated(url: str) -> None:
    with pytest.raises(NothingToRead) as caught:
        address(url)
    assert "ann" not in str(caught.value) and "pw" not in str(caught.value)
    assert "ann" not in shown(url)


@pytest.mark.parametrize(
    ("url", "driver", "command"),
    [
        ("postgresql://db/app", "psycopg", "pip install 'suture[postgres]'"),
        ("mysql://db/app", "pymysql", "pip install 'suture[mysql]'"),
    ],
)
def test_a_missing_driver_is_named(
    url: str, driver: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, driver, None)
    with pytest.raises(NothingToRead, match="needs a driver") as caught, snapshot(url):
        pass
    assert command in str(caught.value)
