-- The views of lists that a member has saved. They go with the membership.

CREATE TABLE member_views (
  organisation_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  -- JSON: a list of { list, name, search }.
  views TEXT NOT NULL CHECK (json_valid(views) AND length(CAST(views AS BLOB)) <= 65536),
  PRIMARY KEY (organisation_id, person_id),
  FOREIGN KEY (organisation_id, person_id) REFERENCES members (organisation_id, person_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO migration_hashes VALUES ('0004_member_views.sql', 'caedad2b2a613954aba0b11f678e3f0319f399446dd4cade0a2215df23505a46');
