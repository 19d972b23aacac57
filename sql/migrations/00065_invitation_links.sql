-- The links in the mails of invitations.
alter table /*p*/organization_invitations
  -- As of other links; null: no mail was sent.
  add column link_hash text,
  -- Where it leads after the sign-in; null: to SITE_URL.
  add column redirect_to text;

create unique index /*p*/organization_invites_link_key on /*p*/organization_invitations (link_hash);
