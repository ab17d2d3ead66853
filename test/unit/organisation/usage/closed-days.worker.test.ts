// Days are closed once they are over: with an entry that says what each came to, after which nothing is added to it. And counts are
// checked against the entries, wherever these are by now.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import type { Archive } from '../../../../src/organisation/journal/archive.ts'
import { contentOf } from '../../../../src/evidence/entry.ts'
import { checkUsage as checkCounts } from '../../../../src/organisation/usage/check-usage.ts'
import { canonicalRows } from '../../../../src/organisation/usage/day-rows.ts'
import { NO_SUMS, type DayRow } from '../../../../src/organisation/usage/tally.ts'
import { UsageCounter } from '../../../../src/organisation/usage/usage-counter.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { completeTile, openParts } from '../journal/archived-ledger.ts'
import { foundOrganisation, noon, positionOf, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'
import { ask, checkUsage, DAY_MS, declareCohort, objectOf } from './counted-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const TODAY = Math.floor(noon / DAY_MS)

async function chat(organisation: ChatOrganisation, key: ChatKey, cost = 7, more: object = {}): Promise<number> {
  const position = positionOf(await organisation.admit(key, { upFrontMicroeur: cost, ...more }))
  await organisation.settle(position, cost)
  return position
}

async function wake(organisation: ChatOrganisation, alarms = 4): Promise<void> {
  for (let alarm = 0; alarm < alarms; alarm += 1) await organisation.runAlarm()
}

const closings = async (organisation: ChatOrganisation) => {
  const rows = await organisation.query<{ position: number; entry: ArrayBuffer }>(
    "SELECT position, entry FROM entries WHERE kind = 'usage_closed' ORDER BY position",
  )
  return rows.map(({ entry }) => contentOf(new Uint8Array(entry)))
}

describe('a day', () => {
  it('is closed two days later, by an entry with its totals and the hash of its rows', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const first = await chat(organisation, key, 5, { useCase: 'letters' })
    await ask(organisation)
    const last = await chat(organisation, key, 6)
    vi.setSystemTime((TODAY + 2) * DAY_MS - 1)
    await wake(organisation)
    expect(await closings(organisation)).toEqual([])
    vi.setSystemTime((TODAY + 2) * DAY_MS)
    await wake(organisation)
    const sums = { ...NO_SUMS, requests: 1, timed: 1, upstream_ms: 20 }
    const row = { day: TODAY, keyId: key.id, model: 'gpt-4.1-mini', ending: 'completed' } as const
    const rows: DayRow[] = [
      { ...row, useCase: 'letters', sums: { ...sums, cost_microeur: 5 } },
      { ...row, useCase: null, sums: { ...sums, cost_microeur: 6 } },
    ]
    expect(await closings(organisation)).toEqual([
      {
        v: 'usage-closed-1',
        kind: 'usage_closed',
        at: new Date((TODAY + 2) * DAY_MS).toISOString(),
        day: '2091-03-15',
        first,
        last,
        requests: 2,
        further_records: 0,
        cost_microeur: 11,
        use_cases: 1,
        sha256: sha256Hex(canonicalRows(rows)),
      },
    ])
  })

  it('has an entry that is kept longer than its counts, whatever the tier', async () => {
    const organisation = await foundOrganisation({ tier: 'free' })
    await chat(organisation, await organisation.issueKey(), 0)
    vi.setSystemTime((TODAY + 2) * DAY_MS)
    await wake(organisation)
    const [entry] = await organisation.query<{ until: number }>(
      "SELECT expires_at AS until FROM entries WHERE kind = 'usage_closed'",
    )
    expect(entry?.until).toBeGreaterThan((TODAY + 762) * DAY_MS)
  })

  it('waits for its calls to end', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    vi.setSystemTime((TODAY + 1) * DAY_MS - 1000)
    await chat(organisation, key)
    const open = positionOf(await organisation.admit(key))
    // Its reservation is held, as by a clock that stood still.
    await organisation.query(
      "CREATE TRIGGER held BEFORE INSERT ON entries WHEN NEW.kind = 'settlement' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    vi.setSystemTime((TODAY + 2) * DAY_MS)
    await wake(organisation)
    expect(await closings(organisation)).toEqual([])
    await organisation.query('DROP TRIGGER held')
    await organisation.settle(open, 3)
    vi.setSystemTime(Date.now() + 3_600_000)
    await wake(organisation)
    expect(await closings(organisation)).toMatchObject([{ day: '2091-03-15', requests: 2, cost_microeur: 10 }])
  })

  it('that is closed takes no further call: one of an earlier time counts on the first open day', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    await chat(organisation, key, 5)
    vi.setSystemTime(noon + 2 * DAY_MS)
    await wake(organisation)
    // The clock was ahead.
    vi.setSystemTime(noon)
    await chat(organisation, key, 6)
    const { rows } = await ask(organisation, { days: { first: TODAY, last: TODAY + 1 }, bucket: 'day' })
    expect(rows.map(({ cost_microeur }) => cost_microeur)).toEqual([5, 6])
    expect(await closings(organisation)).toMatchObject([{ cost_microeur: 5 }])
    expect(await checkUsage(organisation)).toMatchObject({ differences: [], unreadable: 0 })
  })

  it('without a call has no entry', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    await chat(organisation, key)
    vi.setSystemTime(noon + 5 * DAY_MS)
    await chat(organisation, key)
    vi.setSystemTime(noon + 9 * DAY_MS)
    await wake(organisation, 6)
    expect((await closings(organisation)).map(({ day }) => day)).toEqual(['2091-03-15', '2091-03-20'])
  })

  it('has rows whose text is canonical', () => {
    const row = { day: 1, keyId: 'key_1', model: 'b', useCase: null, ending: 'completed', sums: NO_SUMS } as const
    const text = canonicalRows([row, { ...row, model: 'a' }, { ...row, keyId: null }, { ...row, useCase: 'x' }])
    const rows = JSON.parse(text) as { key_id: string | null; model: string; use_case: string | null }[]
    expect(canonicalJson(rows)).toBe(text)
    expect(rows.map(({ key_id, model, use_case }) => [key_id, model, use_case])).toEqual([
      [null, 'b', null],
      ['key_1', 'a', null],
      ['key_1', 'b', null],
      ['key_1', 'b', 'x'],
    ])
  })

  it('has rows in the order of their bytes, whatever a language makes of it', () => {
    const rest = { day: 1, keyId: 'key_1', useCase: null, ending: 'completed', sums: NO_SUMS } as const
    const text = canonicalRows([
      { ...rest, model: 'a-1' },
      { ...rest, model: 'a' },
      { ...rest, model: 'B' },
    ])
    expect((JSON.parse(text) as { model: string }[]).map(({ model }) => model)).toEqual(['B', 'a', 'a-1'])
  })

  it('goes after 25 months, and its hours after 35 days', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    await declareCohort(organisation, 'a')
    await chat(organisation, await organisation.issueKey(), 5, { cohort: 'a' })
    const count = async (table: string) => (await organisation.query(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']
    vi.setSystemTime(noon + 3 * DAY_MS)
    await wake(organisation)
    expect(await count('usage_hours')).toBe(5)
    vi.setSystemTime((TODAY + 37) * DAY_MS)
    await wake(organisation)
    expect([await count('usage_hours'), await count('usage_days'), await count('usage_margins')]).toEqual([0, 1, 5])
    vi.setSystemTime((TODAY + 762) * DAY_MS - 1)
    await wake(organisation)
    expect((await ask(organisation)).totals.requests).toBe(1)
    vi.setSystemTime((TODAY + 762) * DAY_MS)
    await wake(organisation)
    for (const table of ['usage_days', 'usage_margins', 'usage_cohorts', 'latency_days', 'counted_days'])
      expect(await count(table)).toBe(0)
    expect(await checkUsage(organisation)).toMatchObject({ differences: [], unreadable: 0, daysByHash: 0 })
  })
})

