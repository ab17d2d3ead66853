// The log's rows: the database itself refuses to have one changed, put elsewhere or removed early; their content follows retention.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EntriesStore, type NewRow } from '../../../../src/organisation/journal/entries.store.ts'
import { encodeEntry, leafHash } from '../../../../src/evidence/entry.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'

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

/** An entry as another writer would put it there. */
const rowAt = (position: string, more: { id?: string; hash?: string; verb?: string } = {}): string =>
  `${more.verb ?? 'INSERT'} INTO entries (position, hash, kind, at, expires_at, id, entry)
   VALUES (${position}, ${more.hash ?? 'zeroblob(32)'}, 'operator_act', 1, 1, ${more.id ?? 'NULL'}, x'82')`

describe('a row of the log', () => {
  const ID = "x'6fa0b2a13a0e4b5e9d5c0c6a5f2f8a11'"
  const CHANGED = 'may be emptied and never changes'
  const AT_THE_END = 'an entry is appended at the end'

  it.each([
    ['changed in its hash', "UPDATE entries SET hash = zeroblob(32), entry = x''", CHANGED],
    ['changed in its content', "UPDATE entries SET entry = x'8100'", CHANGED],
    ['changed in what is known beside it', `UPDATE entries SET entry = x'', facts = '{}'`, CHANGED],
    ['moved', "UPDATE entries SET position = position + 5, entry = x''", CHANGED],
    ['given another kind', "UPDATE entries SET kind = 'settlement', entry = x''", CHANGED],
    ['given another id', `UPDATE entries SET id = ${ID}, entry = x''`, CHANGED],
    ['given another time', "UPDATE entries SET at = at + 1, entry = x''", CHANGED],
    ['kept longer', "UPDATE entries SET expires_at = expires_at + 1, entry = x''", CHANGED],
    ['given another key', "UPDATE entries SET key_id = 'key_of_another', entry = x''", CHANGED],
    ['given another outcome', "UPDATE entries SET outcome = 'ALLOWED', entry = x''", CHANGED],
    ['given another cost', "UPDATE entries SET microeur = 7, entry = x''", CHANGED],
    ['given another decision to settle', "UPDATE entries SET settles = 0, entry = x''", CHANGED],
    ['given another request', "UPDATE entries SET loop = zeroblob(16), entry = x''", CHANGED],
    ['removed', 'DELETE FROM entries', 'an entry leaves once its tile is stored'],
    ['replaced', rowAt('0', { verb: 'INSERT OR REPLACE' }), AT_THE_END],
    ['put before the first', rowAt('-1'), AT_THE_END],
    ['put where one is', rowAt('1'), AT_THE_END],
    ['put after a gap', rowAt('7'), AT_THE_END],
    ['put anywhere', rowAt('NULL'), AT_THE_END],
    ['appended with a short hash', rowAt('3', { hash: 'zeroblob(31)' }), 'CHECK constraint failed'],
    ['appended with half an id', rowAt('3', { id: 'zeroblob(8)' }), 'CHECK constraint failed'],
    ['appended with an id that is there', rowAt('3', { id: ID }), 'a receipt is written once'],
    ['replaced by its id', rowAt('3', { id: ID, verb: 'INSERT OR REPLACE' }), 'a receipt is written once'],
  ])('cannot be %s', async (_, statement, refusal) => {
    for (let n = 0; n < 2; n += 1) await object().log.recordAct(act)
    expect(await tryStatement(rowAt('2', { id: ID }))).toBe('accepted')
    const rows = () => inDatabase((sql) => sql.exec('SELECT * FROM entries ORDER BY position').toArray())
    const before = await rows()
    expect(before).toHaveLength(3)
    expect(await tryStatement(statement)).toContain(refusal)
    expect(await rows()).toEqual(before)
  })

  it('may be emptied, and of what it did nothing be left; its leaf and its id stay', async () => {
    await object().log.recordAct(act)
    expect(await tryStatement(rowAt('1', { id: ID }))).toBe('accepted')
    const nothing = 'key_id = NULL, outcome = NULL, loop = NULL, microeur = NULL, settles = NULL, facts = NULL'
    expect(await tryStatement(`UPDATE entries SET entry = x'', at = 0, expires_at = 0, ${nothing}`)).toBe('accepted')
  })

  it.each([
    [0, 0],
    [1, 256],
  ])('may go with %i stored tiles where it is before position %i', async (stored, end) => {
    await inDatabase((sql) => {
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
           INSERT INTO entries (position, hash, kind, at, expires_at, entry)
           SELECT i, zeroblob(32), 'operator_act', 1, 1, x'82' FROM n`,
      )
      sql.exec("INSERT INTO tile_levels (level, stored, edge) VALUES (0, ?, x'')", stored)
      sql.exec('UPDATE progress SET leaving_to = 300')
    })
    expect(await tryStatement(`DELETE FROM entries WHERE position < ${end}`)).toBe('accepted')
    expect(await tryStatement(`DELETE FROM entries WHERE position = ${end}`)).toContain('once its tile is stored')
    expect(await inDatabase((sql) => sql.exec('SELECT COUNT(*) AS n FROM entries').one())).toEqual({
      n: 300 - end,
    })
    expect(await tryStatement(rowAt('0'))).toContain(AT_THE_END)
    expect(await tryStatement(rowAt('300'))).toBe('accepted')
  })

  it('goes on after the last stored tile where all have left', async () => {
    await inDatabase((sql) => sql.exec("INSERT INTO tile_levels (level, stored, edge) VALUES (0, 2, x'')"))
    for (const elsewhere of ['0', '511', '513']) expect(await tryStatement(rowAt(elsewhere))).toContain(AT_THE_END)
    expect(await tryStatement(rowAt('512'))).toBe('accepted')
  })

  it('has the RFC 6962 leaf hash of its entry', async () => {
    await object().log.recordAct(act)
    const row = await inDatabase((sql) =>
      sql.exec<{ hash: ArrayBuffer; entry: ArrayBuffer }>('SELECT hash, entry FROM entries').one(),
    )
    const entry = new Uint8Array(row.entry)
    const digest = await crypto.subtle.digest('SHA-256', Uint8Array.of(0, ...entry))
    expect(new Uint8Array(row.hash)).toEqual(new Uint8Array(digest))
    const content: unknown = JSON.parse(new TextDecoder().decode(entry.subarray(17)))
    expect(content).toMatchObject({ kind: 'operator_act', act: 'test', request_id: 'req_test' })
  })
})

describe('a receipt', () => {
  const id = '6fa0b2a1-3a0e-4b5e-9d5c-0c6a5f2f8a11'
  const other = '6fa0b2a1-3a0e-4b5e-9d5c-0c6a5f2f8a12'
  const rowOf = (position: number, attestationId: string): NewRow => ({
    position,
    kind: 'chat_decision',
    at: 1,
    expiresAt: 1,
    facts: null,
    id: attestationId,
    hash: new Uint8Array(32),
    entry: Uint8Array.of(1),
    keyId: 'key_a',
    outcome: 'BLOCKED',
    loop: null,
    microeur: null,
    settles: null,
  })

  it('is found by its id, after an eviction too, and by no other', async () => {
    await object().log.recordAct(act)
    await inDatabase((sql) => new EntriesStore(sql).insert(rowOf(1, id)))
    await evictDurableObject(object())
    const found = await inDatabase((sql) =>
      [id, other, id.toUpperCase(), '', `${id}\n`, `x${id}`].map((each) => new EntriesStore(sql).findReceipt(each)),
    )
    expect(found).toEqual([1, null, null, null, null, null])
  })

  it.each([
    ['an id that is there', 1, id, 'a receipt is written once'],
    ['an id that is no UUID', 1, 'att_1', 'an attestation_id is a UUID'],
    ['a place that is not the end', 9, other, 'appended at the end'],
  ])('is refused for %s', async (_, position, attestationId, refusal) => {
    await inDatabase((sql) => {
      const entries = new EntriesStore(sql)
      entries.insert(rowOf(0, id))
      expect(() => entries.insert(rowOf(position, attestationId))).toThrow(refusal)
      expect(sql.exec('SELECT COUNT(*) AS n FROM entries').one()).toEqual({ n: 1 })
    })
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
  it('gives an act’s content for a year, then takes it out, and keeps the leaf', async () => {
    const start = Date.UTC(2091, 0, 1)
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    await object().log.recordAct(act)
    const kept = () =>
      inDatabase((sql) => sql.exec('SELECT position, hash, length(entry) > 0 AS has_content FROM entries').one())
    const leaf = { position: 0, hash: (await kept())['hash'] }
    vi.setSystemTime(start + 365 * DAY_MS - 1)
    await runDurableObjectAlarm(object())
    expect(await object().log.findEntry(0)).toMatchObject({ outcome: 'found', kind: 'operator_act' })
    vi.setSystemTime(start + 366 * DAY_MS)
    await runDurableObjectAlarm(object())
    expect(await object().log.findEntry(0)).toEqual({ outcome: 'not_kept' })
    expect(await kept()).toEqual({ ...leaf, has_content: 0 })
    expect((await env.FILES.list()).objects).toEqual([])
  })
})
