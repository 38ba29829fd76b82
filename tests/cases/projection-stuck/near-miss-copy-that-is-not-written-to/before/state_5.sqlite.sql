CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0, history_mode TEXT);
CREATE TABLE backfill_state (id INTEGER PRIMARY KEY, status TEXT NOT NULL);
INSERT INTO backfill_state VALUES (1, 'complete');
INSERT INTO threads VALUES ('019c5000-0000-7000-8000-000000000001', '/home/dev/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-019c5000-0000-7000-8000-000000000001.jsonl', 0, 'paginated');
