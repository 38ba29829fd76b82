CREATE TABLE thread_history_projection_state (thread_id TEXT PRIMARY KEY, next_rollout_byte_offset INTEGER NOT NULL, next_rollout_ordinal INTEGER NOT NULL);
INSERT INTO thread_history_projection_state VALUES ('019c5000-0000-7000-8000-000000000001', 639, 3);
