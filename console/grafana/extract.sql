-- Copy of the pit console's report views in an SQLite file of its own, without anything else of the store.
--
-- SQLite has no rights inside a file: who may open the store reads all of it. Run this file as the console's account,
-- also while the console runs, and let Grafana open the copy alone:
--
--   sqlite3 -bail 'file:/var/lib/pitwarden-console/console.sqlite?mode=ro' <extract.sql
--
-- The folder of the copy must exist. A reader sees the former copy until the new one is complete.

ATTACH DATABASE '/var/lib/pitwarden-grafana/report.sqlite' AS copy;
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS copy.report_irregularity;
CREATE TABLE copy.report_irregularity AS SELECT * FROM main.report_irregularity;
DROP TABLE IF EXISTS copy.report_clause;
CREATE TABLE copy.report_clause AS SELECT * FROM main.report_clause;
DROP TABLE IF EXISTS copy.report_duty;
CREATE TABLE copy.report_duty AS SELECT * FROM main.report_duty;
DROP TABLE IF EXISTS copy.report_day;
CREATE TABLE copy.report_day AS SELECT * FROM main.report_day;
COMMIT;
