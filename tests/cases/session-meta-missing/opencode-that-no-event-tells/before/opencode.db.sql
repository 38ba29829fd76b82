BEGIN TRANSACTION;
CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL,
  FOREIGN KEY (aggregate_id) REFERENCES event_sequence(aggregate_id) ON DELETE CASCADE);
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL, owner_id text);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE);
INSERT INTO "message" VALUES('msg_cadc6b5d8002Orchard0000002','ses_35239657ffffCider0Press001',1772442007000,1772442007000,'{"role":"user","time":{"created":1772442007000},"agent":"build"}');
INSERT INTO "message" VALUES('msg_cadc6d130006Orchard0000006','ses_35239657ffffCider0Press001',1772442014000,1772442014000,'{"role":"assistant","parentID":"msg_cadc6b5d8002Orchard0000002","modelID":"m1","providerID":"local","time":{"created":1772442014000,"completed":1772442014030},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_cadc6d51800eOrchard0000014','ses_35239657ffffCider0Press001',1772442015000,1772442015000,'{"role":"assistant","parentID":"msg_cadc6b5d8002Orchard0000002","modelID":"m1","providerID":"local","time":{"created":1772442015000,"completed":1772442015020},"finish":"stop"}');
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE);
INSERT INTO "part" VALUES('prt_cadc6b5d8004Orchard0000004','msg_cadc6b5d8002Orchard0000002','ses_35239657ffffCider0Press001',1772442007000,1772442007000,'{"type":"text","text":"Press the cider"}');
INSERT INTO "part" VALUES('prt_cadc6d130008Orchard0000008','msg_cadc6d130006Orchard0000006','ses_35239657ffffCider0Press001',1772442014000,1772442014000,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_cadc6d13a00aOrchard0000010','msg_cadc6d130006Orchard0000006','ses_35239657ffffCider0Press001',1772442014010,1772442014010,'{"type":"tool","tool":"bash","callID":"call_ok","state":{"status":"completed","input":{"command":"make press"},"output":"3 litres","title":"make","metadata":{},"time":{"start":1772442014010,"end":1772442014015}}}');
INSERT INTO "part" VALUES('prt_cadc6d14400cOrchard0000012','msg_cadc6d130006Orchard0000006','ses_35239657ffffCider0Press001',1772442014020,1772442014020,'{"type":"step-finish","reason":"tool-calls","cost":0,"tokens":{"input":10,"output":5,"reasoning":0,"cache":{"read":0,"write":0}}}');
INSERT INTO "part" VALUES('prt_cadc6d518010Orchard0000016','msg_cadc6d51800eOrchard0000014','ses_35239657ffffCider0Press001',1772442015000,1772442015000,'{"type":"text","text":"Three litres.","time":{"start":1772442015000,"end":1772442015010}}');
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);
INSERT INTO "project" VALUES('global','/',1772442000000,1772442000000,'[]');
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL, title text NOT NULL, version text NOT NULL,
  cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL, permission text, agent text,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer,
  FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE);
CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
COMMIT;
