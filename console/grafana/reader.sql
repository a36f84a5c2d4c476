-- Role of a reader of the pit console's report views, for PostgreSQL 15 and newer.
--
-- It may read these four views and no table. Run the file in the store's database as a superuser, or as a role that
-- may create roles and owns the views:
--
--   psql -v ON_ERROR_STOP=1 --single-transaction -d DATABASE -f reader.sql
--
-- Run it again after an upgrade that makes the views again. It sets no password: do so with \password report_reader.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'report_reader') THEN
    CREATE ROLE report_reader LOGIN;
  END IF;
END
$$;

-- The rights below exclude a change already. These stop a mistake early, and what would load the console's database.
ALTER ROLE report_reader CONNECTION LIMIT 10;
ALTER ROLE report_reader SET default_transaction_read_only = on;
ALTER ROLE report_reader SET statement_timeout = '10s';

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM report_reader;
GRANT USAGE ON SCHEMA public TO report_reader;
GRANT SELECT ON report_irregularity, report_clause, report_duty, report_day TO report_reader;
