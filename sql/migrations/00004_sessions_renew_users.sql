-- What a token says of a session (its level, its methods, its owner) is remembered with the account, and a refresh asks the
-- account's row alone whether anything has changed. So a change of it, whoever makes it, gives that row a new version, as
-- one of an identity does: the function knows of its table only that it has a user_id. A refresh sets other columns and
-- does not get here.
create trigger /*p*/sessions_renew_user
after update of user_id, aal, amr on /*p*/sessions
for each row execute function /*p*/renew_user_of_identity();
