// Snapshots of an organisation that is busy: longer than one row may be, and then not taken more often than they are worth.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CallsWithoutEntryStore } from '../../../../src/organisation/journal/calls-without-entry.store.ts'
import { SnapshotsStore, type Snapshot } from '../../../../src/organisation/journal/snapshots.store.ts'
import { takeSnapshot } from '../../../../src/organisation/journal/state/snapshot.ts'
import { foundOrganisation, noon, type ChatOrganisation } from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const withSnapshots = <T>({ id }: ChatOrganisation, work: (snapshots: SnapshotsStore) => T): Promise<T> => {
  const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
  return runInDurableObject(stub, (_, { storage }) =>
    storage.transactionSync(() => work(new SnapshotsStore(storage.sql))),
  )
}

describe('a snapshot', () => {
  it('is as long as it has to be, in rows that the platform takes, and nothing is left of a longer one', async () => {
    const organisation = await foundOrganisation()
    const of = (length: number): Snapshot => ({
      before: length,
      n: 1,
      coverage: null,
      state: `${'x'.repeat(length - 1)}y`,
    })
    for (const length of [5_000_001, 1_000_000, 10, 500_001]) {
      const found = await withSnapshots(organisation, (snapshots) => {
        snapshots.write('oldest', of(3))
        snapshots.write('newest', of(length))
        return [snapshots.find('newest'), snapshots.find('oldest')]
      })
      expect(found).toEqual([of(length), of(3)])
    }
    const longest = 'SELECT MAX(length(CAST(state AS BLOB))) AS bytes FROM snapshots'
    expect(await organisation.query(longest)).toEqual([{ bytes: 500_000 }])
    await withSnapshots(organisation, (snapshots) => snapshots.delete('newest'))
    expect(await organisation.query('SELECT name, part FROM snapshots')).toEqual([{ name: 'oldest', part: 0 }])
  })

  it('is read with the calls of the minutes before it, however many there are since the last entry', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    for (const at of [noon, noon + 600_000]) {
      vi.setSystemTime(at)
      for (let n = 0; n < 5; n += 1) await organisation.describe(key)
    }
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
    const found = await runInDurableObject(stub, (_, { storage }) => {
      const calls = new CallsWithoutEntryStore(storage.sql)
      const all = { before: 2, n: 10 }
      return [noon - 1, noon, noon + 599_999, noon + 600_000].map((at) => calls.lastAt(all, at))
    })
    const after = (n: number) => ({ before: 2, n })
    expect(found).toEqual([null, after(5), after(5), after(10)])
  })

  it('that is long is taken after an event for each 128 characters of the one before', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', requests_per_minute: 1000 })
    const key = await organisation.issueKey()
    const state = await organisation.state()
    for (let n = 0; n < 400; n += 1)
      state.months.open.set(1_000_000 + n, { position: 1_000_000 + n, at: noon, microeur: 5, keyId: key.keyId })
    const long = takeSnapshot(state, '00'.repeat(8))
    const place = { before: state.next, n: 0 }
    await withSnapshots(organisation, (snapshots) =>
      snapshots.write('newest', { ...place, state: long, coverage: null }),
    )
    await organisation.evict()
    const events = Math.ceil(long.length / 128)
    expect(events).toBeGreaterThan(64)
    const newest = () => withSnapshots(organisation, (snapshots) => snapshots.find('newest'))
    for (let n = 1; n < events; n += 1) await organisation.describe(key)
    expect(await newest()).toMatchObject({ n: 0 })
    await organisation.describe(key)
    expect(await newest()).toMatchObject({ before: state.next, n: events })
  })
})
