// A Worker beside objects whose tables have got columns since: everything it does still works, and what is in those columns
// stays.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPublicIndex } from '../../../src/public-log/public-log.client.ts'
import { countOutcomes, foundOrganisation, hashOf, noon, positionOf } from './chat-organisation.ts'
import { DAY_MS } from '../../../src/platform/time.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'"

function widen(sql: SqlStorage): string[] {
  const tables = sql
    .exec<{ name: string }>(TABLES)
    .toArray()
    .map(({ name }) => name)
  for (const table of tables) sql.exec(`ALTER TABLE "${table}" ADD COLUMN of_a_later_day TEXT NOT NULL DEFAULT 'later'`)
  return tables
}

const widenObject = (stub: DurableObjectStub) => runInDurableObject(stub, (_, { storage }) => widen(storage.sql))

async function widenEverything(organisationId: string): Promise<string[]> {
  const { ORGANISATIONS, PUBLIC_LOG, PUBLIC_LOG_INDEX, DB } = env
  const shards = Array.from({ length: 16 }, (_, shard) => `shard-${shard.toString(16)}`)
  const tables = [
    await widenObject(ORGANISATIONS.get(ORGANISATIONS.idFromName(organisationId))),
    await widenObject(PUBLIC_LOG.get(PUBLIC_LOG.idFromName('public'))),
    ...(await Promise.all(shards.map((name) => widenObject(PUBLIC_LOG_INDEX.get(PUBLIC_LOG_INDEX.idFromName(name)))))),
  ]
  await DB.exec("ALTER TABLE organisations ADD COLUMN of_a_later_day TEXT NOT NULL DEFAULT 'later'")
  return [...new Set(tables.flat())]
}

describe('beside tables with a column more', () => {
  it('calls are admitted, settled, refused, proved and put away, and organisations changed', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const live = await organisation.issueKey({ prefix: 'vk_live_' })
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
    const asReader = { keyId: live.keyId, secretHash: live.secretHash, scope: 'referral:read' as const }
    const entry = { kind: 'referral_decision' as const, content: {} }

    const everyCall = async (): Promise<void> => {
      const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 7 }))
      expect((await organisation.settle(position, 5)).outcome).toBe('settled')
      expect((await organisation.admitInvalid(key)).outcome).toBe('admitted')
      const again = { loopHash: hashOf(crypto.randomUUID()) }
      const repeated = []
      for (let n = 0; n < 6; n += 1) repeated.push(await organisation.admit(key, again))
      expect(countOutcomes(repeated)).toEqual({ admitted: 4, loop_detected: 2 })
      const reading = await stub.admit({ ...asReader, entry, reserveMicroeur: 9 })
      if (reading.outcome !== 'admitted' || reading.position === null) throw new Error('not admitted')
      const settled = { keyId: live.keyId, position: reading.position, costMicroeur: 8, content: {} }
      expect((await stub.settleReading(settled)).outcome).toBe('settled')
      expect((await stub.log.readTreeHead(key)).outcome).toBe('admitted')
      await organisation.runAlarm()
    }

    await everyCall()
    const tables = await widenEverything(organisation.id)
    expect(tables).toEqual(
      expect.arrayContaining(['keys', 'calls', 'snapshots', 'progress', 'tile_levels', 'heads', 'sources', 'entries']),
    )
    await organisation.evict()
    await everyCall()

    const made = await organisation.issueKey()
    expect((await organisation.admit(made)).outcome).toBe('admitted')
    await organisation.service.operate('DELETE', `/organisations/${organisation.id}/keys/${made.id}`)
    expect(await organisation.admit(made)).toEqual({ outcome: 'invalid_api_key', why: 'revoked' })
    expect(await organisation.set({ name: 'Renamed', monthly_budget_eur: 1 })).toMatchObject({ name: 'Renamed' })
    expect(await organisation.query('SELECT of_a_later_day FROM progress')).toEqual([{ of_a_later_day: 'later' }])
    const { data } = await organisation.service.operate<{ data: object[] }>('GET', '/organisations')
    expect(data).toMatchObject([{ name: 'Renamed', monthly_budget_eur: 1 }])

    vi.setSystemTime(noon + 9 * DAY_MS)
    await everyCall()
    for (let n = 0; n < 3; n += 1) await organisation.runAlarm()
    for (let n = 0; n < 130; n += 1) await organisation.settle(positionOf(await organisation.admit(key)), 0)
    for (let n = 0; n < 3; n += 1) await organisation.runAlarm()
    vi.setSystemTime(noon + 9.5 * DAY_MS)
    for (let n = 0; n < 12; n += 1) await organisation.settle(positionOf(await organisation.admit(key)), 0)
    vi.setSystemTime(noon + 10 * DAY_MS)
    for (let n = 0; n < 3; n += 1) await organisation.runAlarm()
    await everyCall()
    vi.setSystemTime(noon + 18 * DAY_MS)
    await everyCall()
    for (let n = 0; n < 5; n += 1) await organisation.runAlarm()
    expect(await organisation.query('SELECT MIN(position) AS first FROM entries')).toEqual([{ first: 256 }])
    const [put] = await organisation.query<{ n: number }>('SELECT COUNT(*) AS n FROM sealed_details')
    expect(put?.n).toBeGreaterThan(0)
    vi.setSystemTime(noon + 17 * DAY_MS)
    await everyCall()
    expect((await stub.log.checkState()).differences).toEqual([])
    await env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromName('public')).ensureHead()
    expect(
      await openPublicIndex(env.PUBLIC_LOG_INDEX, false).findPosition(crypto.getRandomValues(new Uint8Array(16))),
    ).toBe(null)
  })
})
