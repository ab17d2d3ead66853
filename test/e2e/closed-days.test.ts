// The counts of a closed day are made again from an export's entries: by scripts/examples/recount-days.py and by countersign-verify.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { ClosedDaysCheck } from '../../scripts/verify/check-closed-days.ts'
import { sha256Hex } from '../../src/platform/sha256.ts'

const DAY = '2026-11-20'
const TIME = `${DAY}T05:00:00.500Z`
type Members = Record<string, unknown>
type Entry = [kind: string, content: Members, facts?: Members]

const decision = (outcome: string, approval: string | null = null, more: Members = {}, timestamp = TIME): Entry => [
  'chat_decision',
  { outcome, model: 'm', timestamp, cost_prevented_eur: outcome === 'ALLOWED' ? 0 : 0.0002 },
  { key_id: 'key_1', ...(approval !== null && { approval_id: approval }), ...more },
]
const EARLIER = decision('BLOCKED', null, {}, '2026-11-19T23:59:59.999Z')
const step = (name: string, approval: string, more: Members = {}): Entry => [
  'approval',
  { step: name, approval_id: approval, ...more },
]
const settled = { usage: null, upstream_ms: null, finish_reason: null, estimated: false }
const usage = { input_uncached: 1, cache_read: 2, cache_write: 3, cache_write_hour: 4, output_visible: 5, reasoning: 6 }
const done = { ended: 'completed', finish_reason: 'refusal', upstream_ms: 20, route: 'r', places: ['IE', 'NO'], usage }

const BEFORE: Entry[] = [
  decision('ALLOWED', null, { use_case: 'letters' }),
  decision('BLOCKED', 'apr_1'),
  step('asked', 'apr_1'),
  ['settlement', { ...settled, ...done, settles: 0, cost_microeur: 15, model: 'other' }],
  decision('BLOCKED'),
  decision('BLOCKED', 'apr_1'),
  decision('ALLOWED', 'apr_1'),
  ['settlement', { ...settled, settles: 6, ended: 'interrupted', estimated: true, cost_microeur: 90 }],
  [
    'member_act',
    {
      act: 'call.correct_cost',
      call: 6,
      decided_at: TIME,
      counted_at: TIME,
      key_id: 'key_1',
      model: 'm',
      use_case: null,
      cost_microeur: 40,
      before_microeur: 90,
      was_estimated: true,
    },
  ],
  decision('BLOCKED', 'apr_2'),
  step('asked', 'apr_2'),
  step('decided', 'apr_2', { decision: 'deny', actor: 'usr_1' }),
  decision('SUPPRESSED', 'apr_3'),
]

