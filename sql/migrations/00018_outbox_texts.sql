-- Texts wait beside mails: their kind begins with `text:`. Each of both is claimed by its own sender, so that a gateway that
-- is away does not hold up mails, and reads no rows of the other.
alter table /*p*/outbox add column is_text boolean generated always as (kind like 'text:%') stored;

create index /*p*/outbox_due_by_channel_idx on /*p*/outbox (is_text, next_attempt_at);
create index /*p*/outbox_created_by_channel_idx on /*p*/outbox (is_text, created_at);
drop index /*p*/outbox_due_idx;
drop index /*p*/outbox_created_idx;
