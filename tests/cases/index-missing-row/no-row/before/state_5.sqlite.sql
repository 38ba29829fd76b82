CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0, history_mode TEXT);
CREATE TABLE backfill_state (id INTEGER PRIMARY KEY, status TEXT NOT NULL);
INSERT INTO backfill_state VALUES (1, 'complete');
