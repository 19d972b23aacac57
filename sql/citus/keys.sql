-- A foreign key cannot lead to the sessions of all nodes, nor from them to the coordinator. A deleted account takes its sessions along
-- by a trigger (copies.sql).
alter table /*p*/moved_tokens drop constraint if exists /*p*/moved_tokens_session_id_fkey;
alter table /*p*/one_time_tokens drop constraint if exists /*p*/one_time_tokens_session_id_fkey;
alter table /*p*/sessions drop constraint if exists /*p*/sessions_user_id_fkey;
drop trigger if exists /*p*/sessions_renew_user on /*p*/sessions;
-- Of a distributed table the default of its key cannot be changed.
alter table /*p*/sessions alter column id set default /*p*/new_session_id();