describe('the check of counts', () => {
  async function closed(): Promise<ChatOrganisation> {
    const organisation = await foundOrganisation({ tier: 'pro' })
    await declareCohort(organisation, 'a')
    const key = await organisation.issueKey()
    await chat(organisation, key, 5, { useCase: 'letters', cohort: 'a' })
    await chat(organisation, key, 6)
    vi.setSystemTime(noon + 2 * DAY_MS)
    await wake(organisation)
    await chat(organisation, key, 8)
    return organisation
  }

  it('finds nothing where all is as it was counted', async () => {
    const organisation = await closed()
    expect(await checkUsage(organisation)).toMatchObject({
      differences: [],
      unreadable: 0,
      daysCompared: 2,
      daysByHash: 0,
    })
  })

  const LATEST_HOUR = 'hour = (SELECT max(hour) FROM usage_hours)'

  it.each([
    [
      'a row',
      'UPDATE usage_days SET cost_microeur = 9 WHERE cost_microeur = 5',
      '2091-03-15',
      ['sha256', 'margins.all', 'letters.completed.cost_microeur'],
    ],
    [
      'a row that is gone',
      'DELETE FROM usage_days WHERE cost_microeur = 6',
      '2091-03-15',
      ['sha256', 'margins.ending', 'margins.use_case', '-.completed.requests'],
    ],
    ['a sum that is gone', 'DELETE FROM usage_margins WHERE dimension = 2', '2091-03-15', ['margins.key']],
    ['a sum by the last dimension', 'DELETE FROM usage_margins WHERE dimension = 4', '2091-03-15', ['margins.ending']],
    [
      'a cohort',
      'UPDATE usage_cohorts SET refused = 1',
      '2091-03-15',
      ['cohorts.a.gpt-4.1-mini.letters.completed.refused'],
    ],
    ['latencies', "UPDATE latency_days SET counts = x'' WHERE model = 0", '2091-03-15', ['latencies.-.']],
    ['an open day', 'UPDATE usage_days SET input = 1 WHERE cost_microeur = 8', '2091-03-17', ['.completed.input']],
    [
      'a day that is gone',
      `DELETE FROM counted_days WHERE closed_at IS NULL; DELETE FROM usage_days WHERE cost_microeur = 8`,
      '2091-03-17',
      ['.completed.requests'],
    ],
    [
      'a day without a call',
      `INSERT INTO counted_days (day, first, last, further_records) SELECT day - 1, 0, 0, 0 FROM counted_days WHERE closed_at IS NULL;
       INSERT INTO latency_days SELECT day - 1, model, counts FROM latency_days ORDER BY day DESC LIMIT 1`,
      '2091-03-16',
      ['latencies.gpt-4.1-mini.'],
    ],
    [
      'an hour',
      `UPDATE usage_hours SET failed = 9, refused = 1 WHERE ${LATEST_HOUR}`,
      '2091-03-17',
      ['hours.12.all.-.failed', '.refused'],
    ],
    ['an hour that is gone', `DELETE FROM usage_hours WHERE ${LATEST_HOUR}`, '2091-03-17', ['hours.12.key.']],
  ])('names %s that was made to say otherwise', async (_, statement, day, places) => {
    const organisation = await closed()
    await ask(organisation)
    await organisation.query(statement)
    const { differences } = await checkUsage(organisation)
    expect(differences).not.toEqual([])
    for (const place of places) expect(differences.join('\n')).toContain(place)
    expect(differences.every((difference) => difference.startsWith(day))).toBe(true)
  })

  it('names a call that has not ended and is not held, and one that is held and was never admitted', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const open = positionOf(await organisation.admit(await organisation.issueKey()))
    await ask(organisation)
    await organisation.query('UPDATE usage_open SET position = 77')
    const { differences } = await checkUsage(organisation)
    expect(differences).toEqual([`2091-03-15.open.${open}`, '2091-03-15.open.77'])
  })

  it('goes by the hash in its entry where a day’s entries are not kept any more', async () => {
    const organisation = await foundOrganisation({ tier: 'free' })
    const key = await organisation.issueKey()
    await chat(organisation, key, 0)
    vi.setSystemTime(noon + 8 * DAY_MS)
    await wake(organisation, 8)
    expect(await organisation.entries()).toEqual([])
    expect((await ask(organisation)).totals.requests).toBe(1)
    expect(await checkUsage(organisation)).toMatchObject({
      differences: [],
      unreadable: 0,
      daysCompared: 0,
      daysByHash: 1,
    })
    await organisation.query('UPDATE usage_days SET cost_microeur = 4')
    expect((await checkUsage(organisation)).differences).toContain('2091-03-15.sha256')
  })
})

