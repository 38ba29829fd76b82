BEGIN TRANSACTION;
CREATE TABLE history_entries (
  message_id varchar(36) primary key not null, session_id varchar(128) not null,
  seq bigint not null, active_chat_id varchar(128) not null default '',
  committed_at datetime not null, unique (session_id, seq),
  foreign key (message_id) references messages(message_id) on delete cascade);
INSERT INTO "history_entries" VALUES('m-1','s-1',1,'','2026-03-02 09:14:01.000000000+00:00');
INSERT INTO "history_entries" VALUES('m-2','s-1',2,'','2026-03-02 09:14:02.000000000+00:00');
INSERT INTO "history_entries" VALUES('m-3','s-1',3,'','2026-03-02 09:14:03.000000000+00:00');
INSERT INTO "history_entries" VALUES('m-4','s-1',4,'','2026-03-02 09:14:04.000000000+00:00');
CREATE TABLE messages (
  message_id varchar(36) primary key not null, session_id varchar(128) not null,
  seq bigint not null, message_kind varchar(32) not null
    check (message_kind in ('original', 'compacted', 'system')),
  origin_message_id varchar(36), role varchar(32) not null,
  turn_id varchar(128) not null default '', tool_call_group_id varchar(128) not null default '',
  tool_call_id varchar(128) not null default '', content text not null,
  reasoning_id varchar(255) not null default '', reasoning_content text not null,
  tool_calls_json json, artifact_id varchar(64), artifact_byte_size bigint,
  token_input bigint not null default 0, token_output bigint not null default 0,
  payload_hash varchar(64) not null, created_at datetime not null,
  foreign key (session_id) references session_contexts(session_id) on delete cascade,
  foreign key (origin_message_id) references messages(message_id) on delete restrict);
INSERT INTO "messages" VALUES('m-0','s-1',0,'system',NULL,'system','','','','You are lax.','','','null',NULL,NULL,0,0,'0d5371108e01ca5208258ca7ffc44da82adeef58b0603e7114cddb9f36f16af1','2026-03-02 09:14:00.000000000+00:00');
INSERT INTO "messages" VALUES('m-1','s-1',1,'original',NULL,'user','','','','build it','','','null',NULL,NULL,0,0,'0609d53e849cd7fa33ac2bc4da4c809ce97ee3e5bfd2301f49cd23c208543719','2026-03-02 09:14:01.000000000+00:00');
INSERT INTO "messages" VALUES('m-2','s-1',2,'original',NULL,'assistant','turn-2','tool-group-2','','','','','[{"id":"c1","name":"bash","arguments":{"command":"make"}}]',NULL,NULL,0,0,'009003eea3ea612f30e58a72bd822f8aef5bf3cbe91046ca0203b532fd8d29d2','2026-03-02 09:14:02.000000000+00:00');
INSERT INTO "messages" VALUES('m-3','s-1',3,'original',NULL,'tool','','','c1','ok','','','null',NULL,NULL,0,0,'0cd27cafba38dcc0a684c4512245fd353106be0b44f8dd8afa2feabdb6c8dbe9','2026-03-02 09:14:03.000000000+00:00');
INSERT INTO "messages" VALUES('m-4','s-1',4,'original',NULL,'assistant','turn-4','','','Built.','','','null',NULL,NULL,0,0,'03462cc436da5fce8be2dcaf0f8832b4296d7fb439c31012b85781374fed84c5','2026-03-02 09:14:04.000000000+00:00');
CREATE TABLE schema_migrations (version integer primary key, applied_at datetime not null);
CREATE TABLE session_context_messages (
  session_id varchar(128) not null, position bigint not null, message_id varchar(36) not null,
  primary key (session_id, position), unique (session_id, message_id),
  foreign key (message_id) references messages(message_id) on delete cascade);
INSERT INTO "session_context_messages" VALUES('s-1',0,'m-0');
INSERT INTO "session_context_messages" VALUES('s-1',1,'m-1');
INSERT INTO "session_context_messages" VALUES('s-1',2,'m-2');
INSERT INTO "session_context_messages" VALUES('s-1',3,'m-3');
INSERT INTO "session_context_messages" VALUES('s-1',4,'m-4');
CREATE TABLE session_contexts (
  session_id varchar(128) primary key not null, context_version integer not null,
  revision bigint not null, last_seq bigint not null check (last_seq >= 0),
  active_chat_id varchar(128) not null default '', token_used_input bigint not null default 0,
  created_at datetime not null, updated_at datetime not null);
INSERT INTO "session_contexts" VALUES('s-1',1,5,4,'',0,'2026-03-02 09:14:00.000000000+00:00','2026-03-02 09:14:00.000000000+00:00');
COMMIT;
