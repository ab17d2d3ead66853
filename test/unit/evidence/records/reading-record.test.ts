// The signed reading and what was chosen after it, by the vectors of both formats: valid as signed, and each forgery by its fault.
import { describe, expect, it } from 'vitest'
import { signedHash } from '../../../../src/evidence/records/attestation-record.ts'
import { canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import {
  choiceHash,
  describeOutcome,
  findOutcomeFault,
  isOutcomeOf,
  signOutcome,
} from '../../../../src/evidence/records/outcome-record.ts'
import {
  findReadingFault,
  isLetterOf,
  isReading,
  readingBytes,
  type SignedReading,
} from '../../../../src/evidence/records/reading-record.ts'
import type { ChoiceReason, ChooserRole } from '../../../../src/evidence/records/reading-words.ts'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { publishedKey, REVOKED, trustIn } from '../../../fixtures/evidence/invented-evidence.ts'
import vectors from '../../../fixtures/reading/vectors.json' with { type: 'json' }

const key = await importSigningKey(Uint8Array.fromHex(vectors.seed))
const trust = { keys: [vectors.public_key] }
const letter = new TextEncoder().encode(vectors.letter)
const readings = vectors.valid.map(({ record }) => record as unknown as SignedReading)

/** Returns the record of the vectors with other members, signed by their key. */
async function signed(changes: Record<string, unknown>): Promise<SignedReading> {
  const { signature: _, ...record } = { ...vectors.valid[0]?.record, ...changes }
  const bytes = new TextEncoder().encode(canonicalJson(record))
  return { ...record, signature: encodeBase64url(await key.sign(bytes)) } as unknown as SignedReading
}

describe('a signed reading', () => {
  it.each(vectors.valid)('is valid, and signs the canonical JSON in one step', ({ record, canonical }) => {
    expect(findReadingFault(record, trust)).toBeNull()
    const { signature: _, ...unsigned } = record as unknown as SignedReading
    const inOrder = Object.fromEntries(Object.entries(unsigned).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    expect(new TextDecoder().decode(readingBytes(inOrder as typeof unsigned))).toBe(canonical)
  })

  it.each(vectors.invalid)('is refused: $name', ({ record, fault }) => {
    expect(findReadingFault(record, trust)).toBe(fault)
  })

  it.each<[string, Record<string, unknown>]>([
    ['contradicts_itself', { reader_states: ['named', 'none'] }],
    ['contradicts_itself', { decision: 'ask', specialty: '', age_group: '' }],
    ['contradicts_itself', { age_group: '' }],
    ['contradicts_itself', { reader_samples: ['5/5/5', '2/2/5'] }],
    ['contradicts_itself', { reader_states: ['named', 'timeout'] }],
    ['contradicts_itself', { reader_samples: ['0/5/5', '5/5/5'] }],
    ['contradicts_itself', { reader_providers: ['openai', 'openai'] }],
    ['samples_malformed', { reader_samples: ['5/5/5', '4/5/05'] }],
    ['unknown_word', { reader_age_groups: ['Adult', 'adult'] }],
    ['date_malformed', { dataset_archive_date: '24.9.2026' }],
    ['date_malformed', { dataset_archive_date: '2026-99-99' }],
    ['timestamp_malformed', { timestamp: '2026-11-22 14:45' }],
    ['identifier_malformed', { org_id: 'org_01938C2E-7B1A-7C55-9D0E-3F2A1B4C5D6E' }],
  ])('is refused although its key signed it: %s %j', async (fault, changes) => {
    const record = await signed(changes)
    expect(findReadingFault(record, trust)).toBe(fault)
    expect(isReading(record)).toBe(false)
  })

  it('counts for the time of its key alone', () => {
    const [reading] = readings
    const ended = publishedKey(key, { status: 'retired', valid_until: '2026-11-20T00:00:00Z' })
    expect(findReadingFault(reading, trustIn(ended))).toBe('outside_key_period')
    expect(findReadingFault(reading, trustIn(publishedKey(key, REVOKED)))).toBe('key_revoked')
    expect(findReadingFault(reading, { keys: [] })).toBe('no_trusted_key')
  })

  it('belongs to its letter byte for byte, under a salt of 64 digits', () => {
    const [reading] = readings
    if (reading === undefined) throw new Error('no vector')
    expect(isLetterOf(reading, letter, vectors.salt)).toBe(true)
    expect(isLetterOf(reading, letter.subarray(0, -1), vectors.salt)).toBe(false)
    expect(isLetterOf(reading, letter, `${vectors.salt}00`)).toBe(false)
    expect(isLetterOf(reading, letter, vectors.salt.toUpperCase())).toBe(false)
    expect(isLetterOf(reading, letter, '')).toBe(false)
  })
})

describe('what was chosen', () => {
  it.each(vectors.outcomes)('is signed as the vectors have it: $choice', async ({ reading: of, choice, ...vector }) => {
    const reading = readings[of]
    const [specialty = '', role, reason] = choice
    if (reading === undefined) throw new Error('no reading')
    const chosen = { specialty, role: role as ChooserRole, reason: reason as ChoiceReason }
    const decidedAt = Date.parse(vector.record.timestamp)
    const unsigned = describeOutcome(reading, chosen, { decidedAt, publicKey: key.publicKey })
    expect(await signOutcome(unsigned, key)).toEqual(vector.record)
    expect(choiceHash(reading.reading_id, specialty).toHex()).toBe(vector.choice_hash)
    expect(findOutcomeFault(vector.record, trust)).toBeNull()
    expect(isOutcomeOf(vector.record, reading)).toBe(true)
    for (const other of readings.filter((one) => one !== reading)) expect(isOutcomeOf(vector.record, other)).toBe(false)
  })

  it.each<[string, Record<string, unknown>]>([
    ['missing_member', { chosen: undefined }],
    ['unknown_member', { chosen_by: 'somebody' }],
    ['unsupported_version', { v: 'accept-1' }],
    ['not_a_text', { chosen: null }],
    ['unknown_decision', { decision: 'ESCALATED' }],
    ['unknown_subject', { subject_v: '1' }],
    ['unknown_word', { reason_code: 'he said so' }],
    ['hash_malformed', { subject_hash: signedHash(readings[0] ?? {}).toUpperCase() }],
    ['identifier_malformed', { outcome_id: 'out_8c4a5b5c-bc6b-88f4-927d-ec93bf904ac9' }],
    ['identifier_malformed', { org_id: '' }],
    ['timestamp_malformed', { timestamp: 'today' }],
    ['signature_mismatch', { chosen: 'Neurology' }],
  ])('is refused where it was changed: %s', (fault, changes) => {
    const record = JSON.parse(JSON.stringify({ ...vectors.outcomes[0]?.record, ...changes })) as object
    expect(findOutcomeFault(record, trust)).toBe(fault)
  })

  it('must follow from the reading', () => {
    const [{ record } = { record: null }] = vectors.outcomes
    const [reading] = readings
    if (record === null || reading === undefined) throw new Error('no vector')
    expect(isOutcomeOf({ ...record, decision: 'OVERRIDDEN' }, reading)).toBe(false)
    expect(isOutcomeOf({ ...record, org_id: 'org_another' }, reading)).toBe(false)
  })
})
