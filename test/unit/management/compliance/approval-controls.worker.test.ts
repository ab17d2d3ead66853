// The controls about people's approval, by approvals that were really asked for, decided and used.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ComplianceReport } from '../../../../src/reports/report/report.schema.ts'
import type { PersonId } from '../../../../src/platform/ids.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { hashOf, noon, positionOf, PUBLIC_KEY } from '../../organisation/chat-organisation.ts'
import type { Asker } from '../managed.ts'
import { fillLedger, objectOf, putAway } from '../export/exported.ts'
import { oversee, readScore, tamper, type Overseen } from './overseen.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const IDS = ['H2', 'H3', 'H4']
const EMPTY = ['not_applicable', 'not_applicable', 'not_applicable']

type Approving = Overseen & {
  admin: Asker & { id: PersonId }
  ask: (request: string) => Promise<string>
  decide: (id: string, decision: 'approve' | 'deny' | 'escalate', by?: Asker) => Promise<unknown>
  /** Sends the request again with its approval, and ends it. */
  use: (request: string, id: string) => Promise<unknown>
  /** A request that is asked for, approved and used. */
  execute: (request: string) => Promise<unknown>
  report: () => Promise<ComplianceReport>
  states: (by?: Asker) => Promise<(string | undefined)[]>
}

async function approving(rule: object = {}): Promise<Approving> {
  const overseen = await oversee()
  const { organisation, key, owner } = overseen
  await owner.ask('PUT', '/api/policies', { human_approval: { when: [{}], expires_seconds: 3600, ...rule } })
  const admin = await overseen.signIn('admin')
  const approvals: Approving = {
    ...overseen,
    admin,
    ask: async (request) => approvalOf(await organisation.admit(key, { requestHash: hashOf(request) })),
    async decide(id, decision, by = admin) {
      const answer = await by.ask('POST', `/api/approvals/${id}/decision`, { decision })
      if (answer.status !== 200) throw new Error(await answer.text())
    },
    async use(request, id) {
      const facts = { requestHash: hashOf(request), approval: `apr_${id.slice(4)}` } as const
      return organisation.settle(positionOf(await organisation.admit(key, facts)), 1000)
    },
    async states(by = owner) {
      const { controls } = await readScore(by)
      return IDS.map((id) => controls.find((control) => control.id === id)?.state)
    },
    async execute(request) {
      const id = await approvals.ask(request)
      await approvals.decide(id, 'approve')
      return approvals.use(request, id)
    },
    report: async () => (await owner.ask('POST', '/api/compliance/report', {})).json(),
  }
  return approvals
}

