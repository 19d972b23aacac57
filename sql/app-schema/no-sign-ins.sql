drop trigger if exists /*p*/users_mirror_sign_in on /*p*/users;
drop function if exists /*p*/mirror_sign_in();
