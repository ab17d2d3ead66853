-- When each step of the daily upkeep last ran and was last done, in milliseconds. The row tables_made says since when there are rows.
CREATE TABLE upkeep_steps (step TEXT PRIMARY KEY, ran_at INTEGER NOT NULL, done_at INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO upkeep_steps VALUES ('tables_made', unixepoch() * 1000, unixepoch() * 1000);

INSERT INTO migration_hashes VALUES ('0009_upkeep.sql', 'f338e0c24295e6260e6de543d85d05cd0b73f0d67fd82d497eaa7d2b2b021c2b');
