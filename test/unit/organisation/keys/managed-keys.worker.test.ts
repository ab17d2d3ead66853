// An organisation's keys as its object changes them: each change with its entry, in one turn or not at all.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyId } from '../../../../src/platform/ids.ts'
import type { KeyActor, KeyRequest } from '../../../../src/organisation/keys/keys.target.ts'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { foundOrganisation, noon, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const NEW: KeyId = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
const successor = { id: NEW, secretHash: new Uint8Array(32).fill(1), lastFour: 'wxyz' }
const owner: KeyActor = { kind: 'person', id: 'usr_owner', reach: 'all' }
const REMOVED = { facts: { change: 'removed', role: 'admin', previous_role: null }, messageId: 'msg_1' } as const
const claim = { route: 'rotateKey', keyHash: new Uint8Array(32), bodyHash: new Uint8Array(32) }
const by = (actor: KeyActor, more: Partial<KeyRequest> = {}): KeyRequest => ({
  actor,
  requestId: 'req_test',
  claim: null,
  ...more,
})

const inObject = <T>({ id }: ChatOrganisation, work: (object: Organisation, sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id)), (object: Organisation, { storage }) =>
    work(object, storage.sql),
  )

/** Does the work while the disk fails at a statement, and returns what is thrown. */
const thrownWhileFailing = (organisation: ChatOrganisation, at: string, work: (object: Organisation) => unknown) =>
  inObject(organisation, (object, sql) => {
    const trigger = `CREATE TRIGGER failing BEFORE ${at} BEGIN SELECT RAISE(ABORT, 'the disk fails'); END`
    sql.exec(trigger)
    try {
      work(object)
      return null
    } catch (error) {
      return String(error)
    } finally {
      sql.exec('DROP TRIGGER failing')
    }
  })

const rotate = (organisation: ChatOrganisation, { keyId: id }: ChatKey, request = by(owner, { claim })) =>
  inObject(organisation, (object) => object.keys.rotate({ id, successor, overlapMs: 1000 }, request))

const minted = (id: KeyId) => ({
  id,
  prefix: 'aqta_' as const,
  name: 'marked-name',
  secretHash: new Uint8Array(32),
  lastFour: 'abcd',
  scopes: ['chat' as const],
  requestsPerMinute: null,
  requestsPerDay: null,
  dataRegion: null,
  evaluation: false,
  createdAt: noon,
  expiresAt: null,
})

const WRITTEN = [
  'SELECT id, expires_at, replaced_by FROM keys ORDER BY id',
  'SELECT made FROM idempotency_claims',
  'SELECT position, hash FROM entries ORDER BY position',
]
const writtenBy = (organisation: ChatOrganisation) => Promise.all(WRITTEN.map((one) => organisation.query(one)))

describe('a rotation that is cut off', () => {
  it.each([
    ['INSERT', 'keys'],
    ['UPDATE', 'keys'],
    ['INSERT', 'idempotency_claims'],
    ['INSERT', 'entries'],
  ])('at its %s in %s leaves nothing, and is whole when it is asked for again', async (statement, table) => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const before = await writtenBy(organisation)
    const thrown = await thrownWhileFailing(organisation, `${statement} ON ${table}`, ({ keys }) =>
      keys.rotate({ id: key.keyId, successor, overlapMs: 1000 }, by(owner, { claim })),
    )
    expect(thrown).toContain('the disk fails')
    expect(await writtenBy(organisation)).toEqual(before)
    expect(await inObject(organisation, (object) => object.keys.find(key.keyId, null))).toMatchObject({
      replacedBy: null,
    })
    expect((await organisation.describe(key)).outcome).toBe('admitted')

    expect((await rotate(organisation, key)).outcome).toBe('rotated_now')
    await organisation.evict()
    expect(await inObject(organisation, (object) => object.keys.find(key.keyId, null))).toMatchObject({
      replacedBy: NEW,
      expiresAt: noon + 1000,
    })
    expect((await rotate(organisation, key)).outcome).toBe('repeated')
  })
})

