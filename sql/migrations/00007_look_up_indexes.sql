-- Indexes for look-ups and clean-up that read whole tables. Each is made in the transaction of the migration, which holds
-- up writes to its table meanwhile: codes and mails are few beside accounts and sessions, and 200,000 take a second. None
-- is on a table that a refresh writes to, where each index costs every refresh (REL-28).

-- A code is looked up by the address or number it was sent to.
create index /*p*/one_time_tokens_recipient_idx on /*p*/one_time_tokens (recipient, kind);

-- Mailed and texted codes run out at different ages, so each has an index by age of its own.
create index /*p*/one_time_tokens_mailed_idx on /*p*/one_time_tokens (created_at) where recipient like '%@%';
create index /*p*/one_time_tokens_texted_idx on /*p*/one_time_tokens (created_at) where recipient not like '%@%';

-- Sign-ins at providers that were begun and have led to nothing: the oldest go first, and the newest so many may stay.
create index /*p*/flow_states_waiting_idx on /*p*/flow_states (created_at)
where provider <> '' and auth_code_hash is null;

-- Mails whose codes have run out, those near whose handing over a sender died, and those of an account that is deleted.
create index /*p*/outbox_created_idx on /*p*/outbox (created_at);
create index /*p*/outbox_data_started_idx on /*p*/outbox (data_started_at) where data_started_at is not null;
create index /*p*/outbox_user_idx on /*p*/outbox (user_id) where user_id is not null;
