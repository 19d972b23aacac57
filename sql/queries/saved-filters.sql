-- Filters of the list of users that operators have given a name.

-- name: list
-- Those of an operator, and those that all see.
-- read
-- $1 id of the operator
select f.id, f.name, f.query, f.is_shared, f.operator_id = $1 as is_own, o.name as operator_name
from /*p*/saved_filters f join /*p*/operators o on o.id = f.operator_id
where f.operator_id = $1 or f.is_shared
order by lower(f.name), f.id
limit 500;

-- name: save
-- No row: the operator has a filter of this name, or too many.
-- $1 id of the operator
-- $2 name
-- $3 names of parameters with their texts
-- $4 whether all see it
-- $5 most filters of an operator
insert into /*p*/saved_filters (operator_id, name, query, is_shared)
select $1, $2, $3::jsonb, $4
where (select count(*) from /*p*/saved_filters f where f.operator_id = $1) < $5
on conflict do nothing
returning id;

-- name: remove
-- No row: there is no such filter, or it is one of another operator.
-- $1 id
-- $2 id of the operator
-- $3 whether shared ones of others may go, too
delete from /*p*/saved_filters f
where f.id = $1 and (f.operator_id = $2 or f.is_shared and $3::boolean)
returning f.id;
