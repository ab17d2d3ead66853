// Tests the service's check of a medical receipt, and of anything that a caller sends with it. Each check says pass, fail or
// not available, and why.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { seedSettingOf } from '../../../../src/evidence/records/configured-keys.ts'
import { signRecord, type UnsignedRecord } from '../../../../src/evidence/records/attestation-record.ts'
import { importSigningKey, publicKeyOf } from '../../../../src/evidence/records/signing-key.ts'
import { openParts } from '../../organisation/journal/archived-ledger.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import {
  approvedCall,
  errorOf,
  foundMedical,
  jsonOf,
  PATH,
  publicKey,
  REQUEST,
  type MedicalOrganisation,
} from './medical-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Found = {
  valid: boolean
  checks: { check: string; result: string; reason: string }[]
  checked_by: string
  check_it_yourself: string
}

const verify = ({ owner }: MedicalOrganisation, id: string, body: object = {}): Promise<Found> =>
  jsonOf(owner.ask('POST', `${PATH}/${id}/verify`, body))

/** The result of each check. */
const resultsOf = ({ checks }: Found) => Object.fromEntries(checks.map(({ check, result }) => [check, result]))

const reasonOf = ({ checks }: Found, name: string): string =>
  checks.find(({ check }) => check === name)?.reason ?? 'no such check'

