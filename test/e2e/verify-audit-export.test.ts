// An export of audit entries as an auditor gets it: checked with countersign-verify, whole and after somebody has changed it.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashLeaf } from '../../src/evidence/tree/merkle-hash.ts'
import { withKey } from '../support/e2e/deployment.ts'
import { ask, sharedGateway, type Gateway } from '../support/e2e/gateway.ts'
import { keepFile, verify } from '../support/e2e/verify.ts'

type Members = Record<string, unknown>

let gateway: Gateway
let pinned: string
/** Audit exports of two organisations. */
let text: string
let another: string
/** The evidence of the list of calls of the first. */
let selection: string

async function exportsOf(calls: number): Promise<[whole: string, selected: string]> {
  const key = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
  for (let n = 0; n < calls; n += 1) await gateway.chat(key.key, ask('gpt-4.1-mini'))
  await gateway.settlements(key.organisationId, calls)
  const get = async (path: string) => (await gateway.service.fetch(path, withKey(key.key))).text()
  return [await get('/api/compliance/audit-logs'), await get('/api/calls?format=evidence')]
}

beforeAll(async () => {
  gateway = await sharedGateway()
  pinned = await gateway.publicKey()
  ;[text, selection] = await exportsOf(3)
  ;[another] = await exportsOf(3)
})

type Report = { valid: boolean; findings: { kind: string; valid: boolean; code: string | null; line?: number }[] }

async function check(content: string, key = pinned): Promise<{ status: number; report: Report }> {
  const { status, said } = await verify(keepFile(content), '--key', key, '--json')
  return { status, report: JSON.parse(said) as Report }
}

const linesOf = (content: string): string[] => content.trimEnd().split('\n')
const joined = (lines: readonly string[]): string => `${lines.join('\n')}\n`

/** The same with the SHA-256 in its last line that its bytes have now. */
function sealAgain(lines: readonly string[]): string {
  const before = joined(lines.slice(0, -1))
  const end = JSON.parse(lines.at(-1) ?? '') as Members
  return `${before}${JSON.stringify({ ...end, sha256: createHash('sha256').update(before).digest('hex') })}\n`
}

/** A line that is changed, and all that its changer can make right of what is around it. */
function change(at: number, more: (line: Members) => Members): string {
  const lines = linesOf(text)
  const line = JSON.parse(lines.at(at) ?? '') as Members
  return sealAgain(lines.with(at, JSON.stringify({ ...line, ...more(line) })))
}

/** Returns each finding's line number, if it has one, and its code. */
async function faultsOf(content: string): Promise<(string | number)[]> {
  const { status, report } = await check(content)
  expect([status, report.valid]).toEqual([1, false])
  return report.findings.flatMap(({ valid, code, line }) =>
    valid ? [] : line === undefined ? [String(code)] : [line, String(code)],
  )
}

const beginningOtherwise = (signature: string): string =>
  `${signature.startsWith('B') ? 'C' : 'B'}${signature.slice(1)}`

const SOFTWARE = /^leaf \d+: countersign \d+\.\d+\.\d+, source [0-9a-f]{8}, 5 operations; 3 decisions under it$/

const firstReceipt = (): number => linesOf(text).findIndex((line) => line.includes('"kind":"chat_decision"'))

