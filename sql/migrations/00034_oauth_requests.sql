-- Requests of devices (RFC 8628): in place of a redirect URI they have a code that the user types. Requests that a client
-- has pushed (RFC 9126) wait for their browser under an id that the client knows.
alter table /*p*/oauth_authorizations
  alter column redirect_uri drop not null,
  -- Eight letters, without the dash.
  add column user_code text,
  -- Where the device asked from, for its user.
  add column user_agent text,
  add column ip inet,
  -- Least number of seconds between two polls.
  add column poll_seconds integer,
  add column polled_at timestamptz,
  -- Languages for the page.
  add column ui_locales text,
  drop constraint /*p*/oauth_request_status_check,
  add constraint /*p*/oauth_request_status_check
    check (status in ('pushed', 'pending', 'approved', 'denied', 'redeemed'));

create unique index /*p*/oauth_request_user_code_key on /*p*/oauth_authorizations (user_code)
where user_code is not null;
