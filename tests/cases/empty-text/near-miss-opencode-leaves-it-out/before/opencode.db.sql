BEGIN TRANSACTION;
CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL,
  FOREIGN KEY (aggregate_id) REFERENCES event_sequence(aggregate_id) ON DELETE CASCADE);
INSERT INTO "event" VALUES('evt_cadc69a80001Orchard0000001','ses_35239657ffffCider0Press001',0,'session.created.1','{"sessionID":"ses_35239657ffffCider0Press001","info":{"id":"ses_35239657ffffCider0Press001","slug":"quiet-river","projectID":"global","directory":"/home/dev/orchard","title":"Pruning","version":"1.18.33","agent":"build","time":{"created":1772442000000,"updated":1772442000000}}}');
INSERT INTO "event" VALUES('evt_cadc69a81003Orchard0000003','ses_35239657ffffCider0Press001',1,'message.updated.1','{"sessionID":"ses_35239657ffffCider0Press001","info":{"id":"msg_cadc6b5d8002Orchard0000002","sessionID":"ses_35239657ffffCider0Press001","role":"user","time":{"created":1772442007000},"agent":"build"}}');
INSERT INTO "event" VALUES('evt_cadc69a82005Orchard0000005','ses_35239657ffffCider0Press001',2,'message.part.updated.1','{"sessionID":"ses_35239657ffffCider0Press001","part":{"id":"prt_cadc6b5d8004Orchard0000004","sessionID":"ses_35239657ffffCider0Press001","messageID":"msg_cadc6b5d8002Orchard0000002","type":"text","text":"Press the cider"},"time":1772442007000}');
INSERT INTO "event" VALUES('evt_cadc69a83007Orchard0000007','ses_35239657ffffCider0Press001',3,'message.updated.1','{"sessionID":"ses_35239657ffffCider0Press001","info":{"id":"msg_cadc6d130006Orchard0000006","sessionID":"ses_35239657ffffCider0Press001","role":"assistant","parentID":"msg_cadc6b5d8002Orchard0000002","modelID":"m1","providerID":"local","time":{"created":1772442014000,"completed":1772442014020},"finish":"stop"}}');
INSERT INTO "event" VALUES('evt_cadc69a84009Orchard0000009','ses_35239657ffffCider0Press001',4,'message.part.updated.1','{"sessionID":"ses_35239657ffffCider0Press001","part":{"id":"prt_cadc6d130008Orchard0000008","sessionID":"ses_35239657ffffCider0Press001","messageID":"msg_cadc6d130006Orchard0000006","type":"text","text":"","time":{"start":1772442014000,"end":1772442014500}},"time":1772442014000}');
CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL, owner_id text);
INSERT INTO "event_sequence" VALUES('ses_35239657ffffCider0Press001',4,NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE);
INSERT INTO "message" VALUES('msg_cadc6b5d8002Orchard0000002','ses_35239657ffffCider0Press001',1772442007000,1772442007000,'{"role":"user","time":{"created":1772442007000},"agent":"build"}');
INSERT INTO "message" VALUES('msg_cadc6d130006Orchard0000006','ses_35239657ffffCider0Press001',1772442014000,1772442014000,'{"role":"assistant","parentID":"msg_cadc6b5d8002Orchard0000002","modelID":"m1","providerID":"local","time":{"created":1772442014000,"completed":1772442014020},"finish":"stop"}');
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE);
INSERT INTO "part" VALUES('prt_cadc6b5d8004Orchard0000004','msg_cadc6b5d8002Orchard0000002','ses_35239657ffffCider0Press001',1772442007000,1772442007000,'{"type":"text","text":"Press the cider"}');
INSERT INTO "part" VALUES('prt_cadc6d130008Orchard0000008','msg_cadc6d130006Orchard0000006','ses_35239657ffffCider0Press001',1772442014000,1772442014000,'{"type":"text","text":"","time":{"start":1772442014000,"end":1772442014500}}');
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
