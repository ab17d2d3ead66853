-- Where the object of the organisation is that is erased: without it, it cannot be found again. Null for a person.
ALTER TABLE erasures ADD COLUMN jurisdiction TEXT CHECK (jurisdiction IN ('eu', 'global'));
UPDATE erasures SET jurisdiction =
  (SELECT jurisdiction FROM organisations WHERE organisations.id = erasures.organisation_id);
