// A clinician's choice: signed once for each reading, from the reading's own record; another choice, another organisation's or an
// altered record is refused; and nothing says which specialty it was, but the counts of its month.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contentOf } from '../../../../src/evidence/entry.ts'
import { canonicalBytes } from '../../../../src/evidence/records/canonical-json.ts'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { seedSettingOf } from '../../../../src/evidence/records/configured-keys.ts'
import { findOutcomeFault, isOutcomeOf, type OutcomeRecord } from '../../../../src/evidence/records/outcome-record.ts'
import { signedHash } from '../../../../src/evidence/records/attestation-record.ts'
import { isReading, type SignedReading } from '../../../../src/evidence/records/reading-record.ts'
import { importSigningKey, publicKeyOf } from '../../../../src/evidence/records/signing-key.ts'
import { DAY_MS, HOUR_MS, utcMonth, utcMonthEnd } from '../../../../src/platform/time.ts'
import { postJson, startService, type CreatedKey, type Service } from '../../../support/unit/service.ts'
import vectors from '../../../fixtures/reading/vectors.json' with { type: 'json' }
import { noon } from '../../organisation/chat-organisation.ts'
import { csv, LONG_HEADER, LONG_ROW } from '../waiting-lists/published-file.ts'
import { openIsolate, publishOk } from '../waiting-lists/test-storage.ts'

const SEED = new Uint8Array(32).fill(7)
const PUBLIC_KEY = publicKeyOf(SEED)
const keyHistory = (more: object = {}) => ({
  ATTESTATION_KEYS: JSON.stringify([
    { public_key: PUBLIC_KEY, status: 'active', valid_from: '2026-01-01T00:00:00Z', valid_until: null, ...more },
  ]),
  [seedSettingOf(PUBLIC_KEY)]: SEED.toHex(),
})

let service: Service
let key: CreatedKey
let dataset: { hash: string; archiveDate: string }

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  const published = await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
  dataset = published.manifest.version
  service = startService(keyHistory())
  key = await service.createKey({ prefix: 'vk_live_' })
})
afterEach(() => vi.useRealTimers())

/** A reading of this organisation, signed with its key: both readers named Cardiology. */
async function reading(changes: Partial<Record<keyof SignedReading, unknown>> = {}): Promise<SignedReading> {
  const { signature: _, ...vector } = vectors.valid[0]?.record ?? {}
  const record = {
    ...vector,
    reading_id: `rdg_${crypto.randomUUID()}`,
    org_id: key.organisationId,
    dataset_hash: dataset.hash,
    dataset_archive_date: dataset.archiveDate,
    timestamp: new Date(noon - HOUR_MS).toISOString(),
    public_key: PUBLIC_KEY,
    ...changes,
  }
  const signature = await (await importSigningKey(SEED)).sign(canonicalBytes(record))
  const signed = { ...record, signature: encodeBase64url(signature) }
  if (!isReading(signed)) throw new Error('no reading')
  return signed
}

const ASK = {
  decision: 'ask',
  specialty: '',
  age_group: '',
  reader_specialties: ['Cardiology', ''],
  reader_states: ['named', 'none'],
  reader_age_groups: ['Adult', ''],
}

const choose = (record: object, specialty: string | null, more: object = {}) => ({
  record,
  chosen: { specialty },
  role: 'referrer',
  ...more,
})

async function post(body: object, by = key.key, from = service) {
  const response = await from.fetch('/v1/referral/outcome', postJson(by, body))
  const answer = await response.json<{
    outcome: OutcomeRecord
    repeated: boolean
    error?: { code: string; message: string; fields?: { rule: string }[] }
  }>()
  return { status: response.status, retry: response.headers.get('x-should-retry'), ...answer }
}

const object = (of = key.organisationId) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(of))

const entriesOf = (kind: string) =>
  runInDurableObject(object(), (_, { storage: { sql } }) =>
    sql
      .exec<{ entry: ArrayBuffer }>('SELECT entry FROM entries WHERE kind = ? ORDER BY position', kind)
      .toArray()
      .map(({ entry }) => contentOf(new Uint8Array(entry))),
  )

