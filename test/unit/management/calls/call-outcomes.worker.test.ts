// Every place that shows how calls ended says the same of the same calls: pages, files, the report and its drawing, and alarms.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  endingsIn,
  membersOf,
  outcomeName,
  SETTLED_ENDINGS,
  SHOWN_OUTCOMES,
  shownOutcomeOf,
  type Outcome,
  type ShownOutcome,
} from '../../../../src/evidence/records/call-endings.ts'
import type { RequestsRow } from '../../../../src/management/analytics/analytics.schema.ts'
import { usageSection } from '../../../../src/reports/report/drawing/usage-section.ts'
import type { ComplianceReport } from '../../../../src/reports/report/report.schema.ts'
import { countCompared, RATED_OUTCOMES } from '../../../../src/reports/statistics/compared-outcomes.ts'
import { outcomeQuery } from '../../../../src/pages/text/call-values.ts'
import { outcomeValues } from '../../../../src/pages/app/analytics/chart-data.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { hashOf, noon, positionOf } from '../../organisation/chat-organisation.ts'
import { manage, type Asker } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Counts = Record<ShownOutcome, number>

/** More of each kind than of the one before, so that no two sums are equal by chance. */
const RUNS = { completed: 3, failed: 1, cancelled: 5, interrupted: 2, cached: 1, withheld: 7 } as const

async function callsOfEachEnding(): Promise<Asker> {
  const { organisation, signIn } = await manage({ tier: 'healthcare' })
  const owner = await signIn('owner')
  const rules = {
    human_approval: { when: [{ use_cases: ['triage'] }] },
    model_allowlist: { models: ['gpt-4.1-mini'] },
    loop_guard: { repeats: 3 },
  }
  expect((await owner.ask('PUT', '/api/policies', rules)).status).toBe(200)
  const key = await organisation.issueKey()
  for (const ended of SETTLED_ENDINGS) {
    for (let n = 0; n < RUNS[ended]; n += 1) {
      const position = positionOf(await organisation.admit(key))
      await organisation.settle(position, 5, { ended, ...(ended === 'failed' && { errorCause: 'status' }) })
    }
  }
  const loop = { loopHash: hashOf('again') }
  for (let n = 0; n < 4; n += 1) {
    const admission = await organisation.admit(key, loop)
    if (admission.outcome === 'admitted') await organisation.settle(positionOf(admission), 5, { ended: 'cancelled' })
  }
  for (const text of ['one', 'two', 'three', 'four']) {
    const asked = { useCase: 'triage', requestHash: hashOf(text) }
    const waiting = await organisation.admit(key, asked)
    if (text !== 'one') continue
    const path = `/api/approvals/${approvalOf(waiting)}/decision`
    expect((await owner.ask('POST', path, { decision: 'deny' })).status).toBe(200)
  }
  for (let n = 0; n < 6; n += 1) await organisation.admit(key, { model: 'gpt-4.1' })
  return owner
}

const cellsIn = async (answer: Response): Promise<Record<string, string>[]> => {
  const [head = '', ...rows] = (await answer.text()).trim().split('\r\n')
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, at) => [head.split(',')[at] ?? '', cell])))
}

const countsIn = (values: readonly number[]): Counts => membersOf(NAMES, (name) => values[NAMES.indexOf(name)] ?? NaN)

const NAMES = SHOWN_OUTCOMES.map(({ name }) => name)

const countBy = (shown: readonly ShownOutcome[]): Counts =>
  membersOf(NAMES, (name) => shown.filter((one) => one === name).length)

/** The table of the report’s PDF has a row for each ending, and the chart a series for each outcome. */
function drawnIn(report: ComplianceReport) {
  const { blocks } = usageSection(report)
  const [table] = blocks.flatMap((block) => ('table' in block ? [block.table] : []))
  const [chart] = blocks.flatMap((block) => ('chart' in block ? [block.chart] : []))
  const sumOf = (values: readonly number[] = []): number => values.reduce((sum, one) => sum + one, 0)
  return {
    table: membersOf(NAMES, (name) =>
      sumOf(table?.rows.flatMap(([, shown, , calls]) => (shown === outcomeName(name) ? [Number(calls)] : []))),
    ),
    bars: membersOf(NAMES, (name) => sumOf(chart?.series.find((one) => one.name === outcomeName(name))?.values)),
  }
}

