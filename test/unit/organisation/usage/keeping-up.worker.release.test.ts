// Counting goes on by itself, whatever the clock did and whatever an entry says.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { encodeEntry, type EntryContent } from '../../../../src/evidence/entry.ts'
import type { EntryKind } from '../../../../src/evidence/entry-tags.ts'
import { readEntry } from '../../../../src/organisation/usage/join-settlements.ts'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from '../chat-organisation.ts'
import { ask, checkUsage, DAY_MS } from './counted-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const HOUR_MS = 3_600_000

async function wake(organisation: ChatOrganisation, alarms = 8): Promise<void> {
  for (let alarm = 0; alarm < alarms; alarm += 1) await organisation.runAlarm()
}

const countedTo = async (organisation: ChatOrganisation): Promise<number> => {
  const [row] = await organisation.query<{ to: number }>('SELECT counted_to AS "to" FROM usage_progress')
  return row?.to ?? 0
}

it('waits for an hour, or for many entries', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  const position = positionOf(await organisation.admit(key))
  await organisation.settle(position, 5)
  vi.setSystemTime(noon + HOUR_MS - 1)
  await wake(organisation)
  expect(await countedTo(organisation)).toBe(0)
  vi.setSystemTime(noon + HOUR_MS)
  await wake(organisation)
  expect(await countedTo(organisation)).toBeGreaterThan(position + 1)
  const before = await countedTo(organisation)
  for (let call = 0; call < 129; call += 1) await organisation.settle(positionOf(await organisation.admit(key)), 1)
  await wake(organisation)
  expect(await countedTo(organisation)).toBeGreaterThanOrEqual(before + 258)
})

it('does not wait for a time that a clock told which was ahead', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  vi.setSystemTime(noon + 300 * DAY_MS)
  const position = positionOf(await organisation.admit(key))
  await organisation.settle(position, 5)
  vi.setSystemTime(noon)
  await wake(organisation)
  expect(await countedTo(organisation)).toBeGreaterThan(position + 1)
})

it('goes on after a call that took longer than any bucket counts', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  // The clock was set while it ran.
  const upstreamMs = 56 * 365 * DAY_MS
  await organisation.settle(positionOf(await organisation.admit(key)), 5, { upstreamMs })
  const { totals } = await ask(organisation, { latencies: true })
  expect(totals).toMatchObject({
    requests: 1,
    upstream_ms: upstreamMs,
    percentiles: { p50: 4_294_967_295 },
  })
})

it('closes an earlier day first on which all that counts is a call whose end was never read', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  const open = positionOf(await organisation.admit(key, { upFrontMicroeur: 9 }))
  vi.setSystemTime(noon + DAY_MS)
  await organisation.settle(positionOf(await organisation.admit(key)), 5)
  await ask(organisation)
  await organisation.settle(open, 9)
  // As where the object in R2 cannot be opened that has the settlement.
  await organisation.query('UPDATE usage_progress SET counted_to = counted_to + 1')
  vi.setSystemTime(noon + 4 * DAY_MS)
  await wake(organisation)
  vi.setSystemTime(noon + DAY_MS)
  await organisation.settle(positionOf(await organisation.admit(key)), 7)
  const today = Math.floor(noon / DAY_MS)
  const { rows, totals } = await ask(organisation, { days: { first: today, last: today + 2 }, bucket: 'day' })
  expect(totals).toMatchObject({ interrupted: 1, estimated: 1 })
  expect(rows.map(({ requests, cost_microeur }) => [requests, cost_microeur])).toEqual([
    [1, 9],
    [1, 5],
    [1, 7],
  ])
  const closings = await organisation.query<{ day: number }>('SELECT day FROM counted_days ORDER BY closed_at')
  expect(closings.filter(({ day }) => day !== today + 2).map(({ day }) => day - today)).toEqual([0, 1])
  const { differences } = await checkUsage(organisation)
  expect(differences.filter((place) => place.endsWith('.sha256'))).toEqual([])
})

