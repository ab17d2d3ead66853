-- What /healthz reads and writes. A migration ends with its name and the SHA-256 of the text before that line. data/migrations.json
-- has the same hash, so that the service notices a database that was made from another text. An applied migration is never edited.

CREATE TABLE migration_hashes (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- One row, written to find out if the database can be written.
CREATE TABLE health_checks (id INTEGER PRIMARY KEY CHECK (id = 1), checked_at INTEGER NOT NULL) STRICT;

INSERT INTO migration_hashes VALUES
  ('0001_baseline.sql', '97dc1d6dcda9fd4bb302920b98a0f2eb4a2a39cf61bbe4662fedaa94d7c5ff2f'),
  ('0002_tier_requests.sql', '1913c677350dc23bc1b32ced46a1dc1429957a17ead989317f22c115458f587c');

INSERT INTO migration_hashes VALUES ('0003_health.sql', 'ff86d6f0356a337a001cb62f68923591f1ab5c080bc2f9dce5098aae4b0ade20');
