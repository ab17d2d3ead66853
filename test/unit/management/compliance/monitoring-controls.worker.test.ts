// The controls about monitoring and about data, by what of an organisation's real history makes them pass and fail.
import type { RouteFacts } from '../../../../src/organisation/admit/choose-routes.ts'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { traceIdOf } from '../../../../src/evidence/records/attestation-record.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { morningOf, serve } from '../../organisation/bias/served-calls.ts'
import { idOf, noon, positionOf } from '../../organisation/chat-organisation.ts'
import { oversee, tamper, type Overseen } from './overseen.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const EXPLANATION = { text: 'Looked into.', looked_at: 'The calls.' }

const INSIDE: RouteFacts = {
  model: 'gpt-4.1-mini',
  costEffective: true,
  endpoint: 'bedrock-eu-west-1',
  provider: 'bedrock',
  dataRegion: 'eu',
  upFrontMicroeur: 0,
  inputMicroeur: 0,
  microeurPerMillion: 0,
}
const ROUTED = { route: INSIDE.endpoint, host: 'bedrock.test', catalogue: '0'.repeat(64), attempts: null }

const stateOf = async ({ controls }: Overseen, id: string) => (await controls()).get(id)?.state

async function admit({ organisation, key }: Overseen): Promise<{ position: number; traceId: string }> {
  const admission = await organisation.admit(key)
  return { position: positionOf(admission), traceId: traceIdOf(idOf(admission)) }
}

