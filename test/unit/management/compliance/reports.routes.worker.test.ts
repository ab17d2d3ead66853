// Reports over their routes: made, told in the ledger, read again to the byte, drawn the same each time, and bounded.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import { verifyHead } from '../../../../src/evidence/records/tree-head.ts'
import { ComplianceReportSchema, type ComplianceReport } from '../../../../src/reports/report/report.schema.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../../../src/platform/time.ts'
import { gzip } from '../../../../src/platform/bytes.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { actsOf, type Asker, errorOf } from '../managed.ts'
import { exportJson, objectOf } from '../export/exported.ts'
import { oversee, readScore } from './overseen.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Made = ComplianceReport & { sha256: string; position: number }

const make = (by: Asker, period: object = {}): Promise<Response> => by.ask('POST', '/api/compliance/report', period)
const draw = (by: Asker, body: object): Promise<Response> => by.ask('POST', '/api/compliance/export', body)

async function made(by: Asker, period: object = {}): Promise<Made> {
  const answer = await make(by, period)
  if (answer.status !== 201) throw new Error(await answer.text())
  return answer.json()
}

describe('a report', () => {
  it('is in the documented shape, and its hash is that of what is read again and of an entry in the ledger', async () => {
    const overseen = await oversee()
    const usage = { inputUncached: 10, cacheRead: 5, cacheWrite: 2, cacheWriteHour: 1, outputVisible: 7, reasoning: 3 }
    await overseen.call({ useCase: 'letters' }, { usage })
    await overseen.organisation.admit(overseen.key)
    const { sha256, position, ...report } = await made(overseen.owner)
    expect(report.usage.totals).toMatchObject({
      requests: 2,
      completed: 1,
      in_flight: 1,
      input_tokens: 18,
      output_tokens: 10,
      cost_eur: 0.001,
      cost_prevented_eur: 0,
    })
    expect(ComplianceReportSchema().safeParse(report).error).toBeUndefined()
    expect(sha256).toBe(sha256Hex(canonicalJson(report)))
    const again = await overseen.owner.ask('GET', `/api/compliance/report/${report.id}`)
    expect(again.headers.get('etag')).toBe(`"${sha256}"`)
    expect(await again.text()).toBe(canonicalJson(report))
    expect(await actsOf(overseen, 'compliance.report')).toMatchObject([
      { actor: overseen.owner.id, report_id: report.id, sha256, start: report.start, end: report.end },
    ])
    expect((await overseen.organisation.find(position)).outcome).toBe('found')
  })

  it('tells of the calls of its days, each day once, and of no other', async () => {
    const overseen = await oversee()
    await overseen.call({ useCase: 'letters' })
    vi.setSystemTime(noon + DAY_MS)
    await overseen.call({ useCase: 'letters' }, { ended: 'failed' })
    await overseen.call()
    const { usage, start, end } = await made(await overseen.signIn('owner'), { start: '2091-03-16', end: '2091-03-16' })
    expect([start, end]).toEqual(['2091-03-16', '2091-03-16'])
    expect(usage.totals).toMatchObject({ requests: 2, completed: 1, failed: 1, cost_eur: 0.002 })
    expect(usage.by_day).toEqual([
      { date: '2091-03-16', requests: 2, held: 0, blocked: 0, suppressed: 0, failed: 1, stopped: 0, cost_eur: 0.002 },
    ])
    expect(usage.by_use_case).toMatchObject([
      { name: null, requests: 1 },
      { name: 'letters', requests: 1 },
    ])
    const before = await made(await overseen.signIn('owner'), { start: '2091-03-15', end: '2091-03-15' })
    expect(before.controls.find(({ id }) => id === 'L1')).toMatchObject({
      state: 'pass',
      evidence: { values: { receipts: 1, counted: 1 } },
    })
  })

  it('says for how long content is kept, and whose data is invented', async () => {
    const { owner } = await oversee({ demo: true, content_logging: { retention_days: 30 } })
    const { retention, demo } = await made(owner)
    expect([demo, retention]).toMatchObject([true, { content_logging: true, content_days: 30 }])
    const other = await made((await oversee()).owner)
    expect([other.demo, other.retention]).toMatchObject([false, { content_logging: false, content_days: null }])
  })

  it('is of its own period where that of another is gathered meanwhile', async () => {
    const overseen = await oversee()
    await overseen.call()
    vi.setSystemTime(noon + DAY_MS)
    await overseen.call()
    const last = utcDay(noon) + 1
    const gathered = await Promise.all(
      [last - 1, last].map((first) => objectOf(overseen).compliance.gather({ first, last, seed: null })),
    )
    expect(gathered.map(({ usage }) => usage.totals.requests)).toEqual([2, 1])
  })

  it('has a signed head of the log as it was, and what people stated', async () => {
    const overseen = await oversee()
    await overseen.owner.ask('PUT', '/api/compliance/statements/X2', {
      text: 'Done.',
      looked_at: 'The register.',
      date: '2091-01-02',
    })
    const { keyId, secretHash } = overseen.key
    const known = await objectOf(overseen).log.readTreeHead({ keyId, secretHash })
    if (known.outcome !== 'admitted') throw new Error(known.outcome)
    const { tree_head: head, position, statements, public_keys: keys } = await made(overseen.owner)
    const root = known.answer.root.toHex()
    expect(head).toMatchObject({ org_id: overseen.organisation.id, tree_size: position, root_hash: root })
    expect(verifyHead(head, { keys: keys.map(({ public_key }) => public_key) })).toMatchObject({ valid: true })
    expect(statements).toEqual([
      {
        subject: 'X2',
        text: 'Done.',
        looked_at: 'The register.',
        cause: null,
        date: '2091-01-02',
        stated_by: overseen.owner.id,
        stated_at: new Date(noon).toISOString(),
      },
    ])
  })

  it('holds a comparison of declared cohorts, each never without what it does not say', async () => {
    const overseen = await oversee()
    await overseen.owner.ask('PUT', '/api/policies', { bias: { cohorts: ['group-a', 'group-b'] } })
    await overseen.call({ cohort: 'group-a' })
    await overseen.organisation.query(
      `INSERT INTO anomalies (kind, series, since, found_at, value, baseline, statistic, threshold)
       VALUES ('failed_rate', 'all', ${noon}, ${noon}, 0.5, 0.1, 9, 8),
              ('failed_rate', 'model:m', ${noon}, ${noon}, 0.6, 0.1, 9, 8)`,
    )
    const { bias, anomalies, controls } = await made(overseen.owner)
    const one = { kind: 'failed_rate', series: 'model:m', since: '2091-03-15T12:00:00Z' }
    expect(anomalies).toMatchObject([{ ...one, alarms: [{ series: 'all' }, one] }])
    expect(controls.find(({ id }) => id === 'M1')?.evidence.values).toMatchObject({ found: 1, unexplained: 1 })
    const exported = await exportJson(overseen.owner, '?section=anomalies')
    expect(exported.anomalies).toMatchObject([{ ...one, alarms: [{ series: 'all' }, one] }])
    const looked = await overseen.organisation.query('SELECT looked_at FROM anomaly_progress')
    expect(looked).toEqual([{ looked_at: noon }])
    expect(bias.map(({ outcome }) => outcome)).toEqual([
      'answered',
      'refused',
      'held',
      'blocked',
      'suppressed',
      'failed',
    ])
    for (const { cannot_show: cannotShow } of bias) expect(cannotShow.join(' ')).toContain('not a finding of')
  })

  it('makes the score of a moment that has been known', async () => {
    const overseen = await oversee()
    const older = await made(overseen.owner)
    vi.setSystemTime(noon + MINUTE_MS)
    const report = await made(overseen.owner)
    vi.setSystemTime(noon + 2 * DAY_MS)
    const owner = await overseen.signIn('owner')
    const then = await readScore(owner, `?at=${new Date(noon + DAY_MS).toISOString()}`)
    expect(then).toMatchObject({ report_id: report.id, checked_at: report.created_at, score: report.score })
    expect(await readScore(owner, `?at=${older.created_at}`)).toMatchObject({ report_id: older.id })
    const answer = await owner.ask('GET', `/api/compliance/score?at=${new Date(noon - 1).toISOString()}`)
    expect(await errorOf(answer)).toMatchObject({ code: 'invalid_request', param: 'at' })
  })

  it('says what is to be decided, the largest risks, and what changed since the last stored report', async () => {
    const overseen = await oversee()
    for (let n = 0; n < 3; n += 1) await overseen.call()
    const first = await made(overseen.owner)
    expect(first.trend).toBe(null)
    expect(first.decisions).toContainEqual(
      expect.objectContaining({ control: 'P1', who: ['owner', 'admin'], by: '2091-03-22' }),
    )
    expect(first.risks.map(({ text }) => text)).toContain(
      'No policy is in force. A key may use any model for any purpose.',
    )
    for (let n = 0; n < 60; n += 1) await overseen.call({ useCase: 'letters' })
    const second = await made(overseen.owner)
    expect(second.trend).toMatchObject({ report_id: first.id, created_at: first.created_at, same_checklist: true })
    expect(second.trend?.now_passing).toContain('P3')
  })

  it('names keys, and members by their role, and nobody who has left', async () => {
    const overseen = await oversee()
    const admin = await overseen.signIn('admin')
    await overseen.call()
    const state = (by: Asker, subject: string) =>
      by.ask('PUT', `/api/compliance/statements/${subject}`, { text: 'Done.', looked_at: 'The register.' })
    await state(overseen.owner, 'X1')
    await state(admin, 'X2')
    expect((await overseen.owner.ask('DELETE', `/api/members/${admin.id}`)).status).toBe(200)
    const { names } = await made(overseen.owner)
    expect(names).toContainEqual({ id: overseen.owner.id, name: 'owner' })
    expect(names.map(({ id }) => id)).not.toContain(admin.id)
    expect(names.filter(({ id }) => id.startsWith('key_')).map(({ id }) => id)).toEqual([overseen.key.keyId])
  })

  it('is made although the last one was damaged where it is stored', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const overseen = await oversee()
    await made(overseen.owner)
    await overseen.organisation.query(`UPDATE reports SET document = x'00'`)
    expect((await made(overseen.owner)).trend).toBe(null)
  })

  it('counts as a head that somebody outside holds', async () => {
    const overseen = await oversee()
    await overseen.call()
    await made(overseen.owner)
    expect((await overseen.controls()).get('L4')).toMatchObject({
      state: 'pass',
      evidence: { values: { act: 'compliance.report' } },
    })
  })

  it('that was altered where it is kept is not handed out', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const overseen = await oversee()
    const report = await made(overseen.owner)
    const path = `/api/compliance/report/${report.id}`
    expect((await overseen.owner.ask('GET', path)).status).toBe(200)
    const { sha256: _, position: __, ...document } = report
    const text = new TextEncoder().encode(canonicalJson({ ...document, score: 100 }))
    const altered = await gzip(Uint8Array.from(text))
    await overseen.organisation.query(`UPDATE reports SET document = x'${altered.toHex()}'`)
    expect(await errorOf(await overseen.owner.ask('GET', path))).toMatchObject({ status: 500, code: 'internal_error' })
    expect(await errorOf(await draw(overseen.owner, { report_id: report.id }))).toMatchObject({ status: 500 })
    expect(logged).toHaveBeenCalled()
  })

  it('is kept as long as details are, and then gone with the day’s cleaning', async () => {
    const overseen = await oversee()
    const { id } = await made(overseen.owner)
    vi.setSystemTime(noon + 366 * DAY_MS)
    const owner = await overseen.signIn('owner')
    expect((await owner.ask('GET', `/api/compliance/report/${id}`)).status).toBe(404)
    expect(await (await owner.ask('GET', '/api/compliance/reports')).json()).toMatchObject({ data: [] })
  })

  it.each([
    [2557, 2557],
    [7, 365],
  ])('kept for %s days has its hash in the ledger for %s', async (days, entryDays) => {
    const overseen = await oversee({ tier: 'enterprise', retention_days: days })
    const { id, sha256, position } = await made(overseen.owner)
    vi.setSystemTime(noon + days * DAY_MS - 1)
    const owner = await overseen.signIn('owner')
    expect((await owner.ask('GET', `/api/compliance/report/${id}`)).status).toBe(200)
    vi.setSystemTime(noon + entryDays * DAY_MS - 1)
    await overseen.organisation.runAlarm()
    expect(await actsOf(overseen, 'compliance.report')).toMatchObject([{ report_id: id, sha256 }])
    expect((await overseen.organisation.find(position)).outcome).toBe('found')
    vi.setSystemTime(noon + entryDays * DAY_MS)
    expect((await overseen.organisation.find(position)).outcome).toBe('not_kept')
  })
})

