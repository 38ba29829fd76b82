CREATE TABLE session (
  session_id TEXT PRIMARY KEY NOT NULL,
  next_msg_seq INTEGER NOT NULL DEFAULT 1 CHECK (next_msg_seq >= 1),
  context_compassion_version INTEGER NOT NULL DEFAULT 0 CHECK (context_compassion_version >= 0),
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE raw_message (
  session_id TEXT NOT NULL REFERENCES session(session_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  role TEXT NOT NULL CHECK (role IN ('system','user','assistant','tool')),
  content TEXT NOT NULL DEFAULT '', reasoning TEXT,
  tool_calls TEXT CHECK (tool_calls IS NULL OR json_valid(tool_calls)),
  tool_call_id TEXT, created_at TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)) WITHOUT ROWID;
CREATE TABLE context_window_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES session(session_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  original_seqs TEXT NOT NULL CHECK (json_valid(original_seqs) AND json_array_length(original_seqs) >= 1),
  compassion_version INTEGER NOT NULL DEFAULT 0,
  role TEXT NOT NULL, content TEXT NOT NULL DEFAULT '',
  tool_calls TEXT CHECK (tool_calls IS NULL OR json_valid(tool_calls)), tool_call_id TEXT, created_at TEXT NOT NULL,
  UNIQUE (session_id, compassion_version, seq));
CREATE INDEX idx_cwm_session_version ON context_window_message(session_id, compassion_version, seq);

INSERT INTO session VALUES ('s-1', 6, 1, '2026-03-02 09:00:00', '2026-03-02 09:00:00');
INSERT INTO raw_message VALUES ('s-1', 1, 'system', 'You bake.', NULL, NULL, NULL, '2026-03-02 09:00:01');
INSERT INTO raw_message VALUES ('s-1', 2, 'user', 'Bake bread', NULL, NULL, NULL, '2026-03-02 09:00:02');
INSERT INTO raw_message VALUES ('s-1', 3, 'assistant', '', NULL, '[{"id":"c1","name":"shell","arguments":{"cmd":"ls"}}]', NULL, '2026-03-02 09:00:03');
INSERT INTO raw_message VALUES ('s-1', 4, 'tool', 'baked', NULL, NULL, 'c1', '2026-03-02 09:00:04');
INSERT INTO raw_message VALUES ('s-1', 5, 'assistant', 'Here it is.', NULL, NULL, NULL, '2026-03-02 09:00:05');
INSERT INTO context_window_message VALUES (1, 's-1', 1, '[1,2,3,4]', 1, 'user', 'Summary: baking was asked for.', NULL, NULL, '2026-03-02 09:00:01');
INSERT INTO context_window_message VALUES (2, 's-1', 2, '[5]', 1, 'assistant', 'Here it is.', NULL, NULL, '2026-03-02 09:00:02');
