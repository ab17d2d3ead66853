// Controls of the compliance checklist as an auditor judges them again: by a saved report and an audit export, without the service.
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, sharedGateway, type Gateway } from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'
import { keepFile, verify } from '../support/e2e/verify.ts'

type Evidence = { values: Record<string, unknown> | null; link?: string; sample?: { seed: string; tree_size: number } }
type Control = { id: string; state: string; weight: number; evidence: Evidence }
type Report = { id: string; object: string; controls: Control[] }

let gateway: Gateway
let headersOf: Readonly<Record<'key' | 'auditor', Record<string, string>>>
let report: string
let audit: string
let pinned: string[]

const get = async (path: string, headers: Record<string, string>): Promise<string> => {
  const response = await gateway.service.fetch(path, { headers })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.text()
}

beforeAll(async () => {
  gateway = await sharedGateway()
  const { key, organisationId } = await gateway.createKey({ tier: 'healthcare' }, { scopes: ['chat', 'manage'] })
  const owner = await signInAs(gateway.service, organisationId, 'owner')
  const auditor = await signInAs(gateway.service, organisationId, 'auditor')
  headersOf = { key: { authorization: `Bearer ${key}` }, auditor: auditor.headers }
  const send = async (method: string, path: string, body: object): Promise<Response> => {
    const response = await gateway.service.fetch(path, {
      method,
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
    return response
  }
  await send('PUT', '/api/policies', {
    model_allowlist: { models: ['gpt-4.1-mini'] },
    high_risk_use_cases: ['letters'],
    human_approval: { when: [{ use_cases: ['letters'] }] },
    loop_guard: { repeats: 5 },
    budget_guard: { month_eur: 10 },
  })
  const chat = (headers: Record<string, string>, body = ask('gpt-4.1-mini')) => gateway.chat(key, body, { headers })
  for (const useCase of ['triage', 'coding']) await chat({ 'x-aqta-use-case': useCase })
  await chat({})
  const letter = ask('gpt-4.1-mini')
  const held = (await (await chat({ 'x-aqta-use-case': 'letters' }, letter)).json()) as {
    error: { approval_id: string }
  }
  const approval = held.error.approval_id
  // The same request again waits for the same approval: it is no call of its own.
  await chat({ 'x-aqta-use-case': 'letters' }, letter)
  await send('POST', `/api/approvals/${approval}/decision`, { decision: 'approve' })
  await chat({ 'x-aqta-use-case': 'letters', 'x-aqta-approval': approval }, letter)
  await gateway.settlements(organisationId, 4)
  await get('/api/compliance/bias-detection', headersOf.key)
  await get('/api/settings/export?section=settings', headersOf.key)
  const made = (await (await send('POST', '/api/compliance/report', {})).json()) as Report
  report = await get(`/api/compliance/report/${made.id}`, headersOf.auditor)
  audit = await get('/api/compliance/audit-logs', headersOf.auditor)
  pinned = ['--key', await gateway.publicKey()]
})

const controlsOf = (text: string): Control[] => (JSON.parse(text) as Report).controls

const judge = (id: string, ofReport = report, ofAudit = audit) =>
  verify(keepFile(ofAudit), ...pinned, '--report', keepFile(ofReport), '--control', id)

/** Returns the report with a control that says something else. */
function changed(id: string, change: (control: Control) => object): string {
  const read = JSON.parse(report) as Report
  const controls = read.controls.map((control) => (control.id === id ? { ...control, ...change(control) } : control))
  return JSON.stringify({ ...read, controls })
}

const withValue =
  (name: string, value: unknown) =>
  ({ evidence }: Control) => ({
    evidence: { ...evidence, values: { ...evidence.values, [name]: value } },
  })

describe('countersign-verify --control', () => {
  /** What the log shows of the controls that have data here. */
  const SHOWN: Readonly<Record<string, string>> = {
    L1: 'receipts 6',
    L2: 'entries_read ',
    L4: 'act "settings.export", days_ago 0',
    L6: 'unreadable 0',
    L7: 'passed 4, interrupted 0',
    L8: 'completed 4, estimated 0',
    K1: 'keys_of_sample 1',
    P1: '"human_approval"',
    L5: 'least_of_calls 365',
    P2: 'models_used ["gpt-4.1-mini"], calls_looked_at 6',
    P3: 'requests 4, with_use_case 3',
    P4: 'kinds_in_use ["text"]',
    P5: 'spent_eur 0.',
    P6: 'calls_looked_at 6',
    H2: 'decisions 1',
    H3: 'executed 1',
    D1: 'routed_eu 0, routed_eea_ch 0, routed_elsewhere 4',
    D5: 'purposes 3',
    M1: 'days_ago 0',
  }

  it.each(Object.entries(SHOWN))(
    'makes %s again from the export, and finds the report in the log',
    async (id, shown) => {
      const { status, said } = await judge(id)
      expect(said).toContain(shown)
      expect(said).toMatch(/report +[0-9a-f]{64}, entry \d+ of the log/)
      expect(status).toBe(0)
    },
  )

  it('says of every other control where to ask, and proves nothing of it', async () => {
    for (const { id, state } of controlsOf(report)) {
      if (id in SHOWN) continue
      const { status, said } = await judge(id)
      expect([id, status]).toEqual([id, 1])
      expect(said).toContain(state === 'not_applicable' ? 'does not apply' : 'does not show')
    }
  })

  it.each([
    ['P2', 'models_used', ['gpt-4.1-mini', 'o9']],
    ['P3', 'with_use_case', 4],
    ['L1', 'receipts', 7],
    ['H2', 'decisions', 2],
    ['L2', 'entries_read', 3],
  ])('refuses %s where the log has another %s', async (id, name, value) => {
    const { status, said } = await judge(id, changed(id, withValue(name, value)))
    expect(status).toBe(1)
    expect(said).toContain('values_differ')
  })

  it('refuses a state that does not follow from its values, and tells a changed report by its hash', async () => {
    const { status, said } = await judge(
      'P3',
      changed('P3', () => ({ state: 'pass' })),
    )
    expect(status).toBe(1)
    expect(said).toContain('By its values it is fail.')
    expect(said).toContain('No entry of the export has the hash of this report.')
  })

  it('proves nothing by an export that ends before the report', async () => {
    const { status, said } = await judge('P3', await get('/api/compliance/score', headersOf.key))
    expect(status).toBe(1)
    expect(said).toContain('not all that the report is about')
  })

  it('proves nothing by an export of other days', async () => {
    const today = await get(`/api/compliance/audit-logs?start=${new Date().toISOString().slice(0, 10)}`, headersOf.key)
    const { status, said } = await judge('P3', report, today)
    expect(status).toBe(1)
    expect(said).toContain('The export has not all days from')
  })

  it('draws the sample by the seed of an auditor, and says that no log has a score', async () => {
    const seed = 'a'.repeat(64)
    const score = await get(`/api/compliance/score?seed=${seed}`, headersOf.auditor)
    expect(controlsOf(score).find(({ id }) => id === 'L2')?.evidence.sample?.seed).toBe(seed)
    const { status, said } = await judge('L2', score, await get('/api/compliance/audit-logs', headersOf.auditor))
    expect(status).toBe(1)
    expect(said).toContain('No log has a score.')
    expect(said).toMatch(/valid +control +L2 [^\n]*the log has entries_read \d+; as reported: differing/)
  })

  it.each(['__proto__', 'hasOwnProperty', 'Z1'])('knows no control %s, whatever the report has', async (id) => {
    const forged = changed('P2', () => ({ id, state: 'pass', title: 'Everything is lawful' }))
    expect(await judge(id, forged)).toMatchObject({
      status: 2,
      said: expect.stringContaining('No control is called') as string,
    })
  })

  it('prints its own title, and takes no report with two of a control, or with text that is not well-formed', async () => {
    const { said } = await judge(
      'P3',
      changed('P3', () => ({ title: 'Fine\nvalid  control  L2' })),
    )
    expect(said).not.toContain('Fine')
    expect(
      await judge(
        'P2',
        changed('P3', () => ({ id: 'P2' })),
      ),
    ).toMatchObject({ status: 2 })
    expect(
      await judge(
        'P2',
        changed('P3', () => ({ title: '\ud800' })),
      ),
    ).toMatchObject({
      status: 2,
      said: expect.stringContaining('not well-formed') as string,
    })
  })

  it.each([
    [['--control', 'P2'], 'Use --control and --report together.'],
    [['--report', 'x'], 'Use --control and --report together.'],
  ])('needs both a control and a report: %j', async (args, message) => {
    expect(await verify(keepFile(audit), ...pinned, ...args)).toMatchObject({
      status: 2,
      said: expect.stringContaining(message) as string,
    })
  })

  it('says what is no report', async () => {
    expect(await judge('Z1')).toMatchObject({
      status: 2,
      said: expect.stringContaining('Name one of L1, L2') as string,
    })
    expect(await judge('P2', '{"object":"compliance_report"}')).toMatchObject({
      status: 2,
      said: expect.stringContaining('neither a report') as string,
    })
  })
})

describe('the link of each control', () => {
  it.each(['starter', 'pro', 'healthcare'])(
    'opens with the key and for the auditor who got the score: %s',
    async (tier) => {
      const { key, organisationId } = await gateway.createKey({ tier }, { scopes: ['manage'] })
      const auditor = await signInAs(gateway.service, organisationId, 'auditor')
      for (const headers of [{ authorization: `Bearer ${key}` }, auditor.headers]) {
        const links = new Set(
          controlsOf(await get('/api/compliance/score', headers)).flatMap(({ evidence }) => evidence.link ?? []),
        )
        expect(links.size).toBeGreaterThan(8)
        for (const link of links) {
          const { status } = await gateway.service.fetch(link, { headers })
          expect([link, status]).toEqual([link, 200])
        }
      }
    },
  )
})