describe('the list of reports', () => {
  it('is paged, newest first, without what they say', async () => {
    const overseen = await oversee()
    const first = await made(overseen.owner)
    vi.setSystemTime(noon + MINUTE_MS)
    const second = await made(overseen.owner)
    const page = async (query: string) =>
      (await overseen.owner.ask('GET', `/api/compliance/reports${query}`)).json<{
        data: { id: string; sha256: string }[]
        next_cursor: string | null
      }>()
    const { data, next_cursor: cursor } = await page('?limit=1')
    expect(data).toMatchObject([{ id: second.id, object: 'kept_compliance_report', sha256: second.sha256 }])
    expect(await page(`?limit=1&cursor=${cursor ?? ''}`)).toMatchObject({ data: [{ id: first.id }], next_cursor: null })
  })
})

describe('the PDF', () => {
  it('is the same bytes each time that a report is drawn', async () => {
    const { owner } = await oversee()
    const { id } = await made(owner)
    const drawn = async () => sha256Hex(new Uint8Array(await (await draw(owner, { report_id: id })).arrayBuffer()))
    expect(await drawn()).toBe(await drawn())
  })

  it('makes a report first where none is named, and that can be read again', async () => {
    const overseen = await oversee({ tier: 'pro' })
    const answer = await draw(overseen.owner, { start: '2091-03-01', end: '2091-03-15' })
    const drawn = new Uint8Array(await answer.arrayBuffer())
    expect(new TextDecoder().decode(drawn.slice(0, 5))).toBe('%PDF-')
    const id = answer.headers.get('x-aqta-report-id') ?? ''
    const again = await draw(overseen.owner, { report_id: id })
    expect(sha256Hex(new Uint8Array(await again.arrayBuffer()))).toBe(sha256Hex(drawn))
    const report = await (await overseen.owner.ask('GET', `/api/compliance/report/${id}`)).json()
    // The tier has no bias detection: nobody has looked for anomalies.
    expect(report).toMatchObject({ id, start: '2091-03-01', end: '2091-03-15', anomalies: null })
  })

  it('is refused with a report and a period at once', async () => {
    const { owner } = await oversee()
    const refused = await draw(owner, { report_id: `rep_${crypto.randomUUID()}`, start: '2091-03-01' })
    expect(await errorOf(refused)).toMatchObject({ param: 'report_id' })
  })
})

