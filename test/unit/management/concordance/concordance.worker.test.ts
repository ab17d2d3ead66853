// The concordance over its route: for owners, admins, auditors and keys, of the own organisation alone, in one order, and nowhere else.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { LEAST_OUTCOMES } from '../../../../src/management/concordance/concordance.policy.ts'
import { manage, type Managed } from '../managed.ts'

const MONTH = (2026 - 1970) * 12 + 8

/** Counts outcomes of a closed month. */
const count = ({ organisation }: Managed, rows: readonly (readonly [specialty: string, cell: string, n: number])[]) =>
  runInDurableObject(env.ORGANISATIONS.getByName(organisation.id), (_, { storage: { sql } }) => {
    sql.exec('INSERT INTO concordance_months (month, readings, salt, closed_at) VALUES (?, 40, zeroblob(32), 7)', MONTH)
    for (const row of rows) {
      sql.exec('INSERT INTO concordance_counts (month, specialty, cell, n) VALUES (?, ?, ?, ?)', MONTH, ...row)
    }
  })

const PATH = '/api/analytics/concordance'

it('shows blocks, coverage and the sentence that it does not say who was right, as JSON and as CSV', async () => {
  const managed = await manage()
  await count(managed, [
    ['=Cardiology', 'ACCEPTED 11', LEAST_OUTCOMES],
    ['Neurology', 'CHOSEN 00', LEAST_OUTCOMES - 1],
  ])
  const auditor = await managed.signIn('auditor')
  const shown = await (await auditor.ask('GET', PATH)).json<Record<string, unknown>>()
  expect(shown).toMatchObject({
    note: 'This compares readings with choices. It does not say who was right.',
    coverage: { from: '2026-09', to: '2026-09', readings: 40, with_outcome: 19 },
    totals: { n: LEAST_OUTCOMES },
    data: [{ specialty: '=Cardiology', blocks: [{ n: LEAST_OUTCOMES, accepted: LEAST_OUTCOMES }] }],
    pending: true,
  })
  expect(JSON.stringify(shown)).not.toMatch(/key_|usr_|accuracy|rank|score|Neurology/)
  const answer = await auditor.ask('GET', `${PATH}?format=csv`)
  expect(answer.headers.get('content-disposition')).toContain('countersign-concordance.csv')
  const lines = (await answer.text()).trim().split(/\r?\n/)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(/^'=Cardiology,2026-09,2026-09,10,10,0,0,10,0\.722,1,10,0\.722,1,This compares/)
})

it('is for owners, admins, auditors and keys that manage; nobody sorts, filters or groups it', async () => {
  const managed = await manage()
  const status = async (role: 'owner' | 'admin' | 'auditor' | 'developer' | 'clinician') =>
    (await (await managed.signIn(role)).ask('GET', PATH)).status
  expect([await status('owner'), await status('admin'), await status('auditor')]).toEqual([200, 200, 200])
  expect([await status('developer'), await status('clinician')]).toEqual([403, 403])
  const key = await managed.automate()
  expect((await key.ask('GET', PATH)).status).toBe(200)
  for (const query of ['sort=n', 'group_by=key', 'key_id=key_1', 'specialty=Cardiology', 'start=2026-09-01']) {
    expect((await key.ask('GET', `${PATH}?${query}`)).status).toBe(400)
  }
})

it('is of one organisation', async () => {
  await count(await manage(), [['Cardiology', 'ACCEPTED 11', 50]])
  const other = await (await manage()).signIn('owner')
  expect(await (await other.ask('GET', PATH)).json()).toMatchObject({
    data: [],
    totals: null,
    coverage: { from: null },
  })
})
