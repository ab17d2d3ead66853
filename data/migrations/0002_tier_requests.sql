-- The open request for a higher tier, at most one an organisation. Null: none is open.
ALTER TABLE organisations ADD COLUMN asked_tier TEXT;
ALTER TABLE organisations ADD COLUMN tier_asked_at INTEGER;
-- The id of a person or a key. Null too once that person is erased.
ALTER TABLE organisations ADD COLUMN tier_asked_by TEXT;