describe('tiers', () => {
  it.each([
    ['free', 'tier_required', 'tier_required'],
    ['starter', 'tier_required', 'tier_required'],
    ['pro', 'tier_required', null],
    ['enterprise', null, null],
  ])('%s: report %s, PDF %s', async (tier, ofReport, ofPdf) => {
    const { owner } = await oversee({ tier })
    const codes = [await make(owner), await draw(owner, {})].map(async (answer) =>
      answer.status < 300 ? null : (await errorOf(answer)).code,
    )
    expect(await Promise.all(codes)).toEqual([ofReport, ofPdf])
  })

  it('come after who asks, and before what is asked', async () => {
    const overseen = await oversee({ tier: 'free' })
    const developer = await overseen.signIn('developer')
    expect((await errorOf(await make(developer))).code).toBe('role_required')
    expect((await errorOf(await make(overseen.owner, { start: 'never' }))).code).toBe('tier_required')
  })
})

describe('limits', () => {
  it('let an organisation make twenty in a day, and say when the next can be made', async () => {
    const overseen = await oversee()
    await overseen.organisation.query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
       INSERT INTO reports SELECT 'rep_' || i, ${noon} - i, ${noon + DAY_MS}, 'usr_1', '', '', '', 0, x'' FROM n`,
    )
    const answer = await make(overseen.owner)
    expect(answer.headers.get('retry-after')).toBe('86400')
    expect((await errorOf(answer)).code).toBe('rate_limit_exceeded')
    vi.setSystemTime(noon + DAY_MS)
    expect((await make(await overseen.signIn('owner'))).status).toBe(201)
  })

  it('let one be made at a time', async () => {
    const { owner } = await oversee()
    const answers = await Promise.all([make(owner), make(owner)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
    expect((await make(owner)).status).toBe(201)
  })

  it('let another be made two minutes after one was begun, and at once where the clock steps back by more', async () => {
    const overseen = await oversee()
    const begin = async (at: number) => {
      vi.setSystemTime(at)
      return (await objectOf(overseen).compliance.beginReport()).outcome
    }
    expect([await begin(noon), await begin(noon + 2 * MINUTE_MS - 1)]).toEqual(['begun', 'running'])
    expect([await begin(noon + 2 * MINUTE_MS), await begin(noon - MINUTE_MS)]).toEqual(['begun', 'begun'])
  })

  it('do not hold a report against the organisation that could not be made', async () => {
    const { owner } = await oversee({}, { ATTESTATION_KEYS: '[]' })
    for (let n = 0; n < 2; n += 1) {
      expect(await errorOf(await make(owner))).toMatchObject({ status: 503, code: 'service_unavailable' })
    }
  })

  it('refuse a period that is too long', async () => {
    const { owner } = await oversee()
    const refused = await make(owner, { start: '2090-01-01', end: '2091-03-15' })
    expect((await errorOf(refused)).code).toBe('invalid_request')
  })
})
