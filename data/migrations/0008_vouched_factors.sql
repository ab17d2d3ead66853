-- Second factors that identity providers vouch for, and mails before an organisation requires one.

-- How strong the provider said that its proof was. Null: second_factor is not provider.
ALTER TABLE sessions ADD COLUMN vouched_acr TEXT CHECK (vouched_acr IN ('aal2', 'phr'));

-- The session that is confirmed there. Null: a new one begins.
ALTER TABLE oauth_flows ADD COLUMN session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE;

-- When members without a factor were last mailed about settings.second_factor_from, in milliseconds.
ALTER TABLE organisations ADD COLUMN factor_reminded_at INTEGER;

INSERT INTO migration_hashes VALUES ('0008_vouched_factors.sql', '724ed35132126853e694bf18cc90e74a5dcd433b56e0e91abef63d5a64342290');
