// Which positions the entries of some days have, wherever those are kept and whatever of them is gone.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LeafReader, type WithheldReason } from '../../../../src/organisation/audit/leaf-reader.ts'
import { positionsOfDays } from '../../../../src/organisation/audit/find-positions.ts'
import { DataKeysStore } from '../../../../src/organisation/journal/data-keys.store.ts'
import { DAY_MS, utcDay } from '../../../../src/platform/time.ts'
import { runs } from '../../../support/runs.ts'
import { objectNames, openArchivedLedger, type ArchivedLedger, type OpenedLedger } from '../journal/archived-ledger.ts'
import { noon } from '../chat-organisation.ts'

const today = utcDay(noon)

/** Known entries at any positions, of each tenth on average, at times in order: noons and midnights, with days between. */
const logs = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat(6)), { maxLength: 60 }).map((steps) => {
  let [position, at] = [-1, 0]
  return steps.map(([gap, halfDays]) => ({ position: (position += gap), at: (at += (halfDays * DAY_MS) / 2) }))
})

const readerOf = (known: readonly { position: number; at: number }[]) => ({
  firstKnown: async ({ from, before }: { from: number; before: number }) =>
    known.find(({ position }) => position >= from && position < before) ?? null,
  firstAndLastUnreadable: async () => null,
})

describe('positionsOfDays', () => {
  it('is from the first known entry of the days to the last', async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.nat(40), fc.nat(10), fc.nat(30), async (known, first, more, behind) => {
        const size = (known.at(-1)?.position ?? -1) + 1 + behind
        const found = await positionsOfDays(readerOf(known), { first, last: first + more }, size, 0)
        const theirs = known.filter(({ at }) => utcDay(at) >= first && utcDay(at) <= first + more)
        if (theirs.length === 0) expect(found.first).toBe(found.end)
        else expect(found).toEqual({ first: theirs[0]?.position, end: (theirs.at(-1)?.position ?? 0) + 1 })
      }),
      { numRuns: runs(200) },
    )
  })
})

const inReader = <T>(
  ledger: ArchivedLedger,
  work: (reader: LeafReader, parts: OpenedLedger) => Promise<T>,
): Promise<T> =>
  ledger.ledgerId().then((name) =>
    ledger.inLedger((parts) => {
      const { storage, log } = parts
      const dataKeys = new DataKeysStore(storage.sql, 'ledger')
      return work(new LeafReader({ storage, bucket: env.FILES, dataKeys, objectId: name, log }), parts)
    }),
  )

/** Nine entries, three a day, all in sealed objects: two for each day. */
async function threeDays(): Promise<ArchivedLedger> {
  const ledger = openArchivedLedger()
  for (let day = 0; day < 3; day += 1) {
    for (let n = 0; n < 3; n += 1) await ledger.append(noon + day * DAY_MS, n === 1 ? 10 : 30)
  }
  await ledger.completeTile(noon + 2 * DAY_MS)
  await ledger.sweepAll(noon + 9 * DAY_MS)
  return ledger
}

async function read(ledger: ArchivedLedger, now: number, before = 9): Promise<(WithheldReason | 'kept')[]> {
  return inReader(ledger, async (reader) => {
    const { leaves } = await reader.read({ from: 0, before }, now)
    return leaves.map((leaf) => ('withheld' in leaf ? leaf.withheld : 'kept'))
  })
}

const find = (ledger: ArchivedLedger, first: number, last: number, now: number, size = 9) =>
  inReader(ledger, (reader) => positionsOfDays(reader, { first: today + first, last: today + last }, size, now))

describe('in a log of which much is sealed', () => {
  it('days are found in sealed objects and in rows', async () => {
    const ledger = await threeDays()
    expect((await objectNames()).length).toBeGreaterThan(1)
    const now = noon + 9 * DAY_MS
    expect(await find(ledger, 0, 0, now)).toEqual({ first: 0, end: 3 })
    expect(await find(ledger, 1, 1, now)).toEqual({ first: 3, end: 6 })
    expect(await find(ledger, 1, 5, now)).toEqual({ first: 3, end: 9 })
    expect(await find(ledger, -5, -1, now)).toEqual({ first: 0, end: 0 })
    expect(await find(ledger, 3, 9, now)).toEqual({ first: 9, end: 9 })
    expect(await read(ledger, now)).toEqual(Array.from({ length: 9 }, () => 'kept'))
  })

  it('what is over is withheld, and an object that is lost leaves its days to be found', async () => {
    const ledger = await threeDays()
    const later = noon + 15 * DAY_MS
    const kept = ['kept', 'retention', 'kept']
    expect(await read(ledger, later)).toEqual([...kept, ...kept, ...kept])
    await env.FILES.delete(await objectNames())
    const unreadable = Array.from({ length: 9 }, () => 'unreadable')
    expect(await read(ledger, later, 11)).toEqual([...unreadable, 'retention', 'retention'])
    expect(await find(ledger, 0, 0, later)).toMatchObject({ first: 0 })
  })

  it('an entry is kept until its time is over, on the last of its days too', async () => {
    const ledger = await threeDays()
    const over = noon + 10 * DAY_MS
    expect((await read(ledger, over - 1)).slice(0, 3)).toEqual(['kept', 'kept', 'kept'])
    expect((await read(ledger, over)).slice(0, 3)).toEqual(['kept', 'retention', 'kept'])
  })

  it('days have what a lost object may have had around their entries, and no known entry of another day', async () => {
    const ledger = openArchivedLedger()
    // Two objects: of the positions 0, 2 and 4, and of 1 and 3.
    for (const [day, overOn] of [
      [0, 12],
      [0, 40],
      [1, 12],
      [1, 40],
      [1, 12],
    ] as const) {
      await ledger.append(noon + day * DAY_MS, overOn - day)
    }
    await ledger.completeTile(noon + DAY_MS)
    const now = noon + 9 * DAY_MS
    await ledger.sweepAll(now)
    const [first, ...others] = await objectNames()
    expect([first, others.length]).toEqual([expect.stringContaining('0-4'), 1])
    await env.FILES.delete(String(first))
    expect(await find(ledger, 0, 0, now, 5)).toEqual({ first: 0, end: 3 })
    expect(await find(ledger, 1, 1, now, 5)).toEqual({ first: 2, end: 5 })
  })

  it('an object is opened once, however many pages it reaches over', async () => {
    const ledger = await threeDays()
    let opened = 0
    await ledger.inLedger(async ({ storage, log }) => {
      const bucket = new Proxy(env.FILES, {
        get: (files, member: 'get') => (name: string) => {
          opened += 1
          return files[member](name)
        },
      })
      const dataKeys = new DataKeysStore(storage.sql, 'ledger')
      const reader = new LeafReader({ storage, bucket, dataKeys, objectId: await ledger.ledgerId(), log })
      for (let from = 0; from < 9; from += 1) await reader.read({ from, before: from + 1 }, noon + 9 * DAY_MS)
    })
    expect(opened).toBe((await objectNames()).length)
  })
})