describe('an export', () => {
  it('is valid as it came, with every receipt in it', async () => {
    const { status, report } = await check(text)
    expect(report.findings).toMatchObject([
      { kind: 'head' },
      { kind: 'keys' },
      // In its first hour a log has no anchor.
      { kind: 'anchor', valid: true, code: 'not_anchored' },
      { kind: 'coverage', subject: expect.stringMatching(SOFTWARE) as string },
      { kind: 'coverage', subject: expect.stringContaining('leave no entry: ') as string },
      { kind: 'export' },
    ])
    expect([status, report.valid]).toEqual([0, true])
    expect(text.match(/"kind":"chat_decision"/g)).toHaveLength(3)
    expect(text.match(/"kind":"settlement","at"/g)).toHaveLength(3)
  })

  it('is not valid where somebody withholds an entry and makes its hash again, and says how many there are', async () => {
    const lines = linesOf(text)
    const { index, leaf_hash } = JSON.parse(lines[2] ?? '') as Members
    const withheld = JSON.stringify({ object: 'audit_entry', index, leaf_hash, withheld: 'retention' })
    const end = JSON.parse(lines.at(-1) ?? '') as { entries: number }
    const counted = JSON.stringify({ ...end, entries: end.entries - 1, withheld: 1 })
    const otherwise = lines.with(2, withheld.replace('retention', 'lost')).with(lines.length - 1, counted)
    expect(await faultsOf(sealAgain(otherwise))).toEqual([3, 'members', 'lines_wrong'])
    const told = async (line: string): Promise<unknown> => {
      const { status, report } = await check(sealAgain(lines.with(2, line).with(lines.length - 1, counted)))
      return [status, report.findings.at(-1)]
    }
    const saying = (words: string): object => [
      1,
      { code: 'signature_mismatch', subject: expect.stringMatching(words) as string },
    ]
    expect(await told(withheld)).toMatchObject(saying(', 1 withheld$'))
    const unreadable = withheld.replace('retention', 'unreadable')
    expect(await told(unreadable)).toMatchObject(saying(', 1 withheld, 1 of them unreadable$'))
  })

  it('is not valid where somebody takes signatures out, and says no more of that than was seen', async () => {
    const without = linesOf(text).map((line) => line.replace(/"signature":"[^"]{86}"\}$/, '"signature":null}'))
    const [end = '', ...before] = linesOf(text).toReversed()
    const { status, report } = await check(sealAgain([...without.slice(0, before.length), end]))
    expect([status, report.findings.at(-1)]).toMatchObject([
      1,
      { code: 'signature_mismatch', subject: expect.stringMatching(/, 3 records without a signature$/) as string },
    ])
  })

  it('proves nothing to whoever trusts another key, and needs one', async () => {
    const { status } = await check(text, 'A'.repeat(43))
    expect(status).toBe(1)
    const file = keepFile(text)
    expect(await verify(file)).toMatchObject({ status: 2 })
    expect(await verify(file, '--integrity-only')).toMatchObject({ status: 2 })
    const asRecord = await verify(file, '--key', pinned, '--as', 'record')
    expect(asRecord).toEqual({ status: 2, said: expect.stringContaining('This is an export.') as unknown })
  })
})

describe('the evidence of a list', () => {
  it('is valid as it came, says by which filter it was made, and never that it is whole', async () => {
    const { status, report } = await check(selection)
    expect(report.findings).toMatchObject([
      { kind: 'head' },
      { kind: 'keys' },
      { kind: 'anchor', valid: true, code: 'not_anchored' },
      { kind: 'coverage', subject: expect.stringMatching(SOFTWARE) as string },
      {
        kind: 'selection',
        code: 'selection_only',
        subject: expect.stringMatching(/^calls from \S+ to \S+$/) as string,
      },
      { kind: 'selection', code: null, subject: expect.stringContaining('3 calls, 6 entries, 0 withheld') as string },
    ])
    expect([status, report.valid]).toEqual([0, true])
  })

  it('is not valid where its coverage is taken out, changed or told twice', async () => {
    const lines = linesOf(selection)
    const coverage = lines.find((line) => line.startsWith('{"object":"audit_export.coverage"')) ?? ''
    const at = lines.indexOf(coverage)
    expect(await faultsOf(sealAgain(lines.toSpliced(at, 1)))).toEqual(['signature_mismatch'])
    const altered = coverage.replace(/"audit_path":\["./, '"audit_path":["g')
    expect(await faultsOf(sealAgain(lines.with(at, altered)))).toContain('path_wrong')
    expect(await faultsOf(sealAgain(lines.toSpliced(at, 0, coverage)))).toContain('out_of_order')
  })
})

describe('what somebody has done to an export is told', () => {
  it('cut: within a line, between lines, and before the first', async () => {
    expect(await faultsOf(text.slice(0, -40))).toContain('end_missing')
    expect(await faultsOf(joined(linesOf(text).slice(0, -1)))).toEqual(['end_missing'])
    expect(await faultsOf(joined(linesOf(text).slice(0, 1)))).toEqual(['end_missing'])
  })

  it('a line taken out, doubled or moved', async () => {
    const lines = linesOf(text)
    const [one = '', two = ''] = [lines[2], lines[3]]
    expect(await faultsOf(sealAgain(lines.toSpliced(2, 1)))).toEqual([3, 'leaf_missing', 'lines_wrong'])
    expect(await faultsOf(sealAgain(lines.toSpliced(2, 0, one)))).toEqual([4, 'out_of_order', 'lines_wrong'])
    expect(await faultsOf(sealAgain(lines.toSpliced(2, 2, two, one)))).toContain('out_of_order')
    expect(await faultsOf(sealAgain(lines.toSpliced(-2, 1)))).toEqual(['leaves_missing'])
    expect(await faultsOf(sealAgain(lines.toSpliced(2, 0, '{')))).toEqual([3, 'not_json', 'lines_wrong'])
    expect(await faultsOf(joined([...lines, one]))).toEqual(['line_after_end'])
  })

  it('a line changed: its entry, its content, its kind, its signature, or its members', async () => {
    const at = firstReceipt()
    const number = at + 1
    const otherEntry = (line: Members): Members => {
      const entry = Buffer.from(String(line['entry']), 'base64')
      entry[entry.length - 3] = (entry[entry.length - 3] ?? 0) ^ 1
      return { entry: entry.toString('base64') }
    }
    const told: [(line: Members) => Members, string][] = [
      [otherEntry, 'leaf_mismatch'],
      [({ content }) => ({ content: { ...(content as Members), model: 'another' } }), 'content_mismatch'],
      [() => ({ kind: 'settlement' }), 'content_mismatch'],
      [({ signature }) => ({ signature: beginningOtherwise(String(signature)) }), 'signature_mismatch'],
      [() => ({ verdict: 'harmless' }), 'members'],
      [() => ({ entry: undefined, withheld: 'retention' }), 'members'],
      [() => ({ index: 'one' }), 'not_an_entry'],
      [() => ({ facts: 'none' }), 'not_an_entry'],
      [({ entry }) => ({ entry: `${String(entry)} ` }), 'not_an_entry'],
    ]
    for (const [more, code] of told) expect((await faultsOf(change(at, more))).slice(0, 2)).toEqual([number, code])
    for (const [kind, other] of [
      ['settlement', 'operator_act'],
      ['operator_act', 'settlement'],
      ['operator_act', 'chat_decision'],
      ['operator_act', 'own_kind'],
    ] as const) {
      const own = linesOf(text).findIndex((line) => line.includes(`"kind":"${kind}","at"`))
      expect(await faultsOf(change(own, () => ({ kind: other })))).toEqual([own + 1, 'content_mismatch', 'lines_wrong'])
    }
  })

  it('a line changed with its hash, or withheld with another', async () => {
    const at = linesOf(text).findIndex((line) => line.includes('"kind":"settlement"'))
    const forged = change(at, (line) => {
      const bytes = Buffer.from(String(line['entry']), 'base64')
      const content = { ...(line['content'] as Members), cost_microeur: 1 }
      const entry = Buffer.concat([bytes.subarray(0, 17), Buffer.from(JSON.stringify(content))])
      return { entry: entry.toString('base64'), content, leaf_hash: Buffer.from(hashLeaf(entry)).toString('hex') }
    })
    expect(await faultsOf(forged)).toEqual(['root_mismatch'])
    const lines = linesOf(text)
    const { index } = JSON.parse(lines[at] ?? '') as Members
    const withheld = JSON.stringify({ object: 'audit_entry', index, leaf_hash: '0'.repeat(64), withheld: 'retention' })
    const end = JSON.parse(lines.at(-1) ?? '') as { entries: number }
    const counted = JSON.stringify({ ...end, entries: end.entries - 1, withheld: 1 })
    expect(await faultsOf(sealAgain(lines.with(at, withheld).with(lines.length - 1, counted)))).toEqual([
      'not_proven',
      'root_mismatch',
    ])
  })

  it('a line of another log, and a whole export under another organisation’s head', async () => {
    const at = firstReceipt()
    const others = linesOf(another)
    expect(await faultsOf(sealAgain(linesOf(text).with(at, others[at] ?? '')))).toEqual([
      at + 1,
      'entry_of_another_organisation',
      'lines_wrong',
    ])
    const act = linesOf(text).findIndex((line) => line.includes('"kind":"operator_act"'))
    expect(await faultsOf(sealAgain(linesOf(text).with(act, others[act] ?? '')))).toEqual(['root_mismatch'])
    expect(await faultsOf(sealAgain(linesOf(text).with(0, others[0] ?? '')))).toContain('entry_of_another_organisation')
  })

  it('a head changed: its range, its tree, its organisation, its keys', async () => {
    const head = (more: (line: Members) => Members): Promise<(string | number)[]> => faultsOf(change(0, more))
    expect(await head(() => ({ first: 1 }))).toContain('out_of_order')
    expect(await head(({ end_index }) => ({ end_index: Number(end_index) - 1 }))).toContain('out_of_order')
    expect(await head(() => ({ end_index: 10_000 }))).toContain('range_malformed')
    expect(await head(() => ({ org_id: 'org_of_somebody' }))).toContain('head_of_another_log')
    expect(await head(({ tree_head }) => ({ tree_head: { ...(tree_head as Members), tree_size: 99 } }))).toContain(
      'signature_mismatch',
    )
    expect(await head(() => ({ public_keys: [] }))).toEqual(['not_a_list', 'head_not_valid'])
    expect(await head(() => ({ schema: 'audit-5' }))).toContain('unknown_schema')
    expect(await head(() => ({ note: 'whole' }))).toContain('members')
    expect(await head(() => ({ demo: true }))).toContain('members')
  })

  it('what no leaf covers: a fact, a count, the proof, a space', async () => {
    const at = firstReceipt()
    const lines = linesOf(text)
    const told = JSON.parse(lines[at] ?? '') as { facts: Members }
    const fact = JSON.stringify({ ...told, facts: { ...told.facts, use_case: 'another' } })
    expect(await faultsOf(joined(lines.with(at, fact)))).toEqual([at + 1, 'facts_mismatch', 'lines_wrong'])
    expect(await faultsOf(joined(lines.with(at, `${lines[at] ?? ''} `)))).toEqual(['bytes_changed'])
    const end = (more: Members): string =>
      joined(lines.with(lines.length - 1, JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ''), ...more })))
    expect(await faultsOf(end({ entries: 1 }))).toEqual(['count_mismatch'])
    expect(await faultsOf(end({ withheld: 1 }))).toEqual(['count_mismatch'])
    expect(await faultsOf(end({ next_cursor: 'x' }))).toEqual(['cursor_wrong'])
    expect(await faultsOf(end({ range_proof: ['0'.repeat(64)] }))).toEqual(['proof_malformed'])
    expect(await faultsOf(end({ note: 'whole' }))).toEqual(['members'])
  })
})
