-- A foreign key cannot lead to the sessions of all nodes, nor from them to the coordinator. A deleted account takes its sessions along
-- by a trigger (copies.sql).
alter table /*p*/moved_tokens drop constraint if exists /*p*/moved_tokens_session_id_fkey;
alter table /*p*/one_time_tokens drop constraint if exists /*p*/one_time_tokens_session_id_fkey;
alter table /*p*/sessions drop constraint if exists /*p*/sessions_user_id_fkey;
-- Triggers of the sessions that write to other tables would run on the nodes, where they cannot. What they do is done on the coordinator,
-- by what its statements use in the place of the sessions (access.sql).
drop trigger if exists /*p*/sessions_renew_user on /*p*/sessions;
drop trigger if exists /*p*/sessions_record_events on /*p*/sessions;
drop trigger if exists /*p*/sessions_queue_logout on /*p*/sessions;
-- Of a distributed table the default of its key cannot be changed.
alter table /*p*/sessions alter column id set default /*p*/new_session_id();