describe('the ledger', () => {
  it('has who did what to which key, and never its name', async () => {
    const organisation = await foundOrganisation()
    const id: KeyId = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d10'
    const change = { name: 'marked-other', expiresAt: noon + 5000, requestsPerDay: 3, dataRegion: 'eu' as const }
    await inObject(organisation, (object) => {
      object.keys.make(minted(id), by(owner))
      object.keys.update(id, change, by(owner))
      object.keys.rotate({ id, successor, overlapMs: 1000 }, by(owner))
      object.keys.end(id, by(owner))
      object.keys.end(id, by(owner))
    })
    const entries = await organisation.entries()
    const shared = { kind: 'member_act', actor: 'usr_owner', request_id: 'req_test', at: new Date(noon).toISOString() }
    const unlimited = { expires_at: null, requests_per_minute: null, requests_per_day: null, data_region: null }
    const iso = (ms: number) => new Date(noon + ms).toISOString()
    const changed = { renamed: true, expires_at: iso(5000), requests_per_day: 3, data_region: 'eu' }
    expect(entries).toEqual([
      { ...shared, act: 'key.create', key_id: id, prefix: 'aqta_', scopes: ['chat'], evaluation: false, ...unlimited },
      { ...shared, act: 'key.update', key_id: id, ...changed },
      { ...shared, act: 'key.rotate', key_id: id, replaced_by: NEW, expires_at: iso(1000) },
      { ...shared, act: 'key.revoke', key_id: id },
    ])
    expect(JSON.stringify(entries)).not.toContain('marked')
  })

  it('has nothing of what was refused', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const developer: KeyActor = { kind: 'person', id: 'usr_developer', reach: 'own' }
    const outcomes = await inObject(organisation, (object) => [
      object.keys.end(key.keyId, by(developer)).outcome,
      object.keys.rotate({ id: key.keyId, successor, overlapMs: 0 }, by(developer)).outcome,
      object.keys.make({ ...minted(NEW), scopes: ['manage'] }, by(developer)).outcome,
      object.keys.update(NEW, { name: 'Mine' }, by(owner)).outcome,
    ])
    expect(outcomes).toEqual(['forbidden', 'forbidden', 'forbidden', 'not_found'])
    expect(await organisation.entries()).toEqual([])
  })
})

it.each(['revoked', 'expired'])('a key that was let in and is %s by its turn makes none', async (how) => {
  const organisation = await foundOrganisation()
  const expires = how === 'expired' ? { expires_at: new Date(noon + 10).toISOString() } : {}
  const manager = await organisation.issueKey({ scopes: ['chat', 'manage'], ...expires })
  const actor: KeyActor = { kind: 'key', id: manager.keyId }
  if (how === 'expired') vi.setSystemTime(noon + 10)
  const made = await inObject(organisation, (object) => {
    if (how === 'revoked') object.keys.revoke(manager.keyId, { actor: 'operator', act: 'test', requestId: 'req_test' })
    return object.keys.make(minted(NEW), by(actor))
  })
  expect(made).toEqual({ outcome: 'invalid_api_key', why: how })
})

