// Retention with a clock that runs years ahead: what is gone then, wherever it was kept, what stays, and that what has gone is still proven
// to have been in the log. The alarm of an organisation does it, and here it comes as late as the clock is put.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { requestHash } from '../../../src/evidence/records/canonical-json.ts'
import { receiptEntry } from '../../../src/evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../../src/evidence/records/attestation-record.ts'
import { hashLeaf } from '../../../src/evidence/tree/merkle-hash.ts'
import { verifyConsistency, verifyInclusion } from '../../../src/evidence/tree/verify-proof.ts'
import { AnomaliesStore } from '../../../src/organisation/bias/anomalies.store.ts'
import { AnswerCacheStore } from '../../../src/organisation/admit/answer-cache.store.ts'
import { putContent } from '../../../src/organisation/content/content-bucket.store.ts'
import { ContentKeys } from '../../../src/organisation/content/content-keys.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { createSigner, configuredKeys } from '../../../src/evidence/records/configured-keys.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { ReportsStore } from '../../../src/organisation/compliance/reports-and-statements.store.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import { postJson } from '../../support/unit/service.ts'
import { completeTile, openParts } from './journal/archived-ledger.ts'
import { publishAll } from '../public-log/opened-log.ts'
import { manage, type Managed } from '../management/managed.ts'
import { exportAudit, isProven, type ExportedAudit } from '../management/audit/exported-audit.ts'
import {
  foundOrganisation,
  hashOf,
  noon,
  positionOf,
  type ChatKey,
  type ChatOrganisation,
  type FactsChange,
} from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const stubOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

const at = (days: number): void => void vi.setSystemTime(noon + days * DAY_MS)

/** Alarms until the object wants none in the next minutes. */
async function wakeUntilDone(organisation: ChatOrganisation): Promise<void> {
  for (let alarms = 0; alarms < 200; alarms += 1) {
    await organisation.runAlarm()
    if (((await organisation.alarmAt()) ?? Infinity) > Date.now() + 600_000) return
  }
  throw new Error('the object does not come to rest')
}

/** All that is written so far is in stored tiles and in the public log. */
async function complete(organisation: ChatOrganisation): Promise<void> {
  await runInDurableObject(stubOf(organisation), (_, { storage, id }) =>
    completeTile(openParts(storage, id.toString()), Date.now()),
  )
  await evictDurableObject(stubOf(organisation))
  await wakeUntilDone(organisation)
  const keys = configuredKeys(env, readConfig(env))
  if (keys === null) throw new Error('there is no key')
  await publishAll({ signer: createSigner(keys) })
}

const callerOf = ({ keyId, secretHash }: ChatKey) => ({ keyId, secretHash })

/** A call that has run, and its record. */
async function call(organisation: ChatOrganisation, key: ChatKey, more: FactsChange = {}): Promise<UnsignedRecord> {
  const admission = await organisation.admit(key, { organisationId: organisation.id, ...more })
  await organisation.settle(positionOf(admission), 42)
  if (!('record' in admission)) throw new Error('not recorded')
  return admission.record
}

async function prove(organisation: ChatOrganisation, key: ChatKey, record: UnsignedRecord) {
  const answer = await stubOf(organisation).log.proveInclusion(callerOf(key), record.attestation_id, null)
  if (answer.outcome !== 'admitted' || answer.answer.outcome !== 'included') throw new Error('not proven')
  return answer.answer
}

async function headOf(organisation: ChatOrganisation, key: ChatKey) {
  const answer = await stubOf(organisation).log.readTreeHead(callerOf(key))
  if (answer.outcome !== 'admitted') throw new Error(answer.outcome)
  return answer.answer
}

/** The names of what is in R2 for an organisation. */
async function objectsOf(organisation: ChatOrganisation, folder: string): Promise<string[]> {
  const object = await runInDurableObject(stubOf(organisation), (_, { id }) => id.toString())
  const { objects } = await env.FILES.list({ prefix: `${folder}/${object}/` })
  return objects.map(({ key }) => key)
}

