-- Administrators of the installation invite, too. Such an invitation has no inviter: no rights of a member count when it is accepted.
alter table /*p*/organization_invitations alter column invited_by drop not null;