describe('a person’s keys', () => {
  const THEIRS = {
    personId: 'usr_leaving',
    mayDecide: false,
    keysReach: null,
    changedAt: noon,
    ...REMOVED,
  } as const
  const act = { actor: 'usr_owner' as const, act: 'member.remove', requestId: 'req_test' }

  it('are those in force that they made, and all end in one turn with one entry', async () => {
    const organisation = await foundOrganisation()
    const leaving: KeyActor = { kind: 'person', id: 'usr_leaving', reach: 'all' }
    const ids = ['0', '1', '2', '3'].map((n): KeyId => `key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d1${n}`)
    const [first, second, others, over] = ids as [KeyId, KeyId, KeyId, KeyId]
    const answers = await inObject(organisation, (object) => {
      for (const id of [first, second, over]) object.keys.make(minted(id), by(leaving))
      object.keys.make(minted(others), by(owner))
      object.keys.end(over, by(leaving))
      return [
        object.keys.listMadeBy('usr_leaving'),
        object.keys.changeMember(THEIRS, act),
        object.keys.listMadeBy('usr_leaving'),
      ]
    })
    expect(answers.map((keys) => keys.map(({ id }) => id))).toEqual([[second, first], [second, first], []])
    expect(answers[1]).toMatchObject([{ revokedAt: noon }, { revokedAt: noon }])
    expect((await organisation.entries()).slice(-2)).toMatchObject([
      { act: 'key.revoke', key_ids: [second, first] },
      { act: 'member.remove' },
    ])
    expect(await inObject(organisation, (object) => object.keys.find(others, null))).toMatchObject({ revokedAt: null })
  })

  it('are made, rotated and revoked no more by a person who was let in before they were removed', async () => {
    const organisation = await foundOrganisation()
    const leaving: KeyActor = { kind: 'person', id: 'usr_leaving', reach: 'all' }
    const key = await organisation.issueKey()
    const answers = await inObject(organisation, (object) => {
      object.keys.changeMember(THEIRS, act)
      return [
        object.keys.make(minted(NEW), by(leaving)),
        object.keys.rotate({ id: key.keyId, successor, overlapMs: 1000 }, by(leaving)),
        object.keys.end(key.keyId, by(leaving)),
      ]
    })
    const lost = { outcome: 'forbidden', why: 'right_lost' }
    expect(answers).toEqual([lost, lost, lost])
    expect(await inObject(organisation, (object) => object.keys.find(NEW, null))).toBeNull()
  })

  it('are the only ones that a person changes whose role was lowered since they were let in', async () => {
    const organisation = await foundOrganisation()
    const lowered: KeyActor = { kind: 'person', id: 'usr_leaving', reach: 'all' }
    const key = await organisation.issueKey()
    const answers = await inObject(organisation, (object) => {
      object.keys.changeMember({ ...THEIRS, keysReach: 'own' }, act)
      return [
        object.keys.end(key.keyId, by(lowered)),
        object.keys.make({ ...minted(NEW), scopes: ['manage'] }, by(lowered)),
        object.keys.make(minted(NEW), by(lowered)),
      ]
    })
    expect(answers).toMatchObject([{ why: 'of_another_maker' }, { why: 'manage_needs_role' }, { outcome: 'made' }])
  })

  it('that are none are no entry', async () => {
    const organisation = await foundOrganisation()
    expect(await inObject(organisation, (object) => object.keys.changeMember(THEIRS, act))).toEqual([])
    expect(await organisation.entries()).toMatchObject([{ act: 'member.remove' }])
  })
})

