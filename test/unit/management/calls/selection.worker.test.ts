// The evidence of a list: the log entries of the calls that a filter lists, each proven in one signed head, checked without asking
// anybody.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/platform/time.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { hashOf, noon, positionOf, type FactsChange } from '../../organisation/chat-organisation.ts'
import { actsOf, manage, type Asker } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Line = Record<string, unknown> & { object: string; index: number; call: number; content: Record<string, unknown> }

type Selection = { text: string; head: Line; lines: Line[]; end: Record<string, unknown> }

const readLines = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

const textOf = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** The same lines with a SHA-256 that fits: what anybody can make. */
const resealed = (lines: readonly Line[]): string => {
  const others = lines.slice(0, -1)
  return textOf([...others, { ...lines.at(-1), sha256: sha256Hex(textOf(others)) }])
}

/** Reads lines of JSON, which the runtime does not take for text. */
const textIn = async (response: Response): Promise<string> => new TextDecoder().decode(await response.arrayBuffer())

async function select({ ask }: Asker, query = ''): Promise<Selection> {
  const response = await ask('GET', `/api/calls?format=evidence&${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  const text = await textIn(response)
  const [head, ...rest] = readLines(text)
  const end = rest.pop()
  if (head === undefined || end === undefined) throw new Error('the file has no two lines')
  return { text, head, lines: rest.filter(({ object }) => object === 'audit_entry'), end }
}

const codeOf = async (response: Response): Promise<unknown[]> => [
  response.status,
  (await response.json<{ error: { code: string } }>()).error.code,
]

const RULES = {
  human_approval: { when: [{ use_cases: ['triage'] }], expires_seconds: 3600 },
  model_allowlist: { models: ['gpt-4.1-mini'] },
}

/** An organisation with rules, its owner, and the public key as the Worker chooses it. */
async function ruled() {
  const managed = await manage({ tier: 'healthcare' })
  const { organisation } = managed
  const owner = await managed.signIn('owner')
  expect((await owner.ask('PUT', '/api/policies', RULES)).status).toBe(200)
  const published = await organisation.service.fetch('/v1/attestation/public-key')
  const { public_key: publicKey } = await published.json<{ public_key: string }>()
  const key = await organisation.issueKey()
  const admit = (more: FactsChange = {}) => organisation.admit(key, { publicKey, ...more })
  return { managed, organisation, owner, key, publicKey, admit }
}

type Ruled = Awaited<ReturnType<typeof ruled>>

/** A passed, a failed and a blocked call, one that an owner approved, and one that an owner denied. */
async function makeCalls({ organisation, owner, admit }: Ruled): Promise<void> {
  await organisation.settle(positionOf(await admit()), 5)
  await organisation.settle(positionOf(await admit()), 0, { ended: 'failed', errorCause: 'status' })
  await admit({ model: 'gpt-4.1' })
  for (const decision of ['approve', 'deny']) {
    const request = { useCase: 'triage', requestHash: hashOf(decision) }
    const approval = approvalOf(await admit(request))
    const decided = await owner.ask('POST', `/api/approvals/${approval}/decision`, { decision })
    expect(decided.status).toBe(200)
    if (decision === 'approve') await organisation.settle(positionOf(await admit({ ...request, approval })), 7)
  }
}

function check(text: string, publicKey: string) {
  const report = new FindingsReport()
  const checking = new LinesCheck(report, { ...NO_OPTIONS, trust: { keys: [publicKey] } })
  for (const line of text.trimEnd().split('\n')) checking.take(new TextEncoder().encode(line))
  checking.end()
  const { verdict, findings } = report.toJson()
  const codes = findings.flatMap(({ valid, code }) => (valid || code === null ? [] : [code]))
  return { verdict, codes, findings }
}

/** What each line has, by the position of its call. */
const kindsOf = ({ lines }: Selection) =>
  [...Map.groupBy(lines, ({ call }) => call).values()].map((of) =>
    of.map(({ kind, content }) => content['outcome'] ?? content['step'] ?? kind),
  )

describe('the evidence of a list', () => {
  it('has the decision of each call, its settlement, and who decided, proven in one head', async () => {
    const made = await ruled()
    await makeCalls(made)
    const { owner, publicKey } = made
    const whole = await select(owner)
    expect(kindsOf(whole)).toEqual([
      ['BLOCKED', 'decided'],
      ['ALLOWED', 'settlement', 'BLOCKED', 'decided'],
      ['BLOCKED'],
      ['ALLOWED', 'settlement'],
      ['ALLOWED', 'settlement'],
    ])
    expect(whole.head).toMatchObject({ object: 'selection_export.head', schema: 'selection-1', filter: {} })
    expect(whole.end).toMatchObject({ calls: 5, entries: 11, withheld: 0, unreadable: 0, next_cursor: null })
    const { verdict, findings } = check(whole.text, publicKey)
    expect(findings.filter(({ valid }) => !valid)).toEqual([])
    expect(verdict).toBe('valid')
    const told = findings.map((finding) => ('subject' in finding ? [finding.kind, finding.subject, finding.code] : []))
    expect(told).toContainEqual(['selection', 'calls from 2091-02-14 to 2091-03-15', 'selection_only'])
    expect(told.at(-1)?.[1]).toMatch(/ in a log of \d+ leaves: 5 calls, 11 entries, 0 withheld$/)
    expect(JSON.stringify(findings)).not.toMatch(/leave no entry|complete/)
  })

  it('has just what its filter lists, by each of its members', async () => {
    const made = await ruled()
    await makeCalls(made)
    const { owner, publicKey, key } = made
    const { lines: all } = await select(owner)
    for (const [query, calls] of [
      ['outcome=held', 1],
      ['outcome=passed&ending=failed', 1],
      ['ending=completed,blocked', 3],
      ['rule=model_allowlist&reason=model_not_in_policy&model=gpt-4.1', 1],
      ['reason=status', 1],
      [`key_id=${key.id}&use_case=triage`, 2],
      ['q=TRIAGE', 2],
      [`cursor=${all[0]?.index}`, 4],
      ['use_case=other', 0],
      ['end=2091-03-14', 0],
    ] as const) {
      const selection = await select(owner, query)
      expect([query, selection.end['calls'], check(selection.text, publicKey)]).toMatchObject([
        query,
        calls,
        { verdict: 'valid', codes: [] },
      ])
    }
  })

  it('is valid by whatever its text found calls', async () => {
    const made = await ruled()
    await makeCalls(made)
    const { owner, publicKey } = made
    const { lines } = await select(owner)
    const settlement = lines.find(({ kind }) => kind === 'settlement')
    const hash = String(lines[0]?.content['request_hash'])
    for (const [q, calls] of [
      ['test key', 5],
      [hash, 1],
      [hash.slice(0, 12), 1],
      [String(settlement?.index), 1],
      ['not_in_policy', 1],
      ['status', 1],
    ] as const) {
      const { text, end } = await select(owner, `q=${encodeURIComponent(q)}`)
      const { verdict, findings } = check(text, publicKey)
      expect([q, end['calls'], verdict]).toEqual([q, calls, 'valid'])
      expect(JSON.stringify(findings)).toContain(`q ${q} (not compared with entries)`)
    }
  })

  it('is in the log at both ends, and among the files made', async () => {
    const made = await ruled()
    await makeCalls(made)
    const { owner, managed } = made
    const { head, end } = await select(owner, 'outcome=held&start=2091-03-01')
    const id = head['export_id']
    const asked = { export_id: id, start: '2091-03-01', end: '2091-03-15', filter: { outcome: 'held' } }
    expect(await actsOf(managed, 'compliance.audit_export')).toMatchObject([{ actor: owner.id, ...asked }])
    expect(await actsOf(managed, 'compliance.audit_export_end')).toMatchObject([
      { export_id: id, complete: true, calls: 1, entries: 2, sha256: end['sha256'] },
    ])
    const list = await owner.ask('GET', '/api/compliance/exports')
    expect((await list.json<{ data: object[] }>()).data).toMatchObject([
      { kind: 'selection', format: 'evidence', start: '2091-03-01', complete: true, entries: 2, sha256: end['sha256'] },
    ])
  })

  it('is for whoever may export the log, in lower tiers of the calls that they see, and one at a time', async () => {
    const { managed, owner, admit, publicKey } = await ruled()
    const evidence = '/api/calls?format=evidence'
    for (let n = 0; n < 60; n += 1) await admit({ model: 'gpt-4.1' })
    expect(await codeOf(await (await managed.signIn('developer')).ask('GET', evidence))).toEqual([403, 'role_required'])
    const running = await owner.ask('GET', evidence)
    expect(await codeOf(await owner.ask('GET', evidence))).toEqual([409, 'conflict'])
    expect(await codeOf(await owner.ask('GET', '/api/compliance/audit-logs'))).toEqual([409, 'conflict'])
    expect(check(await textIn(running), publicKey).verdict).toBe('valid')

    const lower = await manage({ tier: 'free' })
    const lowerKey = await lower.organisation.issueKey()
    for (let n = 0; n < 51; n += 1) {
      // Five calls a minute, which is the tier's rate.
      vi.setSystemTime(noon + n * 13_000)
      await lower.organisation.admit(lowerKey, { publicKey })
    }
    const { end } = await select(await lower.signIn('owner'))
    expect(end).toMatchObject({ calls: 50, next_cursor: expect.any(String) as string })
    const filtered = await (await lower.signIn('owner')).ask('GET', `${evidence}&outcome=passed`)
    expect((await filtered.json<{ error: { code: string } }>()).error.code).toBe('tier_required')
  })

  it('is not proven where a settlement is not shown within its retention', async () => {
    const { owner, admit, publicKey } = await ruled()
    await admit()
    const running = await select(owner)
    expect(check(running.text, publicKey).codes).toEqual([])
    vi.setSystemTime(noon + HOUR_MS + 60_000)
    const later = await select(owner)
    expect(kindsOf(later)).toEqual([['ALLOWED']])
    expect(check(later.text, publicKey).codes).toEqual(['not_proven', 'not_proven'])
  })

  it('is not proven by an earlier date where a later call shows that a settlement is left out', async () => {
    const { owner, admit, organisation, publicKey } = await ruled()
    await organisation.settle(positionOf(await admit()), 5)
    vi.setSystemTime(noon + 2 * HOUR_MS)
    await admit({ model: 'gpt-4.1' })
    const [head, ...rest] = readLines((await select(owner)).text)
    const without = rest.filter(({ kind }) => kind !== 'settlement')
    const dated = { ...head, created_at: new Date(noon).toISOString() } as Line
    expect(check(resealed([dated, ...without]), publicKey).codes).toContain('not_proven')
  })

  it('has the leaf of a refusal whose time is over, while its run is still kept', async () => {
    const { managed, organisation, owner, admit, publicKey } = await ruled()
    const request = { useCase: 'triage', requestHash: hashOf('a letter') }
    const approval = approvalOf(await admit(request))
    vi.setSystemTime(noon + HOUR_MS / 2)
    await owner.ask('POST', `/api/approvals/${approval}/decision`, { decision: 'approve' })
    await organisation.settle(positionOf(await admit({ ...request, approval })), 7)
    const before = await select(owner)
    const [run, settled, refusal] = before.lines as [Line, Line, Line]
    const { retention_days: days } = run['facts'] as { retention_days: number }
    vi.setSystemTime(noon + days * DAY_MS + HOUR_MS / 4)
    const { text, lines, end } = await select(await managed.signIn('auditor'), 'start=2091-03-15&end=2091-03-15')
    expect(end).toMatchObject({ calls: 1, entries: 3, withheld: 1 })
    const { index, call } = refusal
    expect(lines[2]).toMatchObject({ index, leaf_hash: refusal['leaf_hash'], withheld: 'retention', call })
    expect(check(text, publicKey).verdict).toBe('valid')
    const early = readLines(before.text).with(3, { ...lines[2], index: settled.index } as Line)
    expect(check(resealed(early), publicKey).codes).toContain('path_wrong')
  })
})

describe('a forged selection', () => {
  it('is not valid, whatever was swapped, doubled, moved or edited', async () => {
    const made = await ruled()
    await makeCalls(made)
    const { owner, publicKey } = made
    const { text, lines } = await select(owner)
    const other = readLines((await select(owner, 'outcome=held')).text)
    const file = readLines(text)
    const at = (line: Line | undefined): number =>
      file.findIndex(({ index, call }) => index === line?.index && call === line.call)
    const [denied, , run, settled, refusal, approved, blocked] = lines
    const settledOther = lines.at(-1)
    const forge = (forged: readonly Line[]) => check(resealed(forged), publicKey).codes
    const without = (line: Line | undefined) => file.toSpliced(at(line), 1)
    const edited = (line: Line | undefined, change: object) =>
      file.with(at(line), { ...file[at(line)], ...change } as Line)
    expect(forge(file)).toEqual([])

    expect(forge([...other.slice(0, 1), ...file.slice(1)])).toContain('path_wrong')
    expect(forge(file.toSpliced(at(blocked), 0, blocked as Line))).toContain('out_of_order')
    expect(forge(file.toSpliced(at(settled), 0, settled as Line))).toContain('settles_another')
    expect(forge(file.toSpliced(at(refusal), 0, refusal as Line))).toContain('of_another_call')
    expect(forge(file.toSpliced(at(approved), 0, approved as Line))).toContain('of_another_call')
    expect(forge([...without(blocked).slice(0, -1), blocked as Line, file.at(-1) as Line])).toContain('out_of_order')
    expect(forge(edited(settled, { audit_path: settledOther?.['audit_path'] }))).toContain('path_wrong')
    expect(forge(edited(settled, { ...settledOther, call: run?.index }))).toContain('settles_another')
    expect(forge(edited(refusal, { ...denied, call: run?.index }))).toContain('of_another_call')
    expect(forge(edited(refusal, { call: blocked?.index }))).toContain('of_another_call')
    expect(forge(edited(run, { facts: { ...(run?.['facts'] as object), key_id: 'key_x' } }))).toContain(
      'facts_mismatch',
    )
    expect(forge(edited(run, { at: '2091-03-15T12:00:01.000Z' }))).toContain('at_differs')
    expect(forge(edited(settled, { withheld: 'retention' }))).toContain('members')
    for (const line of [null, 7, {}, { object: 'audit_entry' }, { ...run, index: -1 }, { ...run, index: 1e15 }]) {
      expect(forge(file.toSpliced(3, 0, line as unknown as Line))).not.toEqual([])
    }
    expect(check(textOf(without(blocked)), publicKey).codes).toContain('count_mismatch')
    const [head, ...rest] = file
    for (const filter of [{ outcome: 'held' }, { ending: 'denied' }, { cursor: '3' }]) {
      expect(forge([{ ...head, filter } as Line, ...rest])).toContain('filter_mismatch')
    }
    for (const change of [{ filter: { team: 'a' } }, { filter: { outcome: 1 } }, { filter: [] }, { start: 'x' }]) {
      expect(forge([{ ...head, ...change } as Line, ...rest])).toEqual(['filter_malformed', 'head_not_valid'])
    }
    for (const change of [
      { start: '2091-03-15' },
      { filter: { q: 'nothing' } },
      { created_at: '2091-03-15T12:00:00.001Z' },
    ]) {
      expect(forge([{ ...head, ...change } as Line, ...rest])).toEqual(['signature_mismatch'])
    }
    const end = (change: object) => [...file.slice(0, -1), { ...file.at(-1), ...change } as Line]
    expect(forge(end({ calls: 4 }))).toEqual(['count_mismatch'])
    expect(forge(end({ next_cursor: String(Number(denied?.index) + 1) }))).toEqual(['cursor_wrong'])
    expect(forge(end({ unreadable: 1 }))).toEqual(['signature_mismatch'])
    expect(forge(end({ next_cursor: '1' }))).toEqual(['signature_mismatch'])
  })

  it('makes no export of the whole log, and such an export makes no selection', async () => {
    const made = await ruled()
    await makeCalls(made)
    const { owner, publicKey } = made
    const selection = readLines((await select(owner)).text)
    const whole = readLines(await textIn(await owner.ask('GET', '/api/compliance/audit-logs')))
    const named = (lines: readonly Line[], from: string, to: string): Line[] =>
      lines.map((line) => (line.object.startsWith(from) ? { ...line, object: line.object.replace(from, to) } : line))
    const forged = [
      named(selection, 'selection_export.', 'audit_export.'),
      named(whole, 'audit_export.', 'selection_export.'),
      [...selection.slice(0, 1), ...whole.slice(1)],
      [...whole.slice(0, 1), ...selection.slice(1)],
      [...whole.slice(0, 1), ...selection.slice(1, -1), whole.at(-1) as Line],
      [...selection.slice(0, 1), ...whole.slice(1, -1), selection.at(-1) as Line],
    ]
    for (const lines of forged) expect(check(resealed(lines), publicKey).verdict).toBe('invalid')
  })
})
