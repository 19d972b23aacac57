-- Events since a time are delivered again (POST /admin/webhooks/{id}/replay).
create index /*p*/events_created_at_idx on /*p*/events (created_at);
