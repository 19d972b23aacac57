-- Company sign-in from the hosted pages.

-- Flow of the hosted pages that the sign-in, or the log-out, is part of; null: none.
alter table /*p*/saml_relay_states add column page_flow_id uuid;
-- When an answer came. Such a row of the pages stays until it is pruned, so that a second answer comes back to its page.
alter table /*p*/saml_relay_states add column taken_at timestamptz;