/** Every row of every table, as text in which bytes are hexadecimal digits. */
function everythingStored(organisation: ChatOrganisation): Promise<Map<string, string>> {
  return runInDurableObject(stubOf(organisation), (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '[a-z]*'")
      .toArray()
      .filter(({ name }) => !name.startsWith('sqlite_'))
    const textOf = (_name: string, value: unknown): unknown =>
      value instanceof ArrayBuffer ? `${new Uint8Array(value).toHex()} ${new TextDecoder().decode(value)}` : value
    return new Map(
      tables.map(({ name }) => [name, JSON.stringify(sql.exec(`SELECT * FROM "${name}"`).toArray(), textOf)]),
    )
  })
}

describe.each([
  ['free', null, 7],
  ['starter', null, 90],
  ['pro', null, 365],
  ['healthcare', null, 365],
  ['healthcare', 2557, 2557],
  ['enterprise', 2557, 2557],
] as const)('on the tier %s, with a retention of %s', (tier, retention, days) => {
  it(`keeps the details of a call for ${days} days to the millisecond, and proves it for good`, async () => {
    const managed = await manage({ tier, retention_days: retention })
    const { organisation } = managed
    const key = await organisation.issueKey()
    const record = await call(organisation, key, { useCase: 'marked-use-case' })
    await complete(organisation)
    const [before, given] = [await headOf(organisation, key), await prove(organisation, key, record)]
    const position = given.leaf_index

    vi.setSystemTime(noon + days * DAY_MS - 1)
    await wakeUntilDone(organisation)
    expect(await organisation.find(position)).toMatchObject({ outcome: 'found' })
    at(days)
    expect(await organisation.find(position)).toEqual({ outcome: 'not_kept' })
    // By the second day after.
    at(days + 2)
    await wakeUntilDone(organisation)
    expect(await objectsOf(organisation, 'ledger')).not.toContainEqual(expect.stringContaining(`/${position}-`))
    const stored = await everythingStored(organisation)
    expect(stored.get('entries')).not.toContain('marked-use-case')
    expect(stored.get('entries')).not.toContain(record.request_hash)

    for (const later of [days + 2, days + 3 * 365]) {
      at(later)
      await wakeUntilDone(organisation)
      await evictDurableObject(stubOf(organisation))
      const proof = await prove(organisation, key, record)
      expect(verifyInclusion(proof).valid).toBe(true)
      expect(proof.leaf_hash).toBe(hashLeaf(receiptEntry(record)).toHex())
      const sizes = { from: before.size, to: null }
      const grown = await stubOf(organisation).log.proveConsistency(callerOf(key), sizes)
      if (grown.outcome !== 'admitted' || grown.answer.outcome !== 'consistent') throw new Error('not consistent')
      expect(verifyConsistency(grown.answer).valid).toBe(true)
      expect(grown.answer.old_root).toBe(before.root.toHex())
    }
  })
})

