-- The tables of the first release. Secrets are kept as hashes, times are milliseconds since the epoch, truths are 0 or 1.

CREATE TABLE organisations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  jurisdiction TEXT NOT NULL CHECK (jurisdiction IN ('eu', 'global')),
  -- The region that its object was asked to be made in. Null: none.
  region TEXT,
  created_at INTEGER NOT NULL,
  -- The version of the change that gave the name: a late write undoes nothing.
  name_version INTEGER NOT NULL DEFAULT 0,
  -- The object owns the settings and counts their changes: this row takes only a later version than it has.
  settings_version INTEGER NOT NULL DEFAULT 0,
  -- JSON, by the names of the settings' table (src/policies/settings-table.ts). A setting that is missing has its initial value.
  settings TEXT NOT NULL DEFAULT '{"tier":"free"}' CHECK (json_valid(settings))
) STRICT;

CREATE TABLE people (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  -- The address by which a person is found: NFKC, in lower case.
  email_key TEXT NOT NULL UNIQUE,
  email_proven_at INTEGER,
  name TEXT NOT NULL,
  -- A PHC string. Null: signs in by an identity provider only.
  password TEXT,
  password_changed_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

-- A person as an identity provider knows them.
CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  -- The provider's name in our settings.
  provider TEXT NOT NULL,
  email TEXT NOT NULL,
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT;
CREATE INDEX identities_by_person ON identities (person_id);

CREATE TABLE members (
  organisation_id TEXT NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'auditor', 'clinician')),
  joined_at INTEGER NOT NULL,
  -- usr_…, key_… or operator; null for whoever founded the organisation.
  invited_by TEXT,
  -- The access of an auditor ends then. Other roles have no end.
  ends_at INTEGER,
  PRIMARY KEY (organisation_id, person_id),
  CHECK ((role = 'auditor') = (ends_at IS NOT NULL))
) STRICT;
CREATE INDEX members_by_person ON members (person_id);

CREATE TABLE sessions (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  id TEXT NOT NULL UNIQUE,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  -- password, or the name of an identity provider.
  method TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- What a mailed link confirms. The payload is JSON; what it holds of a password is its PHC string.
CREATE TABLE mail_links (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  purpose TEXT NOT NULL CHECK (purpose IN ('signup', 'reset')),
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_links_by_email ON mail_links (email_key, purpose);
CREATE INDEX mail_links_by_expiry ON mail_links (expires_at);

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  organisation_id TEXT NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'auditor', 'clinician')),
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The end of an auditor's access. Null for an auditor: counted from the acceptance.
  ends_at INTEGER CHECK (ends_at IS NULL OR role = 'auditor'),
  UNIQUE (organisation_id, email_key)
) STRICT;
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- A sign-in that is under way at an identity provider.
CREATE TABLE oauth_flows (
  state_hash BLOB PRIMARY KEY CHECK (length(state_hash) = 32),
  provider TEXT NOT NULL,
  verifier TEXT NOT NULL,
  nonce TEXT NOT NULL,
  return_to TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_flows_by_expiry ON oauth_flows (expires_at);

-- How often something was tried within a window. The subject is an HMAC: it names neither an address nor a network.
CREATE TABLE attempts (
  subject TEXT PRIMARY KEY,
  tries INTEGER NOT NULL,
  window_ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_by_window ON attempts (window_ends_at);

-- What an organisation's ledger is still to take: written together with the change of the members that it tells of.
CREATE TABLE pending_acts (
  id TEXT PRIMARY KEY,
  organisation_id TEXT NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
  act TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pending_acts_by_organisation ON pending_acts (organisation_id, id);

-- Requests to erase an organisation or a person. No foreign key: the row outlives what it erases.
CREATE TABLE erasures (
  id TEXT PRIMARY KEY,
  -- org_… or usr_….
  subject TEXT NOT NULL,
  -- The jurisdiction of the organisation's object, which is not found without it. Null for a person.
  jurisdiction TEXT CHECK (jurisdiction IN ('eu', 'global')),
  requested_by TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('scheduled', 'running', 'completed', 'cancelled')),
  -- The signed record, once an organisation's erasure is completed.
  record TEXT,
  CHECK ((jurisdiction IS NULL) = (subject GLOB 'usr_*'))
) STRICT;
CREATE UNIQUE INDEX open_erasures ON erasures (subject) WHERE state IN ('scheduled', 'running');
CREATE INDEX erasures_by_due ON erasures (state, due_at);
