-- As in canonical.sql, for records that are lent: those have no rowid.
create or replace macro located_in(few) as table
select r.*, s.unit, s.id as session_id, s.store, s.path, s.live, s.variant, s.kind as session_kind
from record r join session s using (session)
semi join query_table(few) f on f.session = r.session and f.n = r.n;
