-- What the console looks for among a million rows. Each index is made in the transaction of the migration, which holds up
-- writes to its table meanwhile: a million users take about two seconds, a million audit entries four.

-- Addresses that begin with something. The collation of the database may sort otherwise.
create index /*p*/users_email_prefix_idx on /*p*/users (email text_pattern_ops);
create index /*p*/users_phone_prefix_idx on /*p*/users (phone text_pattern_ops);

-- What was done to somebody; what somebody did has audit_log_actor_idx.
create index /*p*/audit_log_subject_idx on /*p*/audit_log ((payload #>> '{traits,user_id}'), created_at desc, id desc)
where payload #>> '{traits,user_id}' is not null;
