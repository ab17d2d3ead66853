-- Whether a request that is sent again under its idempotency key gets its first answer: 0 or 1.
ALTER TABLE organisations ADD COLUMN idempotent_replays INTEGER NOT NULL DEFAULT 0;
