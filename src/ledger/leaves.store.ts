// The first tables' leaves of a log: one 32-byte hash each. The database itself refuses to change, remove or reorder one.

export const LEAVES_SCHEMA = `
  CREATE TABLE leaves (
    position INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
  ) STRICT;
  CREATE TRIGGER leaves_are_appended_in_order BEFORE INSERT ON leaves
    WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a leaf is appended at the end'); END;
  CREATE TRIGGER leaves_never_change BEFORE UPDATE ON leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf never changes'); END;
  CREATE TRIGGER leaves_never_go BEFORE DELETE ON leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never removed'); END;
`
