// Signs and checks a record of the usual size, and has the runtime do the same over the same bytes and nothing else.
import { importSigningKey } from '../../../src/evidence/records/signing-key.ts'
import { describeDecision, signedBytes } from '../../../src/evidence/records/record.ts'
import { signRecord } from '../../../src/evidence/records/sign-record.ts'
import { verifyRecord } from '../../../src/evidence/records/verify-record.ts'
import type { SignatureWork } from './work.ts'

/** What each kind of work is, once its keys are imported. Throws where a signature of our own is not valid. */
export async function prepareSignatures(): Promise<Record<SignatureWork, () => Promise<void>>> {
  const key = await importSigningKey(crypto.getRandomValues(new Uint8Array(32)))
  const record = describeDecision(TYPICAL_DECISION, key.publicKey)
  const bytes = Uint8Array.from(signedBytes(record))
  const signed = await signRecord(record, key)
  const trust = { keys: [key.publicKey] }
  const signature = await key.sign(bytes)
  const raw = Uint8Array.fromBase64(key.publicKey, { alphabet: 'base64url' })
  const publicKey = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
  return {
    sign: async () => void (await signRecord(record, key)),
    'native sign': async () => void (await key.sign(bytes)),
    verify: async () => assertValid(verifyRecord(signed, trust).valid),
    'native verify': async () => assertValid(await crypto.subtle.verify('Ed25519', publicKey, signature, bytes)),
  }
}

function assertValid(valid: boolean): void {
  if (!valid) throw new Error('a signature of our own is not valid')
}

const TYPICAL_DECISION = {
  attestationId: '00000000-0000-4000-8000-000000000000',
  traceId: `tr_${'0'.repeat(32)}`,
  organisationId: `org_${'0'.repeat(36)}`,
  requestHash: '0'.repeat(64),
  model: 'gpt-4.1-mini',
  outcome: 'ALLOWED',
  policies: [],
  costPreventedMicroeur: 0,
  decidedAt: Date.UTC(2026, 0, 1),
} as const
