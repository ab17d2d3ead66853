-- A mailed link can confirm another address of a person. It goes with the person. SQLite cannot change a CHECK, so the table is made anew.

CREATE TABLE mailed_links (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  purpose TEXT NOT NULL CHECK (purpose IN ('signup', 'reset', 'change')),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  person_id TEXT REFERENCES people (id) ON DELETE CASCADE CHECK ((purpose = 'change') = (person_id IS NOT NULL))
) STRICT;
INSERT INTO mailed_links SELECT *, NULL FROM mail_links;
DROP TABLE mail_links;
ALTER TABLE mailed_links RENAME TO mail_links;
CREATE INDEX mail_links_by_email ON mail_links (email_key, purpose);
CREATE INDEX mail_links_by_expiry ON mail_links (expires_at);
CREATE INDEX mail_links_by_person ON mail_links (person_id);

INSERT INTO migration_hashes VALUES ('0005_changed_addresses.sql', '85e527160a7ef7a7cbcfd3e441c3a24ead65ccd26282a3c8ce627bfb99e1123c');
