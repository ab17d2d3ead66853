-- How long details are kept, null: as long as the tier keeps them; and when repeated requests are a loop.
ALTER TABLE organisations ADD COLUMN retention_days INTEGER;
ALTER TABLE organisations ADD COLUMN loop_repeats INTEGER NOT NULL DEFAULT 5;
ALTER TABLE organisations ADD COLUMN loop_window_seconds INTEGER NOT NULL DEFAULT 60;
ALTER TABLE organisations ADD COLUMN loop_cycle_rounds INTEGER NOT NULL DEFAULT 5;
ALTER TABLE organisations ADD COLUMN loop_cycle_window_seconds INTEGER NOT NULL DEFAULT 300;
-- Of the change that gave the organisation its name: a write that comes late undoes nothing.
ALTER TABLE organisations ADD COLUMN name_version INTEGER NOT NULL DEFAULT 0;
