-- People get what they have done with their data (/ui/account/download).

-- It is made in the transaction of the migration, which holds up sign-ins meanwhile: one or two seconds for a million entries.
-- `latchkey prune` makes the table shorter before.
create index /*p*/audit_log_actor_idx on /*p*/audit_log ((payload ->> 'actor_id'), created_at);
