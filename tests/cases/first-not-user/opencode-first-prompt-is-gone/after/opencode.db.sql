BEGIN TRANSACTION;
CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL,
  FOREIGN KEY (aggregate_id) REFERENCES event_sequence(aggregate_id) ON DELETE CASCADE);
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL, owner_id text);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE);
INSERT INTO "message" VALUES('msg_cadc6e0a0012Orchard0000022','ses_35239657ffffCider0Press001',1772442020000,1772442020000,'{"role":"user","time":{"created":1772442020000},"agent":"build"}');
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE);
INSERT INTO "part" VALUES('prt_cadc6e0a0014Orchard0000024','msg_cadc6e0a0012Orchard0000022','ses_35239657ffffCider0Press001',1772442020000,1772442020000,'{"type":"text","text":"And the pears?"}');
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);
INSERT INTO "project" VALUES('global','/',1772442000000,1772442000000,'[]');
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL, title text NOT NULL, version text NOT NULL,
  cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL, permission text, agent text,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer,
  FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE);
INSERT INTO "session" VALUES('ses_35239657ffffCider0Press001','global',NULL,'quiet-river','/home/dev/orchard','Pruning','1.18.33',0.0,0,0,NULL,'build',1772442000000,1772442000000,NULL);
CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
COMMIT;
