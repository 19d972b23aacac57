-- What triggers of sessions have to say to other tables. A shard may write to its own node only, so they write it here, beside the
-- session and in its transaction, and the coordinator moves it on (layout.move_session_log).
create table if not exists /*p*/session_log (
  session_id uuid not null,
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  -- Of an event; null: the client of the session is to be logged out.
  type text,
  details jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (session_id, id)
);
