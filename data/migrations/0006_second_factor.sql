-- Second factors of people. Times are milliseconds since the epoch. Nothing here but `sealed` opens anything, and that only with the pepper.

-- The WebAuthn user handle: random, so that it tells an authenticator nothing. Null until the first passkey.
ALTER TABLE people ADD COLUMN passkey_handle BLOB CHECK (passkey_handle IS NULL OR length(passkey_handle) = 32);
CREATE UNIQUE INDEX people_by_passkey_handle ON people (passkey_handle);
-- When the account got its first factor. Null: it has none. A password set by mail within a day undoes that.
ALTER TABLE people ADD COLUMN second_factor_since INTEGER;

-- What the session was proved by besides `method`, and when last. Null: nothing. A passkey is both factors at once.
ALTER TABLE sessions ADD COLUMN second_factor TEXT CHECK (second_factor IN ('passkey', 'totp', 'recovery_code', 'provider'));
ALTER TABLE sessions ADD COLUMN second_factor_at INTEGER;
-- The last proof of any kind. Null: created_at.
ALTER TABLE sessions ADD COLUMN proved_at INTEGER;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  credential_id BLOB NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 16 AND 1023),
  -- The COSE key as it came.
  public_key BLOB NOT NULL CHECK (length(public_key) <= 1024),
  algorithm INTEGER NOT NULL CHECK (algorithm IN (-7, -8, -257)),
  counter INTEGER NOT NULL CHECK (counter >= 0),
  name TEXT NOT NULL,
  aaguid BLOB NOT NULL CHECK (length(aaguid) = 16),
  -- JSON, as the browser named them: a hint for the next ceremony.
  transports TEXT NOT NULL CHECK (json_valid(transports)),
  -- 1: may be copied to other devices. It never changes.
  backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  -- credProps.rk: 1 found without a name, 0 not, null unknown.
  discoverable INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX passkeys_by_person ON passkeys (person_id);

-- At most one in force and one that waits for its first code, a person.
CREATE TABLE totp_secrets (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  -- platform/seal.ts under HKDF-SHA-256(pepper, salt person_id, info totp-1), name totp/<person_id>/<id>.
  sealed BLOB NOT NULL,
  pepper TEXT NOT NULL,
  -- The newest step that a code was taken of. It only grows.
  last_step INTEGER NOT NULL DEFAULT 0,
  -- Wrong codes since the last right one. At 100 no code is taken any more.
  failures INTEGER NOT NULL DEFAULT 0,
  -- The random name of the use that took last_step: what follows in the batch depends on it.
  last_use TEXT,
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE UNIQUE INDEX totp_in_force ON totp_secrets (person_id) WHERE confirmed_at IS NOT NULL;
CREATE UNIQUE INDEX totp_to_confirm ON totp_secrets (person_id) WHERE confirmed_at IS NULL;

CREATE TABLE recovery_codes (
  code_hash BLOB PRIMARY KEY CHECK (length(code_hash) = 32),
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  used_at INTEGER,
  last_use TEXT
) STRICT;
CREATE INDEX recovery_codes_by_person ON recovery_codes (person_id);

-- A sign-in of which the first factor was right.
CREATE TABLE pending_sign_ins (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  -- password, or the id of an identity provider.
  method TEXT NOT NULL,
  -- people.password_changed_at as it was: a password set meanwhile ends the sign-in.
  password_changed_at INTEGER,
  return_to TEXT NOT NULL DEFAULT '/',
  tries INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pending_sign_ins_by_person ON pending_sign_ins (person_id);
CREATE INDEX pending_sign_ins_by_expiry ON pending_sign_ins (expires_at);

-- Challenges of passkeys that a right response has used up. Unused ones are in no table.
CREATE TABLE used_challenges (
  challenge BLOB PRIMARY KEY CHECK (length(challenge) = 32),
  used_for TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);

INSERT INTO migration_hashes VALUES ('0006_second_factor.sql', '087860c60e3f7c99e79d5ce486f2851eb6cd592d7fee2f594e1c0d67af9f01d3');
