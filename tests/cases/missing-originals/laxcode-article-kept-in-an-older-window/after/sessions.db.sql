CREATE TABLE context_window_message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES session(session_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  original_seqs TEXT NOT NULL CHECK (json_valid(original_seqs) AND json_array_length(original_seqs) >= 1),
  compassion_version INTEGER NOT NULL DEFAULT 0,
  role TEXT NOT NULL, content TEXT NOT NULL DEFAULT '',
  tool_calls TEXT CHECK (tool_calls IS NULL OR json_valid(tool_calls)), tool_call_id TEXT, created_at TEXT NOT NULL,
  UNIQUE (session_id, compassion_version, seq));
INSERT INTO "context_window_message" VALUES(1,'s-1',1,'[1]',0,'system','You are X.',NULL,NULL,'2025-11-29 07:00:01.000000000+00:00');
INSERT INTO "context_window_message" VALUES(2,'s-1',2,'[2]',0,'user','q1',NULL,NULL,'2025-11-29 07:00:02.000000000+00:00');
INSERT INTO "context_window_message" VALUES(3,'s-1',3,'[3]',0,'assistant','','[{"id":"c1","name":"bash","arguments":{}}]',NULL,'2025-11-29 07:00:03.000000000+00:00');
INSERT INTO "context_window_message" VALUES(4,'s-1',4,'[4]',0,'tool','res',NULL,'c1','2025-11-29 07:00:04.000000000+00:00');
INSERT INTO "context_window_message" VALUES(5,'s-1',5,'[5]',0,'assistant','done1',NULL,NULL,'2025-11-29 07:00:05.000000000+00:00');
INSERT INTO "context_window_message" VALUES(6,'s-1',6,'[6]',0,'user','q2',NULL,NULL,'2025-11-29 07:00:06.000000000+00:00');
INSERT INTO "context_window_message" VALUES(7,'s-1',7,'[7]',0,'assistant','','[{"id":"c2","name":"bash","arguments":{}}]',NULL,'2025-11-29 07:00:07.000000000+00:00');
INSERT INTO "context_window_message" VALUES(8,'s-1',8,'[8]',0,'tool','res',NULL,'c2','2025-11-29 07:00:08.000000000+00:00');
INSERT INTO "context_window_message" VALUES(9,'s-1',9,'[9]',0,'assistant','done2',NULL,NULL,'2025-11-29 07:00:09.000000000+00:00');
INSERT INTO "context_window_message" VALUES(10,'s-1',1,'[1]',1,'system','You are X.',NULL,NULL,'2025-11-29 07:00:01.000000000+00:00');
INSERT INTO "context_window_message" VALUES(11,'s-1',2,'[2,3,4,5]',1,'user','they asked twice',NULL,NULL,'2025-11-29 07:00:02.000000000+00:00');
INSERT INTO "context_window_message" VALUES(12,'s-1',3,'[6]',1,'user','q2',NULL,NULL,'2025-11-29 07:00:03.000000000+00:00');
INSERT INTO "context_window_message" VALUES(13,'s-1',4,'[7]',1,'assistant','','[{"id":"c2","name":"bash","arguments":{}}]',NULL,'2025-11-29 07:00:04.000000000+00:00');
INSERT INTO "context_window_message" VALUES(14,'s-1',5,'[8]',1,'tool','res',NULL,'c2','2025-11-29 07:00:05.000000000+00:00');
INSERT INTO "context_window_message" VALUES(15,'s-1',6,'[9]',1,'assistant','done2',NULL,NULL,'2025-11-29 07:00:06.000000000+00:00');
CREATE TABLE raw_message (
  session_id TEXT NOT NULL REFERENCES session(session_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  role TEXT NOT NULL CHECK (role IN ('system','user','assistant','tool')),
  content TEXT NOT NULL DEFAULT '', reasoning TEXT,
  tool_calls TEXT CHECK (tool_calls IS NULL OR json_valid(tool_calls)),
  tool_call_id TEXT, created_at TEXT NOT NULL,
  PRIMARY KEY (session_id, seq));
INSERT INTO "raw_message" VALUES('s-1',1,'system','You are X.',NULL,NULL,NULL,'2025-11-29 07:00:01.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',2,'user','q1',NULL,NULL,NULL,'2025-11-29 07:00:02.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',3,'assistant','',NULL,'[{"id":"c1","name":"bash","arguments":{}}]',NULL,'2025-11-29 07:00:03.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',5,'assistant','done1',NULL,NULL,NULL,'2025-11-29 07:00:05.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',6,'user','q2',NULL,NULL,NULL,'2025-11-29 07:00:06.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',7,'assistant','',NULL,'[{"id":"c2","name":"bash","arguments":{}}]',NULL,'2025-11-29 07:00:07.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',8,'tool','res',NULL,NULL,'c2','2025-11-29 07:00:08.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',9,'assistant','done2',NULL,NULL,NULL,'2025-11-29 07:00:09.000000000+00:00');
INSERT INTO "raw_message" VALUES('s-1',4,'tool','res',NULL,NULL,'c1','2025-11-29 07:00:04.000000000+00:00');
CREATE TABLE session (
  session_id TEXT PRIMARY KEY NOT NULL,
  next_msg_seq INTEGER NOT NULL DEFAULT 1 CHECK (next_msg_seq >= 1),
  context_compassion_version INTEGER NOT NULL DEFAULT 0 CHECK (context_compassion_version >= 0),
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
INSERT INTO "session" VALUES('s-1',10,1,'2025-11-29 07:00:00.000000000+00:00','2025-11-29 07:00:09.000000000+00:00');
CREATE INDEX idx_cwm_session_version ON context_window_message(session_id, compassion_version, seq);
