-- Why the last attempt of a waiting message failed, and which messages were given up, for operators. Nothing here contains
-- a code or a link.
alter table /*p*/outbox add column failed_stage text, add column failure text;

create table /*p*/outbox_failures (
  id uuid primary key,
  user_id uuid references /*p*/users (id) on delete cascade,
  kind text not null,
  is_text boolean not null,
  -- So much of it that its owner recognises it; null where the message could not be opened.
  recipient text,
  -- refused, expired, or unknown: it may have arrived.
  reason text not null,
  -- Of the last attempt: the step of the SMTP session; null for texts, and without an attempt.
  stage text,
  failure text,
  attempts integer not null,
  created_at timestamptz not null,
  failed_at timestamptz not null default now()
);

create index /*p*/outbox_failures_failed_idx on /*p*/outbox_failures (is_text, failed_at, id);
create index /*p*/outbox_failures_old_idx on /*p*/outbox_failures (failed_at);
create index /*p*/outbox_failures_user_idx on /*p*/outbox_failures (user_id) where user_id is not null;
