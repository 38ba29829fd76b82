BEGIN TRANSACTION;
CREATE TABLE app_states (app_name text primary key, state text not null, update_time real not null);
INSERT INTO "app_states" VALUES('shop','{}',1772442841.0);
CREATE TABLE events (
  id text not null, app_name text not null, user_id text not null, session_id text not null,
  invocation_id text not null, timestamp real not null, event_data text not null,
  primary key (app_name, user_id, session_id, id),
  foreign key (app_name, user_id, session_id) references sessions (app_name, user_id, id));
INSERT INTO "events" VALUES('u1','shop','ann','s1','e-1',1772442841.0,'{"content":{"parts":[{"text":"go"}],"role":"user"},"invocation_id":"e-1","author":"user","actions":{"state_delta":{}},"id":"u1","timestamp":1772442841.0}');
INSERT INTO "events" VALUES('m1','shop','ann','s1','e-1',1772442842.0,'{"content":{"parts":[{"function_call":{"id":"adk-a","name":"ship","args":{}}}],"role":"model"},"invocation_id":"e-1","author":"bot","actions":{"state_delta":{}},"id":"m1","timestamp":1772442842.0}');
INSERT INTO "events" VALUES('4394372e-928c-dcb7-ba38-408c56d54c31','shop','ann','s1','e-1',1.77244284200000095362e+09,'{"content":{"parts":[{"function_response":{"id":"adk-a","name":"ship","response":{"result":"[suture] Execution of this ship call was interrupted and its result is unknown: the session ended before a result was stored. The action may have taken effect, in part or in full. Check the current state before repeating it. Last stored record: 1772442842.0."}}}],"role":"user"},"invocation_id":"e-1","author":"bot","actions":{"state_delta":{},"artifact_delta":{},"requested_auth_configs":{},"requested_tool_confirmations":{}},"id":"4394372e-928c-dcb7-ba38-408c56d54c31","timestamp":1772442842.000001}');
CREATE TABLE sessions (
  app_name text not null, user_id text not null, id text not null, state text not null,
  create_time real not null, update_time real not null, primary key (app_name, user_id, id));
INSERT INTO "sessions" VALUES('shop','ann','s1','{}',1772442841.0,1.77244284200000095362e+09);
CREATE TABLE user_states (
  app_name text not null, user_id text not null, state text not null, update_time real not null,
  primary key (app_name, user_id));
INSERT INTO "user_states" VALUES('shop','ann','{}',1772442841.0);
COMMIT;
