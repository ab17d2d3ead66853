CREATE TABLE organisations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('free', 'starter', 'pro', 'healthcare', 'enterprise')),
  jurisdiction TEXT NOT NULL CHECK (jurisdiction IN ('eu', 'global')),
  created_at INTEGER NOT NULL
) STRICT;
