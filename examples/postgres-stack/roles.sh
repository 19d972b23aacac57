#!/bin/sh
# Runs once, when Postgres makes its directory.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" --file=/roles.sql
