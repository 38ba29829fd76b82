CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0, first_user_message TEXT NOT NULL DEFAULT '');
CREATE TABLE backfill_state (id INTEGER PRIMARY KEY, status TEXT NOT NULL);
INSERT INTO backfill_state VALUES (1, 'complete');
INSERT INTO threads VALUES ('019c5000-0000-7000-8000-000000000001', '/home/dev/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-019c5000-0000-7000-8000-000000000001.jsonl', 0, 'List the shelf');
INSERT INTO threads VALUES ('019c6000-0000-7000-8000-000000000002', '/home/dev/.codex/sessions/2026/03/02/rollout-2026-03-02T10-00-00-019c6000-0000-7000-8000-000000000002.jsonl', 0, 'List the shelf');
