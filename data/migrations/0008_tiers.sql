-- The tiers are the program's to know: a constraint on them here made a new tier a new table. SQLite drops a column together
-- with the constraint on it; a table that is dropped would delete all that refers to it.
ALTER TABLE organisations ADD COLUMN any_tier TEXT NOT NULL DEFAULT 'free';
UPDATE organisations SET any_tier = tier;
ALTER TABLE organisations DROP COLUMN tier;
ALTER TABLE organisations RENAME COLUMN any_tier TO tier;