it('pages, lists, files, the report, its drawing and alarms count the same calls alike', async () => {
  const owner = await callsOfEachEnding()
  const { totals } = await (
    await owner.ask('GET', '/api/analytics/requests?bucket=total')
  ).json<{ totals: RequestsRow }>()
  const chart = countsIn(outcomeValues(totals))
  expect(chart).toEqual({ passed: 11, held: 4, blocked: 6, suppressed: 2, failed: 3, stopped: 7 })

  const listed: Partial<Counts> = {}
  for (const { name } of SHOWN_OUTCOMES) {
    const query = new URLSearchParams({ ...outcomeQuery(name), limit: '200' }).toString()
    listed[name] = (await (await owner.ask('GET', `/api/calls?${query}`)).json<{ data: [] }>()).data.length
  }
  const calls = await cellsIn(await owner.ask('GET', '/api/calls?format=csv'))
  const [sums = {}] = await cellsIn(await owner.ask('GET', '/api/analytics/requests?bucket=total&format=csv'))
  const report = await (await owner.ask('POST', '/api/compliance/report', {})).json<ComplianceReport>()
  expect({
    list: listed,
    listFile: countBy(calls.map(({ outcome, ending = '' }) => shownOutcomeOf(outcome as Outcome, ending))),
    sumsFile: membersOf(NAMES, (name) => endingsIn(name).reduce((sum, ending) => sum + Number(sums[ending]), 0)),
    ...drawnIn(report),
  }).toEqual({ list: chart, listFile: chart, sumsFile: chart, table: chart, bars: chart })
  const watched = RATED_OUTCOMES.filter((outcome) => outcome !== 'refused')
  expect(watched.map((outcome) => countCompared(totals, outcome))).toEqual(watched.map((outcome) => chart[outcome]))
})

it('a call whose ending only a newer version knows is interrupted everywhere, at its own cost', async () => {
  const { organisation, signIn } = await manage({ tier: 'healthcare' })
  const owner = await signIn('owner')
  const position = positionOf(await organisation.admit(await organisation.issueKey()))
  await organisation.settle(position, 1500, { ended: 'of_a_newer_version' as never })
  const listed = await (await owner.ask('GET', '/api/calls?ending=interrupted')).json<{ data: { id: string }[] }>()
  expect(listed.data).toMatchObject([{ ending: 'interrupted', cost_eur: 0.0015, cost_estimated: false }])
  const [{ id } = { id: '' }] = listed.data
  const { totals } = await (
    await owner.ask('GET', '/api/analytics/requests?bucket=total')
  ).json<{ totals: RequestsRow }>()
  expect(totals).toMatchObject({ requests: 1, interrupted: 1 })
  // Its cost is no estimate that a person could correct.
  const correction = await owner.ask('PUT', `/api/calls/${id}/cost`, { cost_eur: 1, reason: 'the invoice' })
  expect(correction.status).toBe(409)
  const { is_equal } = await organisation.service.operate<{ is_equal: boolean }>(
    'GET',
    `/organisations/${organisation.id}/ledger`,
  )
  expect(is_equal).toBe(true)
})

it('counts of the version before have no stopped answers, and that version may count between two starts of this one', async () => {
  const { organisation, signIn } = await manage({ tier: 'healthcare' })
  const owner = await signIn('owner')
  const key = await organisation.issueKey()
  const run = async (ended: 'completed' | 'withheld') =>
    organisation.settle(positionOf(await organisation.admit(key)), 5, { ended })
  const totals = async () =>
    (await (await owner.ask('GET', '/api/analytics/requests?bucket=total')).json<{ totals: RequestsRow }>()).totals
  await run('completed')
  expect(await totals()).toMatchObject({ requests: 1, completed: 1, withheld: 0 })
  const columns = (await organisation.query<{ name: string }>('PRAGMA table_info(usage_hours)')).map(({ name }) => name)
  const older = columns.filter((name) => name !== 'withheld').join(', ')
  await organisation.query(
    `INSERT INTO usage_hours (${older}) SELECT ${older.replace('hour', 'hour - 1')} FROM usage_hours`,
  )
  for (const table of ['usage_hours', 'usage_margins']) {
    await organisation.query(`ALTER TABLE ${table} DROP COLUMN withheld`)
  }
  for (const table of ['search_blocks', 'notice_choices', 'notices_waiting', 'notice_mails']) {
    await organisation.query(`DROP TABLE ${table}`)
  }
  await organisation.query('DELETE FROM schema_steps WHERE step >= (SELECT max(step) - 2 FROM schema_steps)')
  await organisation.evict()
  await run('withheld')
  expect(await totals()).toMatchObject({ requests: 2, completed: 1, withheld: 1, passed: 2 })
  expect(
    await organisation.query('SELECT sum(completed) AS c, sum(withheld) AS w FROM usage_hours WHERE dimension = 0'),
  ).toEqual([{ c: 2, w: 1 }])
})
