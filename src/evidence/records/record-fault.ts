// Every way in which a record can be wrong, in the order of the checks.

export const RECORD_FAULTS = {
  not_an_object: 'It is not a JSON object.',
  missing_member: 'A member is missing.',
  unknown_member: 'It has a member that the format does not know.',
  unsupported_version: 'v is not the integer 1.',
  outcome_not_a_string: 'outcome is not a string.',
  unknown_outcome: 'outcome is none of ALLOWED, BLOCKED, SUPPRESSED and PASSED.',
  policies_not_an_array: 'policy_applied is not an array.',
  policies_not_strings: 'policy_applied holds something that is not a string.',
  policies_not_sorted: 'policy_applied is not in the order of UTF-16 code units.',
  request_hash_malformed: 'request_hash is not 64 lower-case hexadecimal digits.',
  cost_not_a_number: 'cost_prevented_eur is not a finite number.',
  cost_negative: 'cost_prevented_eur is below zero.',
  timestamp_malformed: 'timestamp is not RFC 3339 with an explicit offset.',
  no_trusted_key: 'No trusted key was given, and checking without one was not asked for.',
  key_not_trusted: 'public_key is not a trusted key.',
  not_canonicalisable: 'It holds a value that has no canonical JSON, such as half a surrogate pair.',
  signature_malformed: 'signature is not base64url, without padding, of 64 bytes.',
  public_key_malformed: 'public_key is not base64url, without padding, of 32 bytes.',
  signature_mismatch: 'The signature is not one of this key over this record.',
} as const

export type RecordFault = keyof typeof RECORD_FAULTS
