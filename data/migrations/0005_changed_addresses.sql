-- A mailed link can confirm another address of a person. It goes with the person. SQLite cannot change a CHECK, so the table is made anew.

ALTER TABLE mail_links RENAME TO mail_links_before;
CREATE TABLE mail_links (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  purpose TEXT NOT NULL CHECK (purpose IN ('signup', 'reset', 'change')),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE CHECK ((purpose = 'change') = (person_id IS NOT NULL))
) STRICT;
INSERT INTO mail_links SELECT *, NULL FROM mail_links_before;
DROP TABLE mail_links_before;
CREATE INDEX mail_links_by_email ON mail_links (email_key, purpose);
CREATE INDEX mail_links_by_expiry ON mail_links (expires_at);
CREATE INDEX mail_links_by_person ON mail_links (person_id);

INSERT INTO migration_hashes VALUES ('0005_changed_addresses.sql', '25883d300c4eb4fd07529974aa19c7b15e14379fa989a5078dea0c1224ab44da');