describe('entries that have left', () => {
  const putAway = async (organisation: ChatOrganisation): Promise<void> => {
    await runInDurableObject(objectOf(organisation), (_, { storage, id }) =>
      completeTile(openParts(storage, id.toString()), Date.now()),
    )
    await organisation.evict()
    await wake(organisation)
    vi.setSystemTime(noon + 8 * DAY_MS)
    await wake(organisation, 8)
    expect(await organisation.query("SELECT position FROM entries WHERE kind = 'settlement'")).toEqual([])
  }

  it('are counted before, and checked where they are', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    await chat(organisation, await organisation.issueKey(), 5)
    await putAway(organisation)
    expect((await ask(organisation)).totals).toMatchObject({ requests: 1, cost_microeur: 5 })
    expect(await checkUsage(organisation)).toMatchObject({
      differences: [],
      unreadable: 0,
      daysCompared: 1,
      daysByHash: 0,
    })
  })

  it('are counted from there, of an organisation that was not counted before', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    await chat(organisation, await organisation.issueKey(), 5)
    await putAway(organisation)
    const tables = [
      'usage_days',
      'usage_margins',
      'usage_hours',
      'latency_days',
      'counted_days',
      'usage_progress',
      'usage_names',
    ]
    for (const table of tables) await organisation.query(`DELETE FROM ${table}`)
    expect((await ask(organisation)).totals).toMatchObject({ requests: 1, cost_microeur: 5 })
  })

  it('are told where they cannot be read there', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    await chat(organisation, await organisation.issueKey(), 5)
    await putAway(organisation)
    await organisation.query('DELETE FROM usage_progress')
    await runInDurableObject(objectOf(organisation), async (_, { storage, id }) => {
      const { journal } = openParts(storage, id.toString())
      const takeTurn = <T>(work: () => T): T => storage.transactionSync(work)
      // More than are counted in one turn.
      const bytes = new Uint8Array()
      const passedOver = {
        position: 0,
        kind: 'hour_counts',
        at: 0,
        expiresAt: 0,
        entry: bytes,
        leafHash: bytes,
        facts: null,
      }
      const entries = Array.from({ length: 501 }, () => passedOver)
      const readPage: Archive['readPage'] = async () => ({ entries, unreadable: 2, next: null })
      const parts = { sql: storage.sql, journal, archive: { readPage } }
      const follower = new UsageCounter(parts)
      await follower.answer(takeTurn, () => undefined)
      expect((await checkCounts({ ...parts, follower, takeTurn })).unreadable).toBe(2)
    })
    expect((await ask(organisation)).unreadable).toBe(2)
  })

  it('are counted once, though several ask at once', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    await chat(organisation, key, 5)
    await putAway(organisation)
    for (const table of ['usage_days', 'usage_hours', 'counted_days', 'usage_progress']) {
      await organisation.query(`DELETE FROM ${table}`)
    }
    const answers = await Promise.all([1, 2, 3].map(() => ask(organisation)))
    expect(answers.map(({ totals }) => totals.requests)).toEqual([1, 1, 1])
  })

  it('are counted once, though another asker counts them while the first one still reads', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    await chat(organisation, await organisation.issueKey(), 5)
    await putAway(organisation)
    for (const table of ['usage_days', 'usage_hours', 'counted_days', 'usage_progress']) {
      await organisation.query(`DELETE FROM ${table}`)
    }
    await runInDurableObject(objectOf(organisation), async (_, { storage, id }) => {
      const { journal, archive } = openParts(storage, id.toString())
      const takeTurn = <T>(work: () => T): T => storage.transactionSync(work)
      const quicker = new UsageCounter({ sql: storage.sql, journal, archive })
      const readPage: Archive['readPage'] = async (range, now) => {
        const page = await archive.readPage(range, now)
        await quicker.answer(takeTurn, () => undefined)
        return page
      }
      await new UsageCounter({ sql: storage.sql, journal, archive: { readPage } }).answer(takeTurn, () => undefined)
    })
    expect((await ask(organisation)).totals).toMatchObject({ requests: 1, cost_microeur: 5 })
  })
})
