// The ledger's tables: leaves are sealed by the database itself, details follow retention.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { encodeEntry, leafHash } from '../../../src/ledger/entry.ts'
import { DAY_MS } from '../../../src/platform/clock.ts'

afterEach(() => vi.useRealTimers())

const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('org_of_a_test'))
const act = { actor: 'operator' as const, act: 'test', requestId: 'req_test' }

const inDatabase = <T>(work: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(object(), (_, { storage }) => work(storage.sql))

const tryStatement = (statement: string): Promise<string> =>
  inDatabase((sql) => {
    try {
      sql.exec(statement)
      return 'accepted'
    } catch (thrown) {
      return String(thrown)
    }
  })

describe('leaves', () => {
  it.each([
    ['changed', 'UPDATE leaves SET hash = zeroblob(32) WHERE position = 0', 'a leaf never changes'],
    ['removed', 'DELETE FROM leaves', 'a leaf is never removed'],
    ['replaced', 'INSERT OR REPLACE INTO leaves VALUES (0, zeroblob(32))', 'a leaf is appended at the end'],
    ['left out', 'INSERT INTO leaves VALUES (7, zeroblob(32))', 'a leaf is appended at the end'],
    ['appended with a short hash', 'INSERT INTO leaves VALUES (1, zeroblob(31))', 'CHECK constraint failed'],
  ])('cannot be %s', async (_, statement, refusal) => {
    await object().recordAct(act)
    expect(await tryStatement(statement)).toContain(refusal)
    const kept = await inDatabase((sql) => sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM leaves').one().n)
    expect(kept).toBe(1)
  })

  it('are the RFC 6962 leaf hashes of the entries in details', async () => {
    await object().recordAct(act)
    const row = await inDatabase((sql) =>
      sql
        .exec<{ hash: ArrayBuffer; entry: ArrayBuffer }>('SELECT hash, entry FROM leaves JOIN details USING (position)')
        .one(),
    )
    const entry = new Uint8Array(row.entry)
    const digest = await crypto.subtle.digest('SHA-256', Uint8Array.of(0, ...entry))
    expect(new Uint8Array(row.hash)).toEqual(new Uint8Array(digest))
    const content: unknown = JSON.parse(new TextDecoder().decode(entry.subarray(17)))
    expect(content).toMatchObject({ kind: 'operator_act', act: 'test', request_id: 'req_test' })
  })
})

describe('encodeEntry', () => {
  it('gives two entries of one content different hashes, so that neither can be guessed', () => {
    const content = { decision: 'held' }
    expect(leafHash(encodeEntry('referral_decision', content))).not.toEqual(
      leafHash(encodeEntry('referral_decision', content)),
    )
  })
})

describe('retention', () => {
  it('gives details for 30 days, then deletes them, and keeps the leaves', async () => {
    const start = Date.UTC(2091, 0, 1)
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    await object().recordAct(act)
    const count = () =>
      inDatabase((sql) =>
        sql
          .exec<{ leaves: number; details: number }>(
            'SELECT (SELECT COUNT(*) FROM leaves) AS leaves, (SELECT COUNT(*) FROM details) AS details',
          )
          .one(),
      )
    vi.setSystemTime(start + 30 * DAY_MS - 1)
    await runDurableObjectAlarm(object())
    expect(await object().findEntry(0)).toMatchObject({ outcome: 'found', kind: 'operator_act' })
    vi.setSystemTime(start + 31 * DAY_MS)
    await runDurableObjectAlarm(object())
    expect(await object().findEntry(0)).toEqual({ outcome: 'not_kept' })
    expect(await count()).toEqual({ leaves: 1, details: 0 })
    expect((await env.FILES.list()).objects).toEqual([])
  })
})