describe('an outcome', () => {
  it('is signed, follows from the reading, and its entry has neither the choice nor the reading’s id', async () => {
    const record = await reading()
    const { status, outcome, repeated } = await post(choose(record, 'Cardiology'))
    expect([status, repeated, outcome.decision]).toEqual([200, false, 'ACCEPTED'])
    expect(findOutcomeFault(outcome, { keys: [PUBLIC_KEY] })).toBeNull()
    expect(isOutcomeOf(outcome, record)).toBe(true)
    const [entry, ...more] = await entriesOf('referral_outcome')
    expect(more).toEqual([])
    expect(entry).toEqual({
      kind: 'referral_outcome',
      at: new Date(noon).toISOString(),
      key_id: key.id,
      request_id: expect.stringMatching(/^req_/) as string,
      reading: signedHash(record),
      role: 'referrer',
    })
    expect((await object().log.checkState()).differences).toEqual([])
  })

  it.each<[string, object, string | null]>([
    ['OVERRIDDEN', {}, null],
    ['CHOSEN', ASK, 'Cardiology'],
    ['CHOSEN', ASK, null],
  ])('is %s after %j where %s is chosen', async (decision, changes, specialty) => {
    const { outcome } = await post(choose(await reading(changes), specialty, { reason: 'other', role: 'triage' }))
    expect(outcome).toMatchObject({ decision, chosen: specialty ?? '', chosen_by_role: 'triage', reason_code: 'other' })
  })

  it('is the same bytes again for the same choice, also later and with another role, and 409 for another', async () => {
    const record = await reading()
    const first = await post(choose(record, 'Cardiology'))
    vi.setSystemTime(noon + DAY_MS)
    const again = await post(choose(record, 'Cardiology', { role: 'other', reason: 'other' }))
    expect(again.outcome).toEqual(first.outcome)
    expect(again.repeated).toBe(true)
    const other = await post(choose(record, null))
    expect([other.status, other.error?.code, other.retry]).toEqual([409, 'conflict', 'false'])
    expect(other.error?.message).toContain(first.outcome.outcome_id)
    expect(await entriesOf('referral_outcome')).toHaveLength(1)
  })

  it('is recorded once of many that come at once', async () => {
    const record = await reading()
    const all = await Promise.all([1, 2, 3, 4].map(() => post(choose(record, 'Cardiology'))))
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(1)
    expect(new Set(all.map(({ outcome }) => outcome.signature)).size).toBe(1)
  })

  it.each<[string, (record: SignedReading) => object]>([
    ['signature_mismatch', (record) => ({ ...record, service_version: '9' })],
    ['contradicts_itself', (record) => ({ ...record, specialty: 'Neurology' })],
    ['unknown_member', (record) => ({ ...record, salt: '0'.repeat(64) })],
    ['unknown_member', (record) => ({ ...record, letter: 'Dear Doctor' })],
    ['missing_member', (record) => Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'signature'))],
    ['key_not_trusted', (record) => ({ ...record, public_key: vectors.public_key })],
  ])('is refused for a record that was altered: %s', async (rule, alter) => {
    const { status, error } = await post(choose(alter(await reading()), 'Cardiology'))
    expect([status, error?.code, error?.fields?.[0]?.rule]).toEqual([400, 'invalid_request', rule])
    expect(error?.message).toContain('Keep the salt')
    expect(await entriesOf('referral_outcome')).toEqual([])
  })

  it('is refused for a record of a revoked key, of another organisation, and over 30 days old', async () => {
    const record = await reading()
    const revoked = startService(
      keyHistory({
        status: 'revoked',
        valid_until: '2026-11-01T00:00:00Z',
        revoked_at: '2026-11-01T00:00:00Z',
        suspected_since: '2026-11-01T00:00:00Z',
      }),
    )
    expect((await post(choose(record, 'Cardiology'), key.key, revoked)).error?.fields?.[0]?.rule).toBe('key_revoked')
    const elsewhere = await service.createKey({ prefix: 'vk_live_' })
    expect((await post(choose(record, 'Cardiology'), elsewhere.key)).error?.code).toBe('not_found')
    const old = await reading({ timestamp: new Date(noon - 31 * DAY_MS).toISOString() })
    expect(await post(choose(old, 'Cardiology'))).toMatchObject({ status: 400, error: { code: 'invalid_request' } })
  })

  it('takes no text, no person, no made-up specialty, and no key without the scope', async () => {
    const record = await reading()
    expect((await post(choose(record, 'Alchemy'))).error?.code).toBe('specialty_not_published')
    const gone = await reading({ dataset_hash: 'a'.repeat(64) })
    expect((await post(choose(gone, 'Neurology'))).error?.code).toBe('specialty_not_published')
    expect((await post(choose(gone, 'Cardiology'))).status).toBe(200)
    for (const more of [
      { comment: 'He said so' },
      { reason: 'He said so' },
      { role: 'Dr. Nobody' },
      { reviewer: 'usr_1' },
    ]) {
      expect(await post(choose(record, 'Cardiology', more))).toMatchObject({ status: 400 })
    }
    const narrow = await service.createKey({ prefix: 'vk_live_', scopes: ['waiting-lists:read'] }, key.organisationId)
    expect((await post(choose(record, 'Cardiology'), narrow.key)).error?.code).toBe('scope_required')
    const sandbox = await service.createKey({ prefix: 'vk_test_' }, key.organisationId)
    expect((await post(choose(record, 'Cardiology'), sandbox.key)).error?.code).toBe('scope_required')
    expect((await post({ nothing: true }, 'vk_live_nobody')).error?.code).toBe('invalid_api_key')
    expect((await post(choose(record, 'Cardiology'), key.key, startService({ ATTESTATION_KEYS: '[]' }))).status).toBe(
      400,
    )
    expect(await entriesOf('referral_outcome')).toHaveLength(1)
  })

  it('leaves the hash of the reading out of the log where the operator says so', async () => {
    await post(
      choose(await reading(), 'Cardiology'),
      key.key,
      startService({ ...keyHistory(), READING_HASH_IN_LOG: 'off' }),
    )
    expect((await entriesOf('referral_outcome'))[0]).not.toHaveProperty('reading')
  })

  it('is forgotten after 60 days, and its row never names the reading or the choice', async () => {
    const record = await reading()
    await post(choose(record, 'Cardiology'))
    const rows = () =>
      runInDurableObject(object(), (_, { storage: { sql } }) => sql.exec('SELECT * FROM outcomes').toArray())
    const [row] = await rows()
    expect(JSON.stringify(row)).not.toMatch(/Cardiology|rdg_/)
    for (const days of [59, 61]) {
      vi.setSystemTime(noon + days * DAY_MS)
      for (let alarm = 0; alarm < 6; alarm++) await runDurableObjectAlarm(object())
      expect(await rows()).toHaveLength(days === 59 ? 1 : 0)
    }
  })
})