it('counts what comes after entries that are too large to be read at once', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  await organisation.settle(positionOf(await organisation.admit(await organisation.issueKey())), 5)
  await organisation.query('DROP TRIGGER entries_never_change')
  await organisation.query("UPDATE entries SET facts = hex(zeroblob(300000)) WHERE kind = 'operator_act'")
  expect((await ask(organisation)).totals.requests).toBe(1)
})

it('tells entries that cannot be read once, and so does the check', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  await organisation.settle(positionOf(await organisation.admit(key)), 5)
  await organisation.query('DROP TRIGGER entries_never_change')
  await organisation.query("UPDATE entries SET entry = x'81' WHERE kind = 'settlement'")
  expect((await ask(organisation)).unreadable).toBe(1)
  await organisation.settle(positionOf(await organisation.admit(key)), 5)
  expect((await ask(organisation)).unreadable).toBe(1)
  expect(await checkUsage(organisation)).toMatchObject({ differences: [], unreadable: 1 })
})

describe('an entry', () => {
  const entryOf = (kind: EntryKind, content: EntryContent) =>
    readEntry({
      position: 4,
      kind,
      at: 0,
      expiresAt: 0,
      entry: Uint8Array.from(encodeEntry(kind, content)),
      facts: null,
    })
  const decision = (outcome: string) => {
    const record = { timestamp: '2091-03-15T12:00:00.000Z', model: 'm', outcome, cost_prevented_eur: 0.000_29 }
    const entry = Uint8Array.from([0, ...new TextEncoder().encode(JSON.stringify(record))])
    return readEntry({ position: 4, kind: 'chat_decision', at: 0, expiresAt: 0, entry, facts: null })
  }

  it('of a refusal says by its outcome how the call ended, and what it would have cost', () => {
    const refused = (ending: string) => ({
      kind: 'refused',
      ended: { ending, sums: { requests: 1, prevented_microeur: 290 } },
    })
    expect(decision('BLOCKED')).toMatchObject(refused('blocked'))
    expect(decision('SUPPRESSED')).toMatchObject(refused('suppressed'))
    expect(decision('ALLOWED').kind).toBe('admitted')
    expect(decision('ESCALATED').kind).toBe('unreadable')
  })

  it.each([
    ['a refusal by the model', { ended: 'completed', finish_reason: 'refusal' }, { refused: 1 }],
    ['one in the middle of which the caller left', { ended: 'cancelled', finish_reason: 'refusal' }, { refused: 0 }],
    ['an answer out of the cache', { ended: 'cached', upstream_ms: null }, { timed: 0, upstream_ms: 0 }],
    ['a cost that nobody can have', { ended: 'completed', cost_microeur: -5 }, { cost_microeur: 0 }],
  ])('of %s counts so', (_, content, sums) => {
    expect(entryOf('settlement', { settles: 3, ...content })).toMatchObject({ kind: 'settled', ended: { sums } })
  })

  it('that settles no call is passed over, one that settles nothing is told', () => {
    expect(entryOf('settlement', { settles: 3 }).kind).toBe('other')
    expect(entryOf('settlement', { ended: 'completed' }).kind).toBe('unreadable')
    expect(entryOf('usage_closed', { day: '2091-03-15', requests: 1 }).kind).toBe('unreadable')
  })
})

it('takes a caller who leaves in the middle of a refusal for no answer, and for no refusal', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  const chat = async (more: object) => organisation.settle(positionOf(await organisation.admit(key)), 1, more)
  await chat({})
  await chat({ finishReason: 'content_filter' })
  await chat({ finishReason: 'content_filter', ended: 'cancelled', errorCause: 'cancelled' })
  const { totals } = await ask(organisation)
  expect(totals).toMatchObject({ completed: 2, cancelled: 1, refused: 1 })
})
