-- Functions of the operator: hooks with an address pg-functions://…

-- name: limit_time
-- Ends a statement of this transaction that takes longer.
-- $1 milliseconds, as text
select set_config('statement_timeout', $1, true);

-- name: call
-- The marked name is replaced by that of the function. As text: a number may be more than a double keeps.
-- $1 input
select /*f*/to_jsonb($1::jsonb)::text as output;
