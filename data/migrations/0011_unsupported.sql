-- What becomes of sampling parameters that a model does not take.
ALTER TABLE organisations ADD COLUMN unsupported TEXT NOT NULL DEFAULT 'drop' CHECK (unsupported IN ('drop', 'refuse'));
