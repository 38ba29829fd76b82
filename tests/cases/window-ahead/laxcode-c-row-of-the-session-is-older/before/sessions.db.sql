BEGIN TRANSACTION;
CREATE TABLE messages (
  session_id varchar(128) not null,
  message_type varchar(32) not null check (message_type in ('original', 'in_memory')),
  memory_generation bigint not null check (memory_generation >= 0),
  seq bigint not null check (seq >= 1),
  original_seq_json json not null check (json_array_length(original_seq_json) >= 1),
  role varchar(32) not null, tool_call_id varchar(128) not null default '', content text not null,
  display_content text not null default '', compact_content text not null default '', reasoning_id varchar(255) not null default '',
  reasoning_content text not null default '', tool_calls_json json,
  finish_reason varchar(32) not null default '', artifact_id varchar(64),
  artifact_byte_size bigint, token_input bigint not null default 0,
  token_output bigint not null default 0, created_at datetime not null,
  updated_at datetime not null, 
  primary key (session_id, message_type, memory_generation, seq),
  check ((message_type = 'original' and memory_generation = 0
          and json_extract(original_seq_json, '$[0]') = seq)
      or (message_type = 'in_memory' and memory_generation >= 1)),
  foreign key (session_id) references request_contexts(session_id) on delete cascade);
INSERT INTO "messages" VALUES('s-1','original',0,1,X'5B315D','system','','You are careful.','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:01.000000000+00:00','2026-03-02 09:14:01.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',1,1,X'5B315D','system','','You are careful.','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:01.000000000+00:00','2026-03-02 09:14:01.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','original',0,2,X'5B325D','user','','go','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:02.000000000+00:00','2026-03-02 09:14:02.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',1,2,X'5B325D','user','','go','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:02.000000000+00:00','2026-03-02 09:14:02.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','original',0,3,X'5B335D','assistant','','','','','','',X'5B7B226964223A226331222C226E616D65223A2262617368222C22617267756D656E7473223A7B22636F6D6D616E64223A226D616B65227D7D5D','',NULL,NULL,0,0,'2026-03-02 09:14:03.000000000+00:00','2026-03-02 09:14:03.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',1,3,X'5B335D','assistant','','','','','','',X'5B7B226964223A226331222C226E616D65223A2262617368222C22617267756D656E7473223A7B22636F6D6D616E64223A226D616B65227D7D5D','',NULL,NULL,0,0,'2026-03-02 09:14:03.000000000+00:00','2026-03-02 09:14:03.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','original',0,4,X'5B345D','tool','c1','ok','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:04.000000000+00:00','2026-03-02 09:14:04.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',1,4,X'5B345D','tool','c1','ok','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:04.000000000+00:00','2026-03-02 09:14:04.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','original',0,5,X'5B355D','assistant','','done','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:05.000000000+00:00','2026-03-02 09:14:05.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',1,5,X'5B355D','assistant','','done','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:05.000000000+00:00','2026-03-02 09:14:05.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',2,1,X'5B315D','system','','You are careful.','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:01.000000000+00:00','2026-03-02 09:14:01.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',2,2,X'5B322C332C345D','user','','so far','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:02.000000000+00:00','2026-03-02 09:14:02.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',2,5,X'5B355D','assistant','','done','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:05.000000000+00:00','2026-03-02 09:14:05.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','original',0,6,X'5B365D','user','','more','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:06.000000000+00:00','2026-03-02 09:14:06.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',2,6,X'5B365D','user','','more','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:06.000000000+00:00','2026-03-02 09:14:06.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','original',0,7,X'5B375D','assistant','','sure','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:07.000000000+00:00','2026-03-02 09:14:07.000000000+00:00');
INSERT INTO "messages" VALUES('s-1','in_memory',2,7,X'5B375D','assistant','','sure','','','','',X'6E756C6C','',NULL,NULL,0,0,'2026-03-02 09:14:07.000000000+00:00','2026-03-02 09:14:07.000000000+00:00');
CREATE TABLE projects (project_id varchar(128) primary key, name text);
CREATE TABLE request_contexts (
  session_id varchar(128) primary key not null, user_id varchar(128) not null default '', project_id varchar(128) not null default '', title text not null default '', work_dir text not null default '', mode varchar(32) not null,revision bigint not null,
  memory_generation bigint not null check (memory_generation >= 1), last_seq bigint not null,
  token_used_input bigint not null default 0, token_used_output bigint not null default 0,
  window_token_input bigint not null default 0, window_token_output bigint not null default 0,
  created_at datetime not null, updated_at datetime not null);
INSERT INTO "request_contexts" VALUES('s-1','','','','/repo','cli',8,1,7,0,0,0,0,'2026-03-02 09:14:00.000000000+00:00','2026-03-02 09:14:00.000000000+00:00');
COMMIT;