describe('the month of outcomes', () => {
  it('is closed by an entry with salted counts, after which nothing is added to it', async () => {
    await post(choose(await reading(), 'Cardiology'))
    await post(choose(await reading(ASK), null))
    const next = utcMonthEnd(utcMonth(noon))
    vi.setSystemTime(next + 3 * HOUR_MS)
    for (let alarm = 0; alarm < 4; alarm++) await runDurableObjectAlarm(object())
    const [closed, ...more] = await entriesOf('concordance_closed')
    expect(more).toEqual([])
    expect(closed).toMatchObject({ month: new Date(noon).toISOString().slice(0, 7), outcomes: 2 })
    expect(closed?.['rows_sha256']).toMatch(/^[0-9a-f]{64}$/)
    const counted = await runInDurableObject(object(), (_, { storage: { sql } }) =>
      sql.exec('SELECT unreadable FROM usage_progress').toArray(),
    )
    expect(counted).toEqual([{ unreadable: 0 }])
    vi.setSystemTime(noon)
    await post(choose(await reading(), 'Cardiology'))
    const months = await object().outcomes.list()
    expect(months.map(({ rows }) => rows)).toEqual([
      [
        { specialty: '', cell: 'CHOSEN 01', n: 1 },
        { specialty: 'Cardiology', cell: 'ACCEPTED 11', n: 1 },
      ],
    ])
  })
})
