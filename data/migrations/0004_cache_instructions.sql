-- Whether long instructions are marked to be kept by the provider: 0 or 1.
ALTER TABLE organisations ADD COLUMN cache_instructions INTEGER NOT NULL DEFAULT 0;
