-- Of a session in which an operator acts for the user: who that is, as the claim act says it (RFC 8693, 4.1), with the name.
alter table /*p*/sessions add column act jsonb;
