-- What several of the exported tables need: public ids, times, and where a record lies in turns,
-- steps and windows.
create macro harness(store) as replace(store, '-', '_');
create temp view placed as
select r.*, w.public, t.turn as turn_no,
       case when st.last_n >= r.n then st.step end as step_no,
       coalesce(c.number, 0) as window_no
from located r
join named w using (session)
asof left join (select session, turn, start_n as n from turn where start_n is not null) t
  on r.session = t.session and r.n >= t.n
asof left join (select session, step, first_n as n, last_n from step) st
  on r.session = st.session and r.n >= st.n
asof left join (select session, number, n from compaction) c
  on r.session = c.session and r.n >= c.n;