describe('what goes by its own time, whatever the tier', () => {
  const founded = async (): Promise<{ managed: Managed; organisation: ChatOrganisation; key: ChatKey }> => {
    const managed = await manage({ tier: 'healthcare', retention_days: 2557 })
    return { managed, organisation: managed.organisation, key: await managed.organisation.issueKey() }
  }

  const rowsOf = async (organisation: ChatOrganisation, table: string): Promise<number> =>
    (await organisation.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n ?? 0

  it('calls, acts of management and the hour’s counts for as long as was chosen', async () => {
    const { managed, organisation, key } = await founded()
    const owner = await managed.signIn('owner')
    await owner.ask('PATCH', '/api/settings', { name: 'Another name' })
    const record = await call(organisation, key)
    at(1)
    await wakeUntilDone(organisation)
    /** The kinds of those entries that still have their content. */
    const kindsKept = async (): Promise<string[]> =>
      (
        await organisation.query<{ kind: string }>(
          'SELECT DISTINCT kind FROM entries WHERE length(entry) > 0 ORDER BY kind',
        )
      ).map(({ kind }) => kind)
    expect(await kindsKept()).toEqual(['chat_decision', 'hour_counts', 'member_act', 'operator_act', 'settlement'])
    at(32)
    await wakeUntilDone(organisation)
    const ownTime = ['chat_decision', 'hour_counts', 'member_act', 'operator_act', 'settlement']
    expect((await kindsKept()).filter((kind) => kind !== 'usage_closed')).toEqual(ownTime)
    expect((await prove(organisation, key, record)).leaf_hash).toBe(hashLeaf(receiptEntry(record)).toHex())
    const stayed = async () => (await kindsKept()).filter((kind) => ownTime.includes(kind))
    at(2556)
    await wakeUntilDone(organisation)
    // The act that founded the organisation too: it stays by the retention that it brought.
    expect(await stayed()).toEqual(ownTime)
    at(2559)
    await wakeUntilDone(organisation)
    // The proof was asked for later, so the counts of its hour are younger.
    expect(await stayed()).toEqual(['hour_counts'])
  })

  it('an act after a year where details stay for a week, and until then it is in exports', async () => {
    const managed = await manage({ tier: 'starter' })
    const { organisation } = managed
    const key = await organisation.issueKey()
    await organisation.set({ tier: 'free' })
    const decided = await call(organisation, key)
    const { key: reading } = await organisation.service.createKey({}, organisation.id)
    await organisation.service.fetch('/v1/referral/read', postJson(reading, { action: 'book_appointment' }))
    await complete(organisation)
    const day = new Date(noon).toISOString().slice(0, 10)
    const exportFirstDay = async () => {
      const exported = await exportAudit(await managed.signIn('auditor'), `?start=${day}&end=${day}`)
      expect(isProven(exported)).toBe(true)
      return exported
    }
    const kindsOf = ({ lines }: ExportedAudit) =>
      [...new Set(lines.filter(({ withheld }) => withheld === undefined).map(({ kind }) => String(kind)))].toSorted()
    expect(kindsOf(await exportFirstDay())).toEqual(expect.arrayContaining(['chat_decision', 'referral_decision']))

    for (const [days, kinds] of [
      [9, ['member_act', 'operator_act', 'referral_decision']],
      [32, ['member_act', 'operator_act']],
      [300, ['member_act', 'operator_act']],
    ] as const) {
      at(days)
      await wakeUntilDone(organisation)
      const exported = await exportFirstDay()
      expect([days, kindsOf(exported)]).toEqual([days, kinds])
      const contents = exported.lines.map(({ content }) => content)
      expect(contents).toContainEqual(expect.objectContaining({ tier: 'free', before: { tier: 'starter' } }))
      expect(exported.text).not.toContain(decided.request_hash)
    }
    at(368)
    await wakeUntilDone(organisation)
    expect(kindsOf(await exportFirstDay())).toEqual([])
    expect(verifyInclusion(await prove(organisation, key, decided)).valid).toBe(true)
  })

  it('a claim of an idempotency key after a day, and an answer of the cache when its time is over', async () => {
    const { organisation, key } = await founded()
    await call(organisation, key, { idempotencyKeyHash: Uint8Array.fromHex(hashOf('a key of the caller')) })
    await runInDurableObject(stubOf(organisation), (_, { storage: { sql } }) => {
      const entry = { object: 'content/none', attestationId: crypto.randomUUID(), answer: null }
      new AnswerCacheStore(sql).insert(new Uint8Array(32), entry, noon + DAY_MS)
    })
    expect(await rowsOf(organisation, 'cache_entries')).toBe(1)
    expect(await rowsOf(organisation, 'idempotency_claims')).toBe(1)
    at(3)
    await wakeUntilDone(organisation)
    expect(await rowsOf(organisation, 'idempotency_claims')).toBe(0)
    expect(await rowsOf(organisation, 'cache_entries')).toBe(0)
  })

  it('a claim of a reading after a day, in an organisation that only reads letters', async () => {
    const organisation = await foundOrganisation()
    const { keyId, secretHash } = await organisation.issueKey({ prefix: 'vk_live_' })
    await runInDurableObject(stubOf(organisation), (object: Organisation) =>
      object.admit({
        keyId,
        secretHash,
        scope: 'referral:read',
        entry: { kind: 'referral_decision', content: { decision: 'reading' } },
        idempotencyKeyHash: Uint8Array.fromHex(hashOf('a key of the caller')),
      }),
    )
    expect(await rowsOf(organisation, 'idempotency_claims')).toBe(1)
    at(3)
    await wakeUntilDone(organisation)
    expect(await rowsOf(organisation, 'idempotency_claims')).toBe(0)
  })

  it('that data was exported within a day, and what was told of budgets after 62', async () => {
    const { managed, organisation } = await founded()
    const owner = await managed.signIn('owner')
    expect((await owner.ask('GET', '/api/settings/export')).status).toBe(200)
    await organisation.query(
      `INSERT INTO budget_notices (budget, period_start, microeur, percent, exhausted, notified_at)
       VALUES ('month', '2091-03', 1, 50, 0, ${noon})`,
    )
    expect(await rowsOf(organisation, 'exports')).toBe(1)
    at(2)
    await wakeUntilDone(organisation)
    expect([await rowsOf(organisation, 'exports'), await rowsOf(organisation, 'budget_notices')]).toEqual([0, 1])
    at(64)
    await wakeUntilDone(organisation)
    expect(await rowsOf(organisation, 'budget_notices')).toBe(0)
  })

  it('content on the day after its own', async () => {
    const { organisation } = await founded()
    const expiresAt = noon + 30 * DAY_MS
    await runInDurableObject(stubOf(organisation), async (_, { storage, id }) => {
      const keys = new ContentKeys(storage.sql, id.toString())
      const place = storage.transactionSync(() =>
        keys.place({ attestationId: crypto.randomUUID(), kind: 'call', expiresAt }, noon),
      )
      await putContent(env.FILES, place, new Uint8Array(1))
    })
    await organisation.evict()
    at(30)
    await wakeUntilDone(organisation)
    expect(await objectsOf(organisation, 'content')).toHaveLength(1)
    at(32)
    await wakeUntilDone(organisation)
    expect(await objectsOf(organisation, 'content')).toEqual([])
  })

  it('what was decided about a letter after 30 days', async () => {
    const { organisation } = await founded()
    const { key } = await organisation.service.createKey({}, organisation.id)
    const held = await organisation.service.fetch('/v1/referral/read', postJson(key, { action: 'book_appointment' }))
    expect(held.status).toBe(409)
    const kept = () =>
      organisation.query("SELECT position FROM entries WHERE kind = 'referral_decision' AND length(entry) > 0")
    expect(await kept()).toHaveLength(1)
    at(32)
    await wakeUntilDone(organisation)
    expect(await kept()).toEqual([])
  })

  it('a compliance report with the details of its time, and no statement of a person', async () => {
    const { managed, organisation } = await founded()
    const owner = await managed.signIn('owner')
    const said = { text: 'Everybody was taught.', looked_at: 'The list.', date: '2091-03-01' }
    expect((await owner.ask('PUT', '/api/compliance/statements/X1', said)).ok).toBe(true)
    await runInDurableObject(stubOf(organisation), (_, { storage: { sql } }) => {
      const days = { start: '2091-03-01', end: '2091-03-15' }
      const report = { id: 'rep_1', madeAt: noon, madeBy: owner.id, sha256: hashOf('a report'), position: 0, ...days }
      new ReportsStore(sql).insert({ ...report, expiresAt: noon + 2557 * DAY_MS }, new Uint8Array(1))
    })
    const rows = async () => [await rowsOf(organisation, 'reports'), await rowsOf(organisation, 'statements')]
    at(2556)
    await wakeUntilDone(organisation)
    expect(await rows()).toEqual([1, 1])
    at(2559)
    await wakeUntilDone(organisation)
    expect(await rows()).toEqual([0, 1])
  })

  it('an anomaly after 25 months, also of an organisation whose tier has none any more', async () => {
    const { managed, organisation } = await founded()
    const found = { kind: 'volume', series: 'all', since: noon, value: 9, baseline: 1, statistic: 9, threshold: 3.5 }
    await runInDurableObject(stubOf(organisation), (_, { storage: { sql } }) => {
      new AnomaliesStore(sql).insert(found as Parameters<AnomaliesStore['insert']>[0], noon)
    })
    await managed.organisation.set({ tier: 'pro', retention_days: null })
    at(761)
    await wakeUntilDone(organisation)
    expect(await rowsOf(organisation, 'anomalies')).toBe(1)
    at(763)
    await wakeUntilDone(organisation)
    expect(await rowsOf(organisation, 'anomalies')).toBe(0)
  })

  it('counts of hours after 35 days, and of days after 25 months', async () => {
    const { organisation, key } = await founded()
    await call(organisation, key, { useCase: 'triage' })
    at(4)
    await wakeUntilDone(organisation)
    const counted = async () => [
      await rowsOf(organisation, 'usage_hours'),
      ...(await Promise.all(
        ['usage_days', 'usage_margins', 'counted_days'].map((table) => rowsOf(organisation, table)),
      )),
    ]
    expect((await counted()).every((rows) => rows > 0)).toBe(true)
    at(38)
    await wakeUntilDone(organisation)
    const [hours = 1, ...days] = await counted()
    expect([hours, days.every((rows) => rows > 0)]).toEqual([0, true])
    at(764)
    await wakeUntilDone(organisation)
    expect(await counted()).toEqual([0, 0, 0, 0])
  })
})

describe('an organisation of years ago', () => {
  it('has of its calls nothing but hashes, and of those who made them what it still needs', async () => {
    const managed = await manage({ tier: 'healthcare' })
    const { organisation } = managed
    const owner = await managed.signIn('owner')
    const policy = { human_approval: { when: [{ use_cases: ['marked-letters'] }] } }
    expect((await owner.ask('PUT', '/api/policies', policy)).status).toBe(200)
    const key = await organisation.issueKey()
    const asked = { requestHash: requestHash({ marked: 'request' }), useCase: 'marked-letters' }
    const refused = await organisation.admit(key, { organisationId: organisation.id, ...asked })
    if (refused.outcome !== 'approval_required' || refused.approval === null) throw new Error(refused.outcome)
    const clinician = await managed.signIn('clinician')
    const { id } = refused.approval
    const decided = await clinician.ask('POST', `/api/approvals/${id}/decision`, {
      decision: 'approve',
      reason: 'marked reason',
    })
    expect(decided.status).toBe(200)
    const record = await call(organisation, key, { ...asked, approval: id })
    await owner.ask('GET', '/api/health/receipts/export').then((response) => response.text())
    await complete(organisation)
    const marks = {
      attestation: record.attestation_id,
      attestationBytes: record.attestation_id.replaceAll('-', ''),
      trace: record.trace_id,
      request: record.request_hash,
      approval: id,
      clinician: clinician.id,
    }
    const holding = async (): Promise<string[]> =>
      [...(await everythingStored(organisation))].flatMap(([table, text]) =>
        Object.entries(marks).flatMap(([name, mark]) => (text.includes(mark) ? [`${table}: ${name}`] : [])),
      )
    expect(await holding()).toEqual(expect.arrayContaining(['entries: request', 'ended_approvals: clinician']))

    at(3 * 365)
    await wakeUntilDone(organisation)
    await evictDurableObject(stubOf(organisation))
    expect(await holding()).toEqual([])
    expect(await objectsOf(organisation, 'ledger')).toEqual([])
    expect(await objectsOf(organisation, 'content')).toEqual([])
    const proof = await prove(organisation, key, record)
    expect([verifyInclusion(proof).valid, proof.leaf_hash]).toEqual([true, hashLeaf(receiptEntry(record)).toHex()])
    const again = await managed.signIn('owner')
    expect(await (await again.ask('GET', `/api/health/receipts/${record.attestation_id}`)).json()).toMatchObject({
      details: 'expired',
    })
    expect((await again.ask('GET', `/api/approvals/${id}`)).status).toBe(404)
  })
})