describe('what a key made', () => {
  const idOf = (n: number): KeyId => `key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d1${n}`
  const [root, child, over, grandchild, other, next] = [idOf(0), idOf(1), idOf(2), idOf(3), idOf(4), idOf(5)] as const

  /** A chain through a key that is over, as keys are that were made before scopes could not grow. */
  async function withChain() {
    const organisation = await foundOrganisation()
    await inObject(organisation, (object, sql) => {
      for (const id of [root, child, over, grandchild, other]) object.keys.make(minted(id), by(owner))
      const madeBy: [KeyId, KeyId][] = [
        [child, root],
        [over, root],
        [grandchild, over],
      ]
      for (const [id, maker] of madeBy) sql.exec('UPDATE keys SET created_by = ? WHERE id = ?', maker, id)
      sql.exec('UPDATE keys SET expires_at = ? WHERE id = ?', noon - 1, over)
    })
    await organisation.evict()
    return organisation
  }

  const statesOf = (organisation: ChatOrganisation) =>
    organisation
      .query('SELECT id, revoked_at FROM keys ORDER BY id')
      .then((rows) => rows.map(({ revoked_at: at }) => at))

  it('is revoked with it, all the way down, in one entry, and the answer is the same when it is asked for again', async () => {
    const organisation = await withChain()
    const before = (await organisation.entries()).length
    const end = () => inObject(organisation, (object) => object.keys.end(root, by(owner)))
    const first = await end()
    expect(first).toMatchObject({
      outcome: 'ended',
      key: { id: root, revokedAt: noon },
      alsoRevoked: [{ id: grandchild, revokedAt: noon }, { id: child }],
    })
    vi.setSystemTime(noon + 1)
    expect(await end()).toEqual(first)
    expect(await statesOf(organisation)).toEqual([noon, noon, null, noon, null])
    expect((await organisation.entries()).slice(before)).toMatchObject([
      { act: 'key.revoke', actor: 'usr_owner', key_id: root, key_ids: [grandchild, child] },
    ])
  })

  it('is revoked with it by the operator too, and with the person who made it', async () => {
    const act = { actor: 'operator', act: 'key.revoke', requestId: 'req_test', content: { key_id: root } } as const
    const byOperator = await withChain()
    expect(await inObject(byOperator, (object) => object.keys.revoke(root, act))).toMatchObject({
      key: { id: root, revokedAt: noon },
      alsoRevoked: [{ id: grandchild }, { id: child }],
    })
    expect((await byOperator.acts()).at(-1)).toMatchObject({ key_id: root, key_ids: [grandchild, child] })

    const withPerson = await withChain()
    await inObject(withPerson, (_, sql) => sql.exec("UPDATE keys SET created_by = 'usr_leaving' WHERE id = ?", root))
    const removal = { actor: 'usr_owner', act: 'member.remove', requestId: 'req_test' } as const
    const change = {
      personId: 'usr_leaving',
      mayDecide: false,
      keysReach: null,
      changedAt: noon,
      ...REMOVED,
    } as const
    const revoked = await inObject(withPerson, (object) => object.keys.changeMember(change, removal))
    expect(revoked.map(({ id }) => id)).toEqual([grandchild, child, root])
  })

  const rotation = { id: root, successor: { ...successor, id: next }, overlapMs: 0, revokeMade: true }

  it('is listed as far as it works when the key is rotated or gets an end, and works on', async () => {
    const organisation = await withChain()
    const before = (await organisation.entries()).length
    const working = [
      { id: grandchild, revokedAt: null },
      { id: child, revokedAt: null },
    ]
    const answers = await inObject(organisation, (object) => [
      object.keys.findWithMade(root),
      object.keys.update(root, { expiresAt: noon + 5000 }, by(owner)),
      object.keys.rotate({ ...rotation, revokeMade: false }, by(owner)),
      object.keys.findWithMade(other),
      object.keys.findWithMade(next),
    ])
    expect(answers).toMatchObject([
      { key: { id: root }, made: working },
      { outcome: 'changed', made: working },
      { outcome: 'rotated_now', made: working },
      { made: [] },
      // The successor is not the maker.
      { made: [] },
    ])
    expect(await statesOf(organisation)).toEqual([null, null, null, null, null, null])
    expect((await organisation.entries()).slice(before)).toMatchObject([{ act: 'key.update' }, { act: 'key.rotate' }])
  })

  it.each<[string, (object: Organisation) => unknown]>([
    ['key.rotate', ({ keys }) => keys.rotate(rotation, by(owner))],
    ['key.update', ({ keys }) => keys.update(root, { expiresAt: noon + 5000, revokeMade: true }, by(owner))],
  ])('is revoked in the turn of a %s that asks for it, in an entry of its own', async (act, work) => {
    const organisation = await withChain()
    const before = (await organisation.entries()).length
    expect(await inObject(organisation, work)).toMatchObject({
      made: [
        { id: grandchild, revokedAt: noon },
        { id: child, revokedAt: noon },
      ],
    })
    expect((await statesOf(organisation)).slice(0, 5)).toEqual([null, noon, null, noon, null])
    const entries = (await organisation.entries()).slice(before)
    expect(entries).toMatchObject([
      { act, key_id: root },
      { act: 'key.revoke', actor: 'usr_owner', request_id: 'req_test', key_ids: [grandchild, child] },
    ])
    expect(entries[1]).not.toHaveProperty('key_id')
  })

  it('is revoked by a repeated end of the key too, and then no longer listed', async () => {
    const organisation = await withChain()
    const end = (revokeMade: boolean) =>
      inObject(organisation, ({ keys }) => keys.update(root, { expiresAt: noon + 5000, revokeMade }, by(owner)))
    await end(false)
    const before = (await organisation.entries()).length
    expect(await end(true)).toMatchObject({ made: [{ id: grandchild }, { id: child }] })
    expect(await end(true)).toMatchObject({ outcome: 'changed', made: [] })
    expect((await organisation.entries()).slice(before)).toMatchObject([{ act: 'key.revoke' }])
  })

  it('is revoked by no change that does not end the key, and nothing changes', async () => {
    const organisation = await withChain()
    await inObject(organisation, ({ keys }) => keys.update(root, { expiresAt: noon + 5000 }, by(owner)))
    const before = await writtenBy(organisation)
    const changes = [{}, { name: 'Another' }, { expiresAt: null }, { expiresAt: noon + 5001, requestsPerDay: 1 }]
    const outcomes = await inObject(organisation, ({ keys }) =>
      changes.map((change) => keys.update(root, { ...change, revokeMade: true }, by(owner)).outcome),
    )
    expect(outcomes).toEqual(changes.map(() => 'nothing_ends'))
    expect(await writtenBy(organisation)).toEqual(before)
    expect(await statesOf(organisation)).toEqual([null, null, null, null, null])
  })

  it.each<[string, (object: Organisation) => unknown]>([
    ['revoked', ({ keys }) => keys.end(root, by(owner))],
    ['rotated', ({ keys }) => keys.rotate(rotation, by(owner))],
  ])('is revoked with the %s key or neither is, where the disk fails', async (_, work) => {
    const organisation = await withChain()
    const thrown = await thrownWhileFailing(organisation, `UPDATE ON keys WHEN NEW.id = '${grandchild}'`, work)
    expect(thrown).toContain('the disk fails')
    expect(await statesOf(organisation)).toEqual([null, null, null, null, null])
  })

  it('ends where keys made one another', async () => {
    const organisation = await withChain()
    await inObject(organisation, (_, sql) => sql.exec('UPDATE keys SET created_by = ? WHERE id = ?', grandchild, root))
    await organisation.evict()
    expect(await inObject(organisation, (object) => object.keys.end(root, by(owner)))).toMatchObject({
      alsoRevoked: [{ id: grandchild }, { id: child }],
    })
  })
})

