"""The tables of laxcode's own revisions."""

_MESSAGES = """
create table messages (
  session_id varchar(128) not null,
  message_type varchar(32) not null check (message_type in ('original', 'in_memory')),
  memory_generation bigint not null check (memory_generation >= 0),
  seq bigint not null check (seq >= 1),
  original_seq_json json not null check (json_array_length(original_seq_json) >= 1),
  role varchar(32) not null, tool_call_id varchar(128) not null default '', content text not null,
  {more}compact_content text not null default '', reasoning_id varchar(255) not null default '',
  reasoning_content text not null default '', tool_calls_json json,
  finish_reason varchar(32) not null default '', artifact_id varchar(64),
  artifact_byte_size bigint, token_input bigint not null default 0,
  token_output bigint not null default 0, created_at datetime not null,
  updated_at datetime not null, {last}
  primary key (session_id, message_type, memory_generation, seq),
  check ((message_type = 'original' and memory_generation = 0
          and json_extract(original_seq_json, '$[0]') = seq)
      or (message_type = 'in_memory' and memory_generation >= 1)),
  foreign key (session_id) references request_contexts(session_id) on delete cascade);
"""

_HEAD = """
create table request_contexts (
  session_id varchar(128) primary key not null, {more}revision bigint not null,
  memory_generation bigint not null check (memory_generation >= 1), last_seq bigint not null,
  token_used_input bigint not null default 0, token_used_output bigint not null default 0,
  window_token_input bigint not null default 0, window_token_output bigint not null default 0,
  created_at datetime not null, updated_at datetime not null);
"""

_C_HEAD = (
    "user_id varchar(128) not null default '', project_id varchar(128) not null default '', "
    "title text not null default '', work_dir text not null default '', mode varchar(32) not null,"
)

_MEMORY = "react_turn integer check (react_turn is null or message_type = 'original'), "

_DISPLAY = "display_content text not null default '', "

_PROJECTS = "create table projects (project_id varchar(128) primary key, name text);"

_TURNS = "create table react_turns (session_id text, turn_no integer, assistant_seq integer);"

_LINKS = """
create table schema_migrations (version integer primary key, applied_at datetime not null);
create table session_contexts (
  session_id varchar(128) primary key not null, context_version integer not null,
  revision bigint not null, last_seq bigint not null check (last_seq >= 0),
  active_chat_id varchar(128) not null default '', token_used_input bigint not null default 0,
  created_at datetime not null, updated_at datetime not null);
create table messages (
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
create table session_context_messages (
  session_id varchar(128) not null, position bigint not null, message_id varchar(36) not null,
  primary key (session_id, position), unique (session_id, message_id),
  foreign key (message_id) references messages(message_id) on delete cascade);
create table history_entries (
  message_id varchar(36) primary key not null, session_id varchar(128) not null,
  seq bigint not null, active_chat_id varchar(128) not null default '',
  committed_at datetime not null, unique (session_id, seq),
  foreign key (message_id) references messages(message_id) on delete cascade);
"""

SCHEMAS = {
    "A": _LINKS,
    "B": _HEAD.format(more="") + _MESSAGES.format(more="", last=""),
    "C": _PROJECTS + _HEAD.format(more=_C_HEAD) + _MESSAGES.format(more=_DISPLAY, last=""),
    "C'": _TURNS
    + _PROJECTS
    + _HEAD.format(more=_C_HEAD + " react_turn_count integer not null default 0,")
    + _MESSAGES.format(more=_DISPLAY, last=_MEMORY + "memory_chunks_json json, "),
}