const rowOf = (names: string, sums: Members = {}): string => {
  const none = { cache_read: 0, cache_write: 0, cost_microeur: 0, input: 0, output: 0, prevented_microeur: 0 }
  const more = { reasoning: 0, refused: 0, requests: 1, routed_any: 0, routed_eea_ch: 0, routed_eu: 0 }
  const row = { ...none, ...more, estimated: 0, timed: 0, upstream_ms: 0, ...(JSON.parse(names) as object), ...sums }
  return JSON.stringify(Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
}
const namesOf = (ending: string, use_case: string | null = null, model = 'm'): string =>
  JSON.stringify({ ending, key_id: 'key_1', model, use_case })
const tokens = { input: 1, cache_read: 2, cache_write: 7, output: 5, reasoning: 6 }
const ROWS = [
  rowOf(namesOf('blocked'), { prevented_microeur: 200 }),
  rowOf(namesOf('denied'), { prevented_microeur: 200 }),
  rowOf(namesOf('interrupted'), { cost_microeur: 40, routed_any: 1 }),
  rowOf(namesOf('suppressed'), { prevented_microeur: 200 }),
  rowOf(namesOf('completed', 'letters', 'other'), {
    ...tokens,
    refused: 1,
    cost_microeur: 15,
    upstream_ms: 20,
    timed: 1,
    routed_eea_ch: 1,
  }),
]

const CLOSING = {
  v: 'usage-closed-1',
  day: DAY,
  first: 0,
  last: 12,
  requests: 5,
  further_records: 2,
  cost_microeur: 55,
  use_cases: 1,
  sha256: sha256Hex(`[${ROWS.join(',')}]`),
}

const closedBy = (change: Members = {}): Entry[] => [...BEFORE, ['usage_closed', { ...CLOSING, ...change }]]

/** Returns the code of each finding, or its subject. @param withheld a position whose entry is withheld */
function check(entries: readonly Entry[], { from = 0, withheld = -1 } = {}): string[] {
  const days = new ClosedDaysCheck()
  for (const [index, [kind, content, facts = null]] of entries.entries()) {
    if (index === withheld) days.takeWithheld(index)
    else if (index >= from) days.take({ index, kind, content, at: TIME, facts })
  }
  return days.finish().map(({ code, subject }) => code ?? subject)
}

describe('the command', () => {
  it('makes the counts of a closed day again', () => {
    expect(check(closedBy())).toEqual(['1 closed day with the counts of their calls'])
  })

  it.each(Object.keys(CLOSING).filter((name) => !['v', 'day', 'use_cases', 'first'].includes(name)))(
    'finds that %s is another',
    (name) => {
      expect(check(closedBy({ [name]: name === 'sha256' ? '0'.repeat(64) : 1 }))).toEqual(['usage_differs'])
    },
  )

  it('finds that a call was left out, or was given another key', () => {
    expect(check(closedBy().with(12, decision('BLOCKED')))).toEqual(['usage_differs'])
    expect(check(closedBy().with(4, decision('BLOCKED', null, { key_id: 'key_2' })))).toEqual(['usage_differs'])
  })

  it('says so where the file does not show all that was counted', () => {
    const notRecounted = ['usage_not_recounted']
    expect(check(closedBy(), { from: 1 })).toEqual(notRecounted)
    expect(check(closedBy(), { withheld: 3 })).toEqual(notRecounted)
    expect(check(closedBy({ use_cases: 256 }))).toEqual(notRecounted)
    expect(check(closedBy({ v: 'usage-closed-9', sha256: null }))).toEqual(notRecounted)
    expect(check(closedBy({ v: undefined, first: undefined }))).toEqual(notRecounted)
    // The approval was asked for before the file begins, so its call may be of an earlier day.
    expect(check(closedBy().with(2, step('claimed', 'apr_1')))).toEqual(notRecounted)
    expect(check(closedBy().with(4, EARLIER))).toEqual(notRecounted)
  })

  it.each([
    { requests: '5' },
    { requests: undefined },
    { sha256: null },
    { day: 'x' },
    { day: `${DAY}T00:00:00Z` },
    { first: null },
    { use_cases: -1 },
    { use_cases: '0' },
    { use_cases: 1.5 },
  ])('finds that a closing entry is not in its form: %o', (change) => {
    expect(check(closedBy(change))).toEqual(['usage_malformed'])
  })
})

describe.skipIf(spawnSync('python3', ['--version']).status !== 0)('the program for readers', () => {
  const run = (entries: readonly Entry[], { from = 0, withheld = -1 } = {}): string => {
    const head = { object: 'audit_export.head', first: from }
    const lines = entries.map(([kind, content, facts = null], index) =>
      index <= withheld ? { index, withheld: 'retention' } : { index, kind, content, facts },
    )
    const end = { object: 'audit_export.end', entries: lines.length, withheld: withheld + 1 }
    const input = [head, ...lines.slice(from), end].map((line) => JSON.stringify(line)).join('\n')
    const { stdout, stderr } = spawnSync('python3', ['scripts/examples/recount-days.py'], { input, encoding: 'utf8' })
    return stdout.trim() + stderr.trim()
  }

  it('makes the same hash, and another of another call', () => {
    expect(run(closedBy())).toBe(`${DAY} agrees`)
    expect(run(closedBy().with(4, decision('BLOCKED', null, { key_id: 'key_2' })))).toBe(`${DAY} differs`)
  })

  it('accuses nobody where the file does not show all that was counted', () => {
    const notRecounted = `${DAY} not recounted`
    expect(run(closedBy(), { from: 1 })).toBe(notRecounted)
    expect(run(closedBy(), { withheld: 1 })).toBe(notRecounted)
    expect(run(closedBy({ first: 2 }), { withheld: 1 })).toBe(`${DAY} differs`)
    expect(run(closedBy({ use_cases: 256 }))).toBe(notRecounted)
    expect(run(closedBy({ v: undefined, first: undefined }))).toBe(notRecounted)
    expect(run(closedBy().with(2, step('claimed', 'apr_1')))).toBe(notRecounted)
    expect(run(closedBy().with(4, EARLIER))).toBe(notRecounted)
    expect(run(closedBy({ first: null }))).toBe(`${DAY} malformed`)
  })
})