/** Sends a body as it is written. */
async function verifyText({ owner }: MedicalOrganisation, id: string, text: string): Promise<Response> {
  const body = new ReadableStream({
    type: 'bytes',
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
  return owner.ask('POST', `${PATH}/${id}/verify`, body)
}

const ALL_OWN = {
  signature: 'pass',
  leaf: 'pass',
  organisation_log: 'pass',
  public_log: 'pass',
  record_matches: 'not_available',
  request_hash: 'not_available',
  acceptance: 'not_available',
}

async function receiptOf(medical: MedicalOrganisation) {
  const id = await medical.run()
  await medical.publish()
  const { attestation } = await medical.show(id)
  return { id, record: attestation ?? {} }
}

describe('the service’s own word', () => {
  it('is said to be that, with the command that does without it', async () => {
    const medical = await foundMedical()
    const { id } = await receiptOf(medical)
    const found = await verify(medical, id)
    expect(found).toMatchObject({ object: 'receipt_verification', id, valid: true, checked_by: 'issuer' })
    expect(found.check_it_yourself).toContain('node countersign-verify.mjs')
    expect(resultsOf(found)).toEqual(ALL_OWN)
  })

  it('does not wait for the public log', async () => {
    const medical = await foundMedical()
    const found = await verify(medical, await medical.run())
    expect([found.valid, resultsOf(found)['public_log']]).toEqual([true, 'not_available'])
  })

  it('is about people’s decisions too', async () => {
    const medical = await foundMedical()
    await medical.put({ human_approval: { when: [{}] } })
    const { attestationId: waiting } = await medical.admit('triage', { requestHash: '1'.repeat(64) })
    expect(resultsOf(await verify(medical, waiting))).toMatchObject({ signature: 'pass', acceptance: 'not_available' })
    const { refused, run } = await approvedCall(medical)
    for (const id of [refused, run]) {
      const found = await verify(medical, id)
      expect([found.valid, resultsOf(found)['acceptance']]).toEqual([true, 'pass'])
    }
  })
})

describe('a record that is sent', () => {
  it('passes where it is the one, however its members are ordered and its numbers written', async () => {
    const medical = await foundMedical()
    const { id, record } = await receiptOf(medical)
    const reversed = Object.fromEntries(Object.entries(record).toReversed())
    for (const sent of [record, reversed]) {
      const found = await verify(medical, id, { record: sent })
      expect([found.valid, resultsOf(found)]).toEqual([true, { ...ALL_OWN, record_matches: 'pass' }])
    }
    const text = JSON.stringify({ record }).replace('"cost_prevented_eur":0', '"cost_prevented_eur":0e3')
    expect(await (await verifyText(medical, id, text)).json()).toMatchObject({ valid: true })
  })

  it.each([
    ['model', { model: 'gpt-5.6-sol' }, ['signature', 'leaf', 'record_matches']],
    ['outcome', { outcome: 'BLOCKED' }, ['signature', 'leaf', 'record_matches']],
    ['signature', { signature: 'A'.repeat(86) }, ['signature', 'record_matches']],
    ['org_id', { org_id: 'org_other' }, ['signature', 'leaf', 'organisation_log', 'record_matches']],
    ['v', { v: '1' }, ['signature', 'leaf', 'record_matches']],
    ['half a surrogate pair', { model: '\ud800' }, ['signature', 'leaf', 'record_matches']],
  ])('fails where its %s is another', async (name, change, failing) => {
    const medical = await foundMedical()
    const { id, record } = await receiptOf(medical)
    const found = await verify(medical, id, { record: { ...record, ...change } })
    const failed = found.checks.filter(({ result }) => result === 'fail').map(({ check }) => check)
    expect([found.valid, failed]).toEqual([false, failing])
    const [changed = ''] = Object.keys(change)
    expect([name, reasonOf(found, 'record_matches')]).toEqual([name, expect.stringContaining(changed)])
  })

  it('fails where it has a member more or less, none of whose names is said again', async () => {
    const medical = await foundMedical()
    const { id, record } = await receiptOf(medical)
    const added = await verify(medical, id, { record: { ...record, 'marked member': 'marked value' } })
    expect([added.valid, resultsOf(added)['signature']]).toEqual([false, 'fail'])
    expect(reasonOf(added, 'record_matches')).toContain('1 that records do not have')
    expect(JSON.stringify(added)).not.toContain('marked')
    const { model: _, ...less } = record
    const lacking = await verify(medical, id, { record: less })
    expect([lacking.valid, resultsOf(lacking)['record_matches']]).toEqual([false, 'fail'])
    expect(await verify(medical, id, { record: {} })).toMatchObject({ valid: false })
  })

  it('fails where its version is written as no whole number: other verifiers refuse that', async () => {
    const medical = await foundMedical()
    const { id, record } = await receiptOf(medical)
    for (const version of ['1.0', '1e0']) {
      const text = JSON.stringify({ record }).replace('"v":1', `"v":${version}`)
      const found: Found = await (await verifyText(medical, id, text)).json()
      expect([found.valid, resultsOf(found)['signature']]).toEqual([false, 'fail'])
    }
  })

  it('fails where it is another receipt’s, of this organisation or of another', async () => {
    const [medical, stranger] = [await foundMedical(), await foundMedical()]
    const { id } = await receiptOf(medical)
    for (const { record } of [await receiptOf(medical), await receiptOf(stranger)]) {
      const found = await verify(medical, id, { record })
      expect([found.valid, resultsOf(found)]).toMatchObject([false, { leaf: 'fail', record_matches: 'fail' }])
    }
  })

  it('fails where somebody else has signed the same words', async () => {
    const medical = await foundMedical()
    const { id, record } = await receiptOf(medical)
    const other = await importSigningKey(new Uint8Array(32).fill(9))
    const { signature: _, ...unsigned } = record
    const forged = await signRecord({ ...(unsigned as unknown as UnsignedRecord), public_key: other.publicKey }, other)
    const found = await verify(medical, id, { record: forged })
    expect([found.valid, reasonOf(found, 'signature')]).toEqual([false, 'public_key is not a trusted key.'])
    expect(resultsOf(await verify(medical, id, { record: forged, public_key: other.publicKey }))).toMatchObject({
      signature: 'pass',
      leaf: 'fail',
    })
  })
})

describe('a key that is sent', () => {
  it('is the only one trusted for the signature', async () => {
    const medical = await foundMedical()
    const { id } = await receiptOf(medical)
    expect(await verify(medical, id, { public_key: publicKey() })).toMatchObject({ valid: true })
    const found = await verify(medical, id, { public_key: 'A'.repeat(43) })
    expect([found.valid, resultsOf(found)]).toMatchObject([false, { signature: 'fail', leaf: 'pass' }])
  })
})

describe('a key that the service publishes', () => {
  it('is trusted for a receipt of its time alone', async () => {
    const seed = new Uint8Array(32).fill(7)
    const own = publicKeyOf(seed)
    const validFrom = { public_key: own, status: 'active', valid_from: '2091-03-15T12:30:00Z', valid_until: null }
    const bindings = { ATTESTATION_KEYS: JSON.stringify([validFrom]), [seedSettingOf(own)]: seed.toHex() }
    const medical = await foundMedical({}, bindings)
    const early = await medical.run('triage', { publicKey: own })
    vi.setSystemTime(noon + 3_600_000)
    const late = await medical.run('triage', { publicKey: own })
    for (const [id, result] of [
      [early, 'fail'],
      [late, 'pass'],
    ] as const) {
      expect(resultsOf(await verify(medical, id))).toMatchObject({ signature: result, leaf: 'pass' })
    }
  })
})

describe('a request that is sent', () => {
  it('passes where it is the one, however it is written, and fails where it is another', async () => {
    const medical = await foundMedical()
    const { id } = await receiptOf(medical)
    const { model, messages } = REQUEST
    expect(await verify(medical, id, { request: { messages, model } })).toMatchObject({ valid: true })
    for (const request of [{ model }, { ...REQUEST, stream: false }, { ...REQUEST, model: '\ud800' }]) {
      const found = await verify(medical, id, { request })
      expect([found.valid, resultsOf(found)['request_hash']]).toEqual([false, 'fail'])
    }
  })

  it('is neither kept nor logged', async () => {
    const medical = await foundMedical()
    const { id } = await receiptOf(medical)
    const logged: unknown[] = []
    for (const level of ['log', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((...line: unknown[]) => void logged.push(line))
    }
    await verify(medical, id, { request: REQUEST })
    expect(JSON.stringify(logged)).not.toContain('marked text')
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(medical.organisation.id))
    const rows = await runInDurableObject(stub, (_, { storage: { sql } }) =>
      sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '[_s]*'")
        .toArray()
        .flatMap(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray()),
    )
    expect(rows.length).toBeGreaterThan(3)
    expect(JSON.stringify(rows)).not.toContain('marked text')
  })
})

describe('a body that is refused', () => {
  it.each([
    ['a member that there is not', '{"patient":{}}'],
    ['a record that is no object', '{"record":"text"}'],
    ['a record that is a list', '{"record":[1]}'],
    ['a record that is null', '{"record":null}'],
    ['a key that is none', '{"public_key":"short"}'],
    ['a member named twice', '{"record":{"v":1,"v":2}}'],
    ['what is nested too deep', `{"request":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`],
  ])('%s', async (_, text) => {
    const medical = await foundMedical()
    const { id } = await receiptOf(medical)
    expect(await errorOf(verifyText(medical, id, text))).toMatchObject({ status: 400, code: 'invalid_request' })
  })
})

describe('a log that was changed', () => {
  it('is not told as right: what is in the database is no longer the leaf', async () => {
    const medical = await foundMedical()
    const { id } = await receiptOf(medical)
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(medical.organisation.id))
    await runInDurableObject(stub, (_, { storage, id: object }) => {
      expect(openParts(storage, object.toString()).journal.tree.size).toBeGreaterThan(0)
      for (const statement of [
        'DROP TRIGGER entries_never_change',
        "UPDATE entries SET entry = CAST(replace(entry, 'ALLOWED', 'BLOCKED') AS BLOB) WHERE id IS NOT NULL",
      ]) {
        storage.sql.exec(statement)
      }
    })
    expect(await errorOf(medical.owner.ask('POST', `${PATH}/${id}/verify`, {}))).toMatchObject({ status: 503 })
  })
})
