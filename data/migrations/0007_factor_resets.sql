-- Resets for people who lost all second factors: one manager asks, another agrees, the person waits, and proves password and mailbox.
-- Times are milliseconds since the epoch.
CREATE TABLE factor_resets (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  -- Null: the operator asked.
  organisation_id TEXT REFERENCES organisations (id) ON DELETE CASCADE,
  -- usr_… or operator.
  asked_by TEXT NOT NULL,
  agreed_by TEXT,
  state TEXT NOT NULL CHECK (state IN ('asked', 'agreed', 'done', 'cancelled')),
  created_at INTEGER NOT NULL,
  -- From then on the person gets a link. Null until somebody agreed.
  due_at INTEGER,
  -- When it ends if nothing more happens; when it ended.
  expires_at INTEGER NOT NULL,
  -- SHA-256 of the newest link's token.
  token_hash BLOB UNIQUE CHECK (length(token_hash) = 32),
  token_expires_at INTEGER,
  CHECK (asked_by <> person_id AND (agreed_by IS NULL OR agreed_by NOT IN (asked_by, person_id))),
  CHECK (state <> 'agreed' OR due_at IS NOT NULL AND (agreed_by IS NOT NULL OR asked_by = 'operator'))
) STRICT;
CREATE UNIQUE INDEX open_factor_resets ON factor_resets (person_id) WHERE state IN ('asked', 'agreed');
CREATE INDEX factor_resets_by_expiry ON factor_resets (expires_at);

INSERT INTO migration_hashes VALUES ('0007_factor_resets.sql', 'a5f3960e04f2703a5e6d55911554b3159d694e56108b057167d7990593d31277');