describe('the last use of a key', () => {
  const lastUseOf = async (organisation: ChatOrganisation, key: ChatKey) =>
    (await inObject(organisation, (object) => object.keys.find(key.keyId, null)))?.lastUsedAt

  it('is exactly that of the last call that counted, also after an eviction', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey({ requests_per_minute: 2 })
    expect(await lastUseOf(organisation, key)).toBe(null)
    const seen = []
    for (const laterMs of [0, 30_000, 59_999, 60_000, 119_999, 125_000]) {
      vi.setSystemTime(noon + laterMs)
      await organisation.admit(key)
      await organisation.evict()
      seen.push((await lastUseOf(organisation, key)) ?? 0)
    }
    expect(seen.map((at) => at - noon)).toEqual([0, 30_000, 30_000, 60_000, 119_999, 125_000])
  })

  it.each(['vk_live_', 'aqta_'])(
    'is noted of a key that starts %s, also where its scope was refused',
    async (prefix) => {
      const organisation = await foundOrganisation({ tier: 'pro' })
      const key = await organisation.issueKey({ prefix, scopes: ['manage'] })
      const { keyId, secretHash } = key
      const { outcome } = await inObject(organisation, (object) =>
        prefix === 'aqta_'
          ? object.admitWithoutModel('models', key)
          : object.admit({ keyId, secretHash, scope: 'referral:read', entry: null }),
      )
      expect(outcome).toBe('scope_required')
      expect(await lastUseOf(organisation, key)).toBe(noon)
    },
  )

  it('is not changed by a call that did not count', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey({ requests_per_day: 1 })
    await organisation.admit(key)
    vi.setSystemTime(noon + 120_000)
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
    expect(await lastUseOf(organisation, key)).toBe(noon)
  })

  it('is put right where the clock was far ahead', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    vi.setSystemTime(noon + 86_400_000)
    await organisation.admit(key)
    vi.setSystemTime(noon)
    await organisation.admit(key)
    expect(await lastUseOf(organisation, key)).toBe(noon)
  })
})
