-- The account page (docs/pages.md).

-- Something that the person wants to do there needs a newer use of a second factor. It follows kind manage, whose subject is
-- the section that the person comes back to.
alter table /*p*/page_flows add column wants_factor boolean not null default false;
