-- For how many days prompts and answers are kept; null: they are not.
ALTER TABLE organisations ADD COLUMN content_retention_days INTEGER;
