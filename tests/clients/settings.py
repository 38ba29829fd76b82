"""Settings and environment that keep a client offline and talking to the stand-in."""

import json
from pathlib import Path

from packages import Client

HOME = "/home/dev"
PORT = 8399
_URL = f"http://127.0.0.1:{PORT}"

_CODEX = f"""\
model = "gpt-5-codex"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "{_URL}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
"""
_MODEL = {"name": "m1", "tool_call": True, "limit": {"context": 100000, "output": 4000}}
_OPENCODE = {
    "autoupdate": False,
    "share": "disabled",
    "model": "local/m1",
    "small_model": "local/m1",
    "permission": {"*": "allow"},
    "provider": {
        "local": {
            "npm": "@ai-sdk/anthropic",
            "name": "local",
            "options": {"baseURL": f"{_URL}/v1", "apiKey": "x"},
            "models": {"m1": _MODEL},
        }
    },
}


def environment(client: Client, home: Path) -> dict[str, str]:
    """Writes what the client reads from its home, and says what else it is told."""
    common = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME, "TERM": "dumb", "TZ": "UTC"}
    match client.name:
        case "claude":
            return common | {
                "IS_SANDBOX": "1",
                "ANTHROPIC_BASE_URL": _URL,
                "ANTHROPIC_API_KEY": "sk-ant-local",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            }
        case "codex":
            _write(home / ".codex/config.toml", _CODEX)
            return common | {"CODEX_HOME": f"{HOME}/.codex", "LOCAL_KEY": "x"}
        case "opencode":
            _write(home / ".config/opencode/opencode.json", json.dumps(_OPENCODE))
            return common | {
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            }
        case other:
            raise ValueError(other)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
