-- What an organisation's gateway allows. Null: what its tier gives; no budget.
ALTER TABLE organisations ADD COLUMN enabled_providers TEXT NOT NULL DEFAULT '';
ALTER TABLE organisations ADD COLUMN requests_per_minute INTEGER;
ALTER TABLE organisations ADD COLUMN requests_per_month INTEGER;
ALTER TABLE organisations ADD COLUMN monthly_budget_microeur INTEGER;