describe('monitoring and data', () => {
  it('M3 finds the receipt of a trace that was marked, and fails for one that there is not', async () => {
    const overseen = await oversee()
    const { position, traceId } = await admit(overseen)
    const mark = (trace: string) =>
      overseen.owner.ask('PUT', `/api/compliance/statements/incident:${trace}`, EXPLANATION)
    await mark(traceId)
    expect((await overseen.controls()).get('M3')).toMatchObject({ state: 'pass', evidence: { positions: [position] } })
    await mark(traceIdOf(crypto.randomUUID()))
    expect(await stateOf(overseen, 'M3')).toBe('fail')
    await overseen.organisation.query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
       INSERT INTO statements (subject, text, looked_at, date, stated_by, stated_at) SELECT printf('incident:tr_%032x', i), 'Later.', 'x', NULL, 'usr_1', ${noon + 1} FROM n`,
    )
    const latest = (await overseen.controls()).get('M3')?.evidence
    expect([latest?.values?.['marked'], latest?.positions]).toEqual([20, undefined])
  })

  it.each([
    ['found where the receipt’s time is over', `entry = x'', expires_at = ${noon}`, 'pass'],
    ['not found where the receipt cannot be read', 'entry = zeroblob(40)', 'fail'],
  ])('M3 holds a trace that was marked to be %s', async (_, change, state) => {
    const overseen = await oversee()
    const { position, traceId } = await admit(overseen)
    const subject = `incident:${traceId}`
    await overseen.owner.ask('PUT', `/api/compliance/statements/${subject}`, EXPLANATION)
    await tamper(overseen, `UPDATE entries SET ${change} WHERE position = ${position}`)
    expect(await stateOf(overseen, 'M3')).toBe(state)
  })

  it('D2 tells for how long content is kept', async () => {
    const overseen = await oversee({ content_logging: { retention_days: 30 } })
    await overseen.call()
    expect((await overseen.controls()).get('D2')).toMatchObject({
      state: 'pass',
      evidence: { values: { content_days: 30, details_days: 365 } },
    })
  })

  it('M1 fails below the tier that has bias detection, and passes once it was run', async () => {
    const pro = await oversee({ tier: 'pro' })
    await pro.call()
    expect((await pro.controls()).get('M1')).toMatchObject({
      state: 'fail',
      evidence: { values: { in_tier: false, tier: 'pro' } },
    })
    const overseen = await oversee()
    await overseen.call()
    expect(await stateOf(overseen, 'M1')).toBe('fail')
    expect((await overseen.owner.ask('GET', '/api/compliance/bias-detection')).status).toBe(200)
    expect(await stateOf(overseen, 'M1')).toBe('pass')
  })

  it('M2 does not apply until cohorts have calls to compare, fails on a disparity, and is “stated” once that is explained', async () => {
    const overseen = await oversee({ enabled_providers: ['openai', 'anthropic'] })
    const cohorts = ['group-a', 'group-b']
    await overseen.owner.ask('PUT', '/api/policies', { bias: { cohorts } })
    await overseen.call({ cohort: 'group-a' })
    expect((await overseen.controls()).get('M2')).toMatchObject({
      state: 'not_applicable',
      evidence: { values: { cohorts, compared: 0, found: 0 } },
    })
    for (let day = -7; day <= 0; day += 1) {
      await serve(overseen.organisation, morningOf(noon, day), [
        { key: overseen.key, count: 24, ending: 'completed', facts: { cohort: 'group-a' } },
        { key: overseen.key, count: 1, ending: 'refused', facts: { cohort: 'group-a' } },
        { key: overseen.key, count: 5, ending: 'failed', facts: { cohort: 'group-a' } },
        { key: overseen.key, count: 5, ending: 'failed', facts: { cohort: 'group-b' } },
        { key: overseen.key, count: 11, ending: 'completed', facts: { cohort: 'group-b' } },
        { key: overseen.key, count: 11, ending: 'refused', facts: { cohort: 'group-b' } },
      ])
    }
    const failing = (await overseen.controls()).get('M2')
    const subjects = ['answered', 'refused'].map((outcome) => `disparity:cohort:${outcome}:group-b`)
    expect(failing).toMatchObject({ state: 'fail', evidence: { values: { compared: 3, without_statement: subjects } } })
    for (const subject of subjects) {
      await overseen.owner.ask('PUT', `/api/compliance/statements/${subject}`, EXPLANATION)
    }
    expect((await overseen.controls()).get('M2')).toMatchObject({
      state: 'stated',
      stated: subjects.map((subject) => ({ subject, looked_at: EXPLANATION.looked_at, stated_by: overseen.owner.id })),
    })
  })

  it('D1 counts calls by where they were routed, and fails on one outside', async () => {
    const overseen = await oversee({ enabled_providers: ['openai', 'bedrock'] })
    expect(await stateOf(overseen, 'D1')).toBe('not_applicable')
    await overseen.owner.ask('PUT', '/api/policies', { data_region: { within: 'eea_ch' } })
    const call = (places: readonly string[] | null) =>
      overseen.call({ routes: [INSIDE] }, { routed: { ...ROUTED, places } })
    await call(['DE', 'IE'])
    await call(['DE', 'CH'])
    expect((await overseen.controls()).get('D1')).toMatchObject({
      state: 'pass',
      evidence: { values: { data_region: 'eea_ch', routed_eu: 1, routed_eea_ch: 1, routed_elsewhere: 0 } },
    })
    await call(null)
    expect((await overseen.controls()).get('D1')).toMatchObject({
      state: 'fail',
      evidence: { values: { jurisdiction: 'eu', routed_elsewhere: 1 } },
    })
  })

  it('D3 fails when the key is gone that entries are sealed under', async () => {
    const overseen = await oversee()
    await tamper(overseen, "INSERT INTO data_keys (number, key, purpose) VALUES (2, NULL, 'content')")
    expect(await stateOf(overseen, 'D3')).toBe('not_applicable')
    await tamper(overseen, "INSERT INTO data_keys (number, key, purpose) VALUES (1, zeroblob(32), 'ledger')")
    await tamper(
      overseen,
      "INSERT INTO sealed_details (first, last, expires_day, rows, data_key, key_fingerprint) VALUES (0, 0, 0, 1, 1, 'ab')",
    )
    // A planned object's entries are still in the database.
    await tamper(
      overseen,
      "INSERT INTO sealed_details (first, last, expires_day, rows, data_key, key_fingerprint) VALUES (1, 1, 0, 1, NULL, 'ab')",
    )
    expect(await stateOf(overseen, 'D3')).toBe('pass')
    await tamper(overseen, 'UPDATE data_keys SET key = NULL')
    expect(await stateOf(overseen, 'D3')).toBe('fail')
  })

  it('D4 counts requests to be erased that were not done in time', async () => {
    const overseen = await oversee()
    const ask = (id: string, at: number) =>
      env.DB.prepare(
        `INSERT INTO erasures (id, subject, requested_by, requested_at, due_at, state)
         VALUES (?1, ?2, ?2, ?3, ?3, 'scheduled')`,
      )
        .bind(id, overseen.owner.id, at)
        .run()
    await ask('era_1', noon - 29 * DAY_MS)
    expect(await stateOf(overseen, 'D4')).toBe('pass')
    await env.DB.prepare('UPDATE erasures SET requested_at = ?')
      .bind(noon - 31 * DAY_MS)
      .run()
    expect((await overseen.controls()).get('D4')).toMatchObject({
      state: 'fail',
      evidence: { values: { asked: 1, overdue: 1 } },
    })
    const stranger = await oversee()
    await env.DB.prepare(
      `INSERT INTO erasures (id, subject, jurisdiction, requested_by, requested_at, due_at, state) VALUES
       ('era_2', ?1, 'eu', 'usr_1', 1, 1, 'completed'), ('era_3', ?2, NULL, 'usr_1', 1, 1, 'completed'),
       ('era_4', ?2, NULL, 'usr_1', 1, 1, 'cancelled'), ('era_5', ?3, NULL, 'usr_1', 1, 1, 'scheduled'),
       ('era_6', ?4, 'eu', 'usr_1', 1, 1, 'scheduled')`,
    )
      .bind(overseen.organisation.id, overseen.owner.id, stranger.owner.id, stranger.organisation.id)
      .run()
    expect((await overseen.controls()).get('D4')?.evidence.values).toEqual({ asked: 3, done: 2, overdue: 1 })
  })
})
