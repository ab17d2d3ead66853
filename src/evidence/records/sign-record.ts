// Signs records. Ed25519 is deterministic: the same record under the same key has one signature, so that a record can be
// signed again from its leaf, byte for byte.
import { encodeBase64url } from './base64url.ts'
import { findMemberFault } from './check-members.ts'
import { signedBytes, type AttestationRecord, type UnsignedRecord } from './record.ts'
import type { SigningKey } from './signing-key.ts'

/** Throws TypeError for a record that no verifier would accept, or that names another key. */
export async function signRecord(record: UnsignedRecord, key: SigningKey): Promise<AttestationRecord> {
  const fault = findMemberFault({ ...record, signature: '' })
  if (fault !== null) throw new TypeError(`not a record to sign: ${fault}`)
  if (record.public_key !== key.publicKey) throw new TypeError('the record names another key')
  return { ...record, signature: encodeBase64url(await key.sign(signedBytes(record))) }
}
