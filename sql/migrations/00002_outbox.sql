-- Mails wait here from the commit of their token until a mail server has accepted them.
create table /*p*/outbox (
  id uuid primary key,
  user_id uuid references /*p*/users (id) on delete cascade,
  kind text not null,
  -- SHA-256 of the recipient: a newer mail of the same kind replaces an older one that has not left.
  recipient_hash text not null,
  -- AES-256-GCM; no code or link lies here in clear.
  sealed text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- Taken by a sender until then; nobody else touches it.
  claimed_until timestamptz,
  -- Set just before DATA. A row whose sender died after that may have been accepted, and is never sent again.
  data_started_at timestamptz,
  created_at timestamptz not null default now()
);

create index /*p*/outbox_due_idx on /*p*/outbox (next_attempt_at);
create index /*p*/outbox_recipient_idx on /*p*/outbox (recipient_hash, kind);
