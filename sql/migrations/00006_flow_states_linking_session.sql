-- The session that asked to link an identity: the link completes only while it lives. No foreign key, since a flow whose
-- session has ended must still say so. The release before leaves it null, and its flows link nothing here.
alter table /*p*/flow_states add column linking_session_id uuid;
