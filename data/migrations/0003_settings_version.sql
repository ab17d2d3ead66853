-- The object owns the settings and counts their changes: this row takes only a later version than it has.
ALTER TABLE organisations ADD COLUMN settings_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organisations ADD COLUMN default_max_tokens INTEGER NOT NULL DEFAULT 16384;
-- Where its object was asked to be when it was made. Null: nothing was asked.
ALTER TABLE organisations ADD COLUMN region TEXT;
