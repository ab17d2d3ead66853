// The check of an organisation's ledger names the places at which its state, or what was counted, is not what its entries come to.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ENTRY_TAGS } from '../../../../src/evidence/entry-tags.ts'
import { Journal } from '../../../../src/organisation/journal/journal.ts'
import { ask } from '../usage/counted-organisation.ts'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Checked = { is_equal: boolean; differences: string[]; from: number; to: number }

const check = ({ id, service }: ChatOrganisation) => service.operate<Checked>('GET', `/organisations/${id}/ledger`)

async function withCalls(): Promise<ChatOrganisation> {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  for (let n = 0; n < 3; n += 1) await organisation.settle(positionOf(await organisation.admit(key)), 7)
  return organisation
}

describe('the check of a ledger', () => {
  it('finds nothing where all is as it was written, and is an entry itself', async () => {
    const organisation = await withCalls()
    expect(await check(organisation)).toMatchObject({ is_equal: true, differences: [], from: 0, to: 9 })
    expect(await organisation.acts()).toContainEqual(expect.objectContaining({ act: 'ledger.check' }))
  })

  it('names what a row was made to say otherwise', async () => {
    const organisation = await withCalls()
    await organisation.query('DROP TRIGGER entries_never_change')
    await organisation.query("UPDATE entries SET microeur = 9 WHERE kind = 'settlement' AND settles = 2")
    const { is_equal, differences } = await check(organisation)
    expect(is_equal).toBe(false)
    expect(differences).toEqual([
      expect.stringMatching(/^months\.used\..*spentMicroeur$/),
      expect.stringMatching(/^spending\.days\.0\./),
      expect.stringMatching(/^spending\.days\.1\./),
      expect.stringMatching(/^spending\.keyMonths\.0\./),
      'entries.3.microeur',
    ])
  })

  it('names what was counted otherwise, and says how many entries cannot be read', async () => {
    const organisation = await withCalls()
    await ask(organisation)
    await organisation.query('UPDATE usage_days SET cost_microeur = 9')
    expect((await check(organisation)).differences).toEqual([
      expect.stringMatching(/^usage\.2091-03-15\.rows\..*\.completed\.cost_microeur$/),
    ])
    await organisation.query('DROP TRIGGER entries_never_change')
    await organisation.query("UPDATE entries SET entry = x'80' WHERE kind = 'settlement' AND settles = 2")
    const { is_equal, differences } = await check(organisation)
    expect([is_equal, differences.at(-1)]).toEqual([false, 'usage.unreadable.1'])
  })

  it('takes an entry of a kind that only a newer version knows', async () => {
    const organisation = await withCalls()
    await runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)), (_, { storage }) =>
      storage.transactionSync(() => {
        const own = ENTRY_TAGS as Record<string, number>
        own['of_a_newer_version'] = 0xbf
        new Journal(storage.sql).append({ kind: 'of_a_newer_version' as never, content: { a: 1 } }, Date.now())
        Reflect.deleteProperty(own, 'of_a_newer_version')
      }),
    )
    await organisation.evict()
    expect(await check(organisation)).toMatchObject({ is_equal: true, differences: [] })
  })

  it.each([
    ['kind', "kind = 'operator_act'", 4],
    ['at', 'at = at - 1', 4],
    ['at', 'at = at + 600001', 4],
    ['id', "id = CAST(x'00000000000040008000000000000000' AS BLOB)", 4],
    ['key_id', "key_id = 'another'", 4],
    ['outcome', "outcome = 'BLOCKED'", 4],
    ['microeur', 'microeur = microeur + 1', 4],
    ['settles', 'settles = 2', 4],
    ['outcome', "outcome = 'interrupted'", 5],
    ['microeur', 'microeur = microeur + 1', 5],
    ['settles', 'settles = 2', 5],
    ['key_id', "key_id = 'another'", 5],
    ['outcome', 'outcome = NULL', 0],
    ['microeur', 'microeur = 1', 1],
  ])(
    'names a row whose %s is not what its entry says, also once the object has started again: %s',
    async (name, set, at) => {
      const organisation = await withCalls()
      await organisation.query('DROP TRIGGER entries_never_change')
      await organisation.query(`UPDATE entries SET ${set} WHERE position = ${at}`)
      await organisation.evict()
      expect((await check(organisation)).differences).toContain(`entries.${at}.${name}`)
    },
  )

  it('names a row that nothing can be made of', async () => {
    const organisation = await withCalls()
    await organisation.query('DROP TRIGGER entries_never_change')
    await organisation.query("UPDATE entries SET outcome = 'settings' WHERE position = 1")
    expect((await check(organisation)).differences).toEqual(['entries.1.outcome'])
  })

  it('names an entry that is not what its leaf is the hash of', async () => {
    const organisation = await withCalls()
    await organisation.query('DROP TRIGGER entries_never_change')
    await organisation.query("UPDATE entries SET entry = CAST(entry || x'20' AS BLOB) WHERE position = 4")
    expect((await check(organisation)).differences).toEqual(['entries.4'])
  })

  it('goes on from the oldest snapshot where entries have left in the meantime', async () => {
    const organisation = await withCalls()
    await organisation.set({ monthly_budget_eur: 1 })
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
    const checked = await runInDurableObject(stub, (_, { storage: { sql } }) => {
      const journal = new Journal(sql)
      const begun = journal.beginCheck()
      journal.moveOldestSnapshot(9)
      sql.exec("UPDATE entries SET entry = x'', facts = NULL WHERE position < 9")
      return begun.step()
    })
    expect(checked).toEqual({ differences: [], from: 9, to: 9 })
  })

  it('is 404 for an organisation that is none', async () => {
    const { service } = await withCalls()
    const none = 'org_00000000-0000-7000-8000-000000000000'
    const answer = await service.operate('GET', `/organisations/${none}/ledger`)
    expect(answer).toMatchObject({ error: { code: 'not_found' } })
  })
})
