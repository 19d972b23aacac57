-- What the console tells about requests, and about days. No table that a request writes gets an index for it.

-- Requests that were refused, for a week. Written in batches after the answers, at a limited rate.
create table /*p*/refusals (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null,
  request_id text not null,
  method text not null,
  -- Pattern; null: no endpoint.
  route text,
  grant_type text,
  status integer not null,
  error_code text not null,
  -- Name of the error in the catalogue, of which several share a code.
  error text not null,
  -- The checks before the rules of the endpoint, and how each ended.
  steps text not null,
  -- Which of several causes of the error; never sent to the client.
  reason text,
  -- The limit that was reached.
  limit_name text,
  -- Without reference: the account may be gone.
  user_id uuid,
  ip inet,
  -- How many refusals with this error were not kept before this one, since there were too many.
  left_out integer not null
);

create index /*p*/refusals_created_idx on /*p*/refusals (created_at desc, id desc);
create index /*p*/refusals_request_idx on /*p*/refusals (request_id);
create index /*p*/refusals_code_idx on /*p*/refusals (error_code, created_at desc, id desc);
create index /*p*/refusals_user_idx on /*p*/refusals (user_id, created_at desc, id desc) where user_id is not null;