describe('approvals', () => {
  it('do not apply while nobody decides, and pass once somebody has and the request has run', async () => {
    const { ask, decide, use, states } = await approving()
    const id = await ask('one')
    await decide(id, 'escalate')
    expect(await states()).toEqual(EMPTY)
    await decide(id, 'approve')
    expect(await states()).toEqual(['pass', 'not_applicable', 'not_applicable'])
    await use('one', id)
    expect(await states()).toEqual(['pass', 'pass', 'not_applicable'])
  })

  it.each([
    ['approve', 'fail'],
    ['deny', 'pass'],
  ] as const)('H2 where whoever made the key that asked turns out to %s: %s', async (decision, state) => {
    const approvals = await approving()
    await approvals.decide(await approvals.ask('one'), decision)
    await tamper(approvals, `UPDATE keys SET created_by = '${approvals.admin.id}' WHERE id = '${approvals.key.id}'`)
    await approvals.organisation.evict()
    expect(await approvals.states()).toEqual([state, 'not_applicable', 'not_applicable'])
  })

  it('H3 fails, and says where, when the record of a decision cannot be read', async () => {
    const approvals = await approving()
    await approvals.execute('one')
    const [decided] = await approvals.organisation.query<{ position: number }>(
      "SELECT position FROM entries WHERE kind = 'approval' AND outcome = 'decided'",
    )
    await tamper(approvals, `UPDATE entries SET entry = zeroblob(40) WHERE position = ${decided?.position ?? -1}`)
    const control = (await approvals.controls()).get('H3')
    expect(control).toMatchObject({ state: 'fail', evidence: { positions: [decided?.position] } })
  })

  it('H3 fails, and says where, when the log has damaged nodes where a record is', async () => {
    const approvals = await approving()
    await approvals.execute('one')
    await fillLedger(approvals, 256, PUBLIC_KEY)
    // The calls are counted before they leave.
    expect((await approvals.controls()).get('H3')?.state).toBe('pass')
    await putAway(approvals)
    const { objects } = await env.FILES.list()
    const tiles = objects.filter(
      ({ key }) => key.includes(objectOf(approvals).id.toString()) && key.includes('/tile/0/'),
    )
    expect(tiles).toHaveLength(1)
    await Promise.all(tiles.map(({ key }) => env.FILES.put(key, new Uint8Array(256 * 32))))
    expect((await approvals.controls()).get('H3')).toMatchObject({
      state: 'fail',
      evidence: { values: { executed: 1, looked_at: 1 } },
    })
  })

  it('H3 does not apply once no entry of a decision is kept any more', async () => {
    const approvals = await approving()
    await approvals.execute('one')
    await tamper(approvals, `UPDATE entries SET entry = x'', expires_at = ${noon} WHERE kind = 'approval'`)
    expect((await approvals.controls()).get('H3')).toMatchObject({
      state: 'not_applicable',
      evidence: { values: { executed: 1, looked_at: 0 } },
    })
  })

  it('H4 fails where requests wait in vain, and not for one that was approved and never used', async () => {
    const approvals = await approving()
    for (let n = 0; n < 9; n += 1) await approvals.decide(await approvals.ask(`request ${n}`), 'approve')
    vi.setSystemTime(noon + 3 * 3_600_000)
    expect(await approvals.states()).toEqual(['pass', 'not_applicable', 'not_applicable'])
    await approvals.ask('two')
    vi.setSystemTime(noon + 6 * 3_600_000)
    expect(await approvals.states()).toEqual(['pass', 'not_applicable', 'fail'])
  })

  it('are of the last thirty days', async () => {
    const approvals = await approving()
    await approvals.decide(await approvals.ask('one'), 'deny')
    expect(await approvals.states()).toEqual(['pass', 'not_applicable', 'not_applicable'])
    vi.setSystemTime(noon + 40 * DAY_MS)
    expect(await approvals.states(await approvals.signIn('owner'))).toEqual(EMPTY)
  })

  it('are counted in a report', async () => {
    const approvals = await approving()
    await approvals.execute('one')
    await approvals.decide(await approvals.ask('two'), 'deny')
    await approvals.ask('three')
    expect(await approvals.report()).toMatchObject({
      approvals: { asked: 3, approved: 1, denied: 1, expired: 0, withdrawn: 0, executed: 1, pending: 1 },
    })
  })

  it('are counted in the days of each step, whenever they were asked for', async () => {
    const approvals = await approving({ expires_seconds: 2 * 86_400 })
    const id = await approvals.ask('one')
    await approvals.ask('two')
    vi.setSystemTime(noon + DAY_MS)
    await approvals.decide(id, 'approve', await approvals.signIn('admin'))
    await approvals.use('one', id)
    const owner = await approvals.signIn('owner')
    const reportOf = async (day: string) => {
      const answer = await owner.ask('POST', '/api/compliance/report', { start: day, end: day })
      const { approvals: counts, controls } = await answer.json<ComplianceReport>()
      return [counts, controls.find((control) => control.id === 'H2')?.state]
    }
    const first = { asked: 2, approved: 0, denied: 0, expired: 0, withdrawn: 0, executed: 0, pending: 1 }
    expect(await reportOf('2091-03-15')).toEqual([first, 'not_applicable'])
    const second = { ...first, asked: 0, approved: 1, executed: 1, pending: 0 }
    expect(await reportOf('2091-03-16')).toEqual([second, 'pass'])
  })

  it('are not approved by one person where two are needed', async () => {
    const approvals = await approving({ approvals_required: 2 })
    await approvals.decide(await approvals.ask('one'), 'approve')
    expect(await approvals.report()).toMatchObject({ approvals: { approved: 0, pending: 1 } })
  })

  it('are all looked at, however many there are', async () => {
    const approvals = await approving()
    await approvals.decide(await approvals.ask('one'), 'deny')
    const copied = "substr(id, 1, 32) || printf('%08x', i)"
    await tamper(
      approvals,
      `WITH RECURSIVE copies (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < 1100)
       INSERT OR IGNORE INTO ended_approvals (id, state, expires_at, approval)
       SELECT ${copied}, state, expires_at, json_set(approval, '$.approval_id', ${copied}) FROM ended_approvals, copies`,
    )
    expect(await approvals.report()).toMatchObject({ approvals: { asked: 1101, denied: 1101, pending: 0 } })
    const control = (await approvals.controls()).get('H2')
    expect(control).toMatchObject({ state: 'pass', evidence: { values: { decisions: 1101 } } })
    await tamper(approvals, `UPDATE keys SET created_by = '${approvals.admin.id}' WHERE id = '${approvals.key.id}'`)
    await tamper(
      approvals,
      `UPDATE ended_approvals SET approval = json_replace(approval, '$.decisions[0].decision', 'approve')
       WHERE id = (SELECT min(id) FROM ended_approvals)`,
    )
    await approvals.organisation.evict()
    expect((await approvals.controls()).get('H2')).toMatchObject({
      state: 'fail',
      evidence: { values: { own_approved: 1 } },
    })
  })
})
