// What a log says that it covers: the published vectors, exports whose entries the service itself made wrong, lines of earlier
// entries that somebody changed, and bundles.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { canonicalJson, type Json } from '../../../../src/evidence/records/canonical-json.ts'
import { coverageKey, readCoverage } from '../../../../src/evidence/records/coverage-entry.ts'
import { commitToFacts } from '../../../../src/evidence/records/facts-commitment.ts'
import { contentOf } from '../../../../src/evidence/entry.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { appendLeaf, EMPTY_FRONTIER, rootOf } from '../../../../src/evidence/tree/frontier.ts'
import { checkBundle } from '../../../../src/evidence/verify/check-call-evidence.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import vectors from '../../../fixtures/coverage/coverage.json'
import {
  AT,
  decision,
  earlierLine,
  FIRST,
  makeCoveredBundle,
  makeCoveredLines,
  makeLog,
  own,
  plain,
  SECOND,
  UNDER,
  type LogChange,
} from '../../../fixtures/evidence/invented-coverage.ts'
import { DAY, growTree, makeEvidence, oldKey } from '../../../fixtures/evidence/invented-evidence.ts'
import { exportOf, finished, withheldLine, type Leaf, type Line } from '../../../fixtures/evidence/invented-export.ts'

describe('the published vectors', () => {
  it.each(Object.entries(vectors.entries))(
    '%s: entry, leaf, key and form',
    (_, { content, canonical, entry, ...expected }) => {
      const bytes = decodeBase64url(entry) ?? new Uint8Array()
      expect(contentOf(bytes)).toEqual(content)
      expect(canonicalJson(content as Json)).toBe(canonical)
      expect(bytesToHex(hashLeaf(bytes))).toBe(expected.leaf_hash)
      expect(coverageKey(content, sha256Hex)).toBe(expected.key)
      expect(readCoverage(content)?.decides.length).toBe(content.decides.length)
    },
  )

  it('agree on the ids of decisions and on the root', () => {
    for (const { facts, facts_sha256: sha256, attestation_id } of Object.values(vectors.log.decisions)) {
      expect(commitToFacts(facts)).toMatchObject({ sha256, attestationId: attestation_id })
    }
    const frontier = vectors.log.leaves.reduce((grown, leaf) => appendLeaf(grown, hexToBytes(leaf)), EMPTY_FRONTIER)
    expect(bytesToHex(rootOf(frontier))).toBe(vectors.log.root)
  })

  it('have one key for entries that differ only in policy, days, time and kind', () => {
    const other = { ...FIRST, at: '2030-01-01T00:00:00.000Z', policy_version: 9, retention_days: 4000 }
    expect(coverageKey(other, sha256Hex)).toBe(coverageKey(FIRST, sha256Hex))
    expect(coverageKey({ ...FIRST, settles_within_s: 901 }, sha256Hex)).not.toBe(coverageKey(FIRST, sha256Hex))
  })
})

/** A change of a member, or of a member's member. */
const MALFORMED: Record<string, (content: typeof FIRST) => object> = {
  'v is coverage-2': () => ({ v: 'coverage-2' }),
  'a member more': () => ({ more: 1 }),
  'a member less': () => ({ reads: undefined }),
  'decides is not sorted': ({ decides }) => ({ decides: decides.toReversed() }),
  'an operation twice': ({ decides }) => ({ decides: [decides[0], ...decides] }),
  'an operation that writes nothing': ({ decides: [one, ...more] }) => ({ decides: [{ ...one, writes: [] }, ...more] }),
  'source_sha256 has 63 digits': ({ software }) => ({
    software: { ...software, source_sha256: software.source_sha256.slice(1) },
  }),
  'a worker without its tag': ({ software }) => ({ software: { ...software, worker: { id: 'x', uploaded_at: 'y' } } }),
  'a code twice': ({ writes_none: rows }) => ({ writes_none: [...rows, rows[1]] }),
  'at_least is false': ({ writes_none: [one, ...more] }) => ({ writes_none: [{ ...one, at_least: false }, ...more] }),
  'endpoints are not sorted': ({ endpoints }) => ({ endpoints: { ...endpoints, off: endpoints.off.toReversed() } }),
  'the policy version is no number': () => ({ policy_version: '3' }),
  'no day is one that it is kept': () => ({ retention_days: 0 }),
  'a form is no text': ({ forms }) => ({ forms: { ...forms, record: 1 } }),
  'the catalogue is in capitals': ({ catalogue }) => ({ catalogue: catalogue.toUpperCase() }),
  'a kind is twice in also': ({ also }) => ({ also: [also[0], ...also] }),
  'an endpoint is both on and off': () => ({ endpoints: { on: ['openai'], off: ['openai'] } }),
  'nothing is said of what is sent': () => ({ at_capacity: { status: 503 } }),
  'a member is that of every object': ({ software }) => ({ software: { ...software, hasOwnProperty: 'name' } }),
  'a list is longer than any that is written': () => ({
    reads: Array.from({ length: 101 }, (_, n) => `read${1000 + n}`),
  }),
  'rows share a code': ({ writes_none: [one] }) => ({ writes_none: [one, { ...one, why: 'not_run' }] }),
  'a row has another member': ({ writes_none: [one, ...more] }) => ({
    writes_none: [{ ...one, operations: ['createResponse'] }, ...more],
  }),
}

it('may have a reason that only a newer version knows', () => {
  const [row] = FIRST.writes_none
  expect(readCoverage({ ...FIRST, writes_none: [{ ...row, why: 'of_a_newer_version' }] })).not.toBeNull()
})

it('is of the form only as a coverage entry, and with a time', () => {
  expect(readCoverage(FIRST)).not.toBeNull()
  expect(readCoverage({ ...FIRST, at: '2026-11-27' })).toBeNull()
  expect(readCoverage({ ...FIRST, kind: 'approval' })).toBeNull()
})

function reportOn(lines: readonly Line[]) {
  const report = new FindingsReport()
  const check = new LinesCheck(report, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } })
  for (const line of lines) check.take(new TextEncoder().encode(JSON.stringify(line)))
  check.end()
  return report.toJson()
}

const verdictOf = (lines: readonly Line[]): string => reportOn(lines).verdict

type File = { leaves: readonly Leaf[]; from?: number; change?: (lines: Line[]) => readonly Line[]; schema?: string }

/** Returns the verdict, then each code with its leaf; and the subjects of what is said of coverage. */
async function checked({ leaves, from = 0, change = (lines) => lines, schema = 'audit-4' }: File) {
  const lines = await exportOf({ leaves, head: { schema, first: from } })
  const made = change(lines)
  const withheld = made.slice(0, -1).filter((line) => 'withheld' in line).length
  const entries = made.filter(({ object }) => object === 'audit_entry').length - withheld
  const signed = await finished([...made.slice(0, -1), { ...made.at(-1), entries, withheld } as Line])
  const { verdict, findings } = reportOn(signed)
  const codes = findings.flatMap((finding) => {
    const [leaf] = /^leaf \d+/.exec('subject' in finding ? finding.subject : '') ?? []
    return finding.code === null ? [] : [leaf === undefined ? finding.code : `${leaf} ${finding.code}`]
  })
  const said = findings.flatMap((one) => (one.kind === 'coverage' && one.code === null ? [one.subject] : []))
  return { found: [verdict, ...codes], said }
}

const found = async (file: File): Promise<string[]> => (await checked(file)).found

describe('an export', () => {
  it('says which software wrote its decisions, and what leaves no entry with the counts of the file', async () => {
    const counts = {
      from: 0,
      hour: `${DAY}05:00:00.000Z`,
      facts_form: 'facts-1',
      coverage_form: 'coverage-1',
      retention_days: 365,
      allowed: 3,
      blocked: 0,
      suppressed: 0,
      referrals: { ask: 1 },
      readings: 0,
      refused: { scope: 1, closing: 0, rate: 4, quota: 2, budget: 1 },
      other_calls: 7,
    }
    const { found: verdict, said } = await checked({
      leaves: await makeLog({ counts: { ...counts, coverage_form: undefined } }),
    })
    expect(verdict).toEqual(['valid'])
    expect(said).toEqual([
      'leaf 1: countersign 0.1.0, source d9321197, worker 0d8e1c52, 3 operations; 3 decisions under it',
      'leaf 3: countersign 0.2.0, source 1a31f90f, worker 7b3f9e21, 4 operations; 1 decision under it',
      'calls that leave no entry: no valid key (not counted); faulty requests (other_calls); requests over a limit (refused.rate, refused.quota, refused.budget); requests that are not allowed (refused.scope, refused.closing); faults of the service before a decision (other_calls); repeated requests (other_calls). Counted here: other_calls at least 7, refused.rate at least 4, refused.quota 2, refused.budget 1, refused.scope 1, refused.closing 0',
    ])
    expect(await found({ leaves: await makeLog({ counts, under: [UNDER[0] ?? {}, UNDER[1] ?? {}, {}] }) })).toContain(
      'leaf 5 coverage_missing',
    )
  })

  const WRONG: [string, LogChange, string][] = [
    ['a decision that names itself', { under: [{ ...UNDER[0], coverage: 2 }] }, 'leaf 2 coverage_mismatch'],
    ['a decision that names an act', { under: [{ ...UNDER[0], coverage: 0 }] }, 'leaf 2 coverage_mismatch'],
    ['a decision that names a later entry', { under: [{ ...UNDER[0], coverage: 3 }] }, 'leaf 2 coverage_mismatch'],
    ['a position that is a text', { under: [{ ...UNDER[0], coverage: '1' }] }, 'leaf 2 coverage_mismatch'],
    ['a decision that names none', { under: [{}] }, 'leaf 2 coverage_missing'],
    [
      'an operation of another build',
      { under: [UNDER[0] ?? {}, UNDER[1] ?? {}, { coverage: 1, operation: 'createMessage' }] },
      'leaf 5 operation_undeclared',
    ],
    ['no operation', { under: [{ coverage: 1 }] }, 'leaf 2 operation_undeclared'],
    [
      'an operation that writes another kind',
      { under: [{ coverage: 1, operation: 'readReferral' }] },
      'leaf 2 operation_undeclared',
    ],
    [
      'a referral under a build that reads none',
      { referral: { operation: 'createResponse' } },
      'leaf 6 operation_undeclared',
    ],
    ['a referral that names none', { referral: { coverage: undefined } }, 'leaf 6 coverage_missing'],
  ]
  it.each(WRONG)('is not valid with %s', async (_, change, code) => {
    expect(await found({ leaves: await makeLog(change) })).toEqual(['invalid', code, 'lines_wrong'])
  })

  it.each(Object.entries(MALFORMED))('is not valid where of a coverage entry %s', async (_, change) => {
    const leaves = await makeLog({ first: change(structuredClone(FIRST)) })
    expect(await found({ leaves })).toEqual(['invalid', 'leaf 1 coverage_malformed', 'lines_wrong'])
  })

  it('is not valid where the entry is withheld and a decision under it is kept', async () => {
    const change = (lines: Line[]) => lines.map((line) => (line['index'] === 1 ? withheldLine(line) : line))
    expect(await found({ leaves: await makeLog(), change })).toContain('leaf 2 coverage_withheld')
  })

  it('says that the entry is not here where nobody could read it', async () => {
    const unreadable = (line: Line): Line => ({ ...withheldLine(line), withheld: 'unreadable' })
    const change = (lines: Line[]) => lines.map((line) => (line['index'] === 1 ? unreadable(line) : line))
    const codes = (await found({ leaves: await makeLog(), change })).join()
    expect(codes).toMatch(/coverage_elsewhere/)
    expect(codes).not.toMatch(/coverage_withheld/)
  })

  it('adds up counts of shown entries only, and says so where some are withheld', async () => {
    const counts = { from: 7, refused: { scope: 1 }, other_calls: 2, at: AT }
    const leaves = [...(await makeLog()), own('hour_counts', counts), own('member_act', { act: 'keys.create' })]
    const change = (lines: Line[]) => lines.map((line) => (line['index'] === 8 ? withheldLine(line) : line))
    expect((await checked({ leaves, change })).said.at(-1)).toContain(
      '. Counted here: other_calls at least 2, refused.scope at least 1',
    )
    expect((await checked({ leaves: await makeLog() })).said.at(-1)).toMatch(/Counted here: nothing$/)
  })

  it('of a log from before says nothing, and of a newer one that its decisions name none', async () => {
    const before = [own('member_act', { act: 'keys.create' }), await decision('a', {})]
    expect(await found({ leaves: before, schema: 'audit-3' })).toEqual(['valid'])
    expect(await found({ leaves: before })).toEqual(['valid', 'coverage_absent'])
    const upgraded = [
      ...before,
      own('coverage', FIRST),
      await decision('b', { coverage: 2, operation: 'createResponse' }),
    ]
    expect(await found({ leaves: upgraded })).toEqual(['valid', 'coverage_absent'])
    expect(await found({ leaves: [...upgraded, await decision('c', {})] })).toContain('leaf 4 coverage_missing')
  })
})

describe('the published forgeries', () => {
  /** A log, and a change of the lines that are made of it. Positions are one more than in the vectors. */
  type Forgery = { change: LogChange; inLines?: (lines: Line[]) => Line[] }
  const [chat, , response] = UNDER
  const at1 = (coverage: number): Forgery => ({ change: { under: [{ ...chat, coverage }] } })
  const first = (change: object): Forgery => ({ change: { first: change } })
  const [, faulty] = FIRST.writes_none
  const FORGED: Readonly<Record<string, Forgery>> = {
    'the decision at 1 says coverage 1': at1(2),
    'the decision at 3 says coverage 3': {
      change: { under: [chat ?? {}, { coverage: 4, operation: 'createMessage' }] },
    },
    'the decision at 1 says coverage 2: an entry after it': at1(3),
    'the decision at 4 has no coverage': { change: { under: [...UNDER.slice(0, 2), { operation: 'createResponse' }] } },
    'the decision at 4 says operation createMessage under coverage 0': {
      change: { under: [...UNDER.slice(0, 2), { ...response, operation: 'createMessage' }] },
    },
    'a referral_decision follows under a coverage whose decides has none': first({
      decides: FIRST.decides.filter(({ operation }) => operation !== 'readReferral'),
    }),
    'decides is not sorted by operation': first({ decides: FIRST.decides.toReversed() }),
    'v is coverage-2': first({ v: 'coverage-2' }),
    'source_sha256 has 63 digits': first({ software: { ...FIRST.software, source_sha256: 'a'.repeat(63) } }),
    'writes_none names model_not_found twice': first({
      writes_none: [...FIRST.writes_none, { ...faulty, codes: ['model_not_found'] }],
    }),
    'the entry at 0 is withheld while a decision under it is kept': {
      change: {},
      inLines: (lines) => lines.map((line) => (line['index'] === 1 ? withheldLine(line) : line)),
    },
  }

  it.each(vectors.refused as [string, string][])('%s: %s', async (name, code) => {
    const { change, inLines } = FORGED[name] ?? { change: {} }
    const [verdict, ...codes] = await found({ leaves: await makeLog(change), ...(inLines && { change: inLines }) })
    expect(verdict).toBe('invalid')
    expect(codes.join()).toContain(code)
  })
})

describe('the line of an entry before the range', async () => {
  const leaves = await makeLog()
  const tree = growTree(leaves.map(({ entry }) => hashLeaf(entry)))
  const earlier = (index: number, change?: object): Line => earlierLine(leaves, index, change)

  /** A file from position 4 on, with these lines after its head. */
  const foundWith = (...lines: Line[]): Promise<string[]> =>
    found({ leaves, from: 4, change: ([head, ...others]) => [head as Line, ...lines, ...others] })

  it('proves the entry that decisions name; without it, the file says so', async () => {
    expect(await foundWith(earlier(1), earlier(3))).toEqual(['valid'])
    expect(await foundWith(earlier(1))).toEqual(['valid', 'coverage_elsewhere'])
    expect(await foundWith()).toEqual(['valid', 'coverage_elsewhere'])
  })

  it('comes before the first line that names it, also after other lines', async () => {
    const change = ([head, , ...others]: Line[]) => [head as Line, others[0] as Line, earlier(1), ...others.slice(1)]
    const between = await checked({
      leaves,
      from: 3,
      change: ([head, ...others]) => [head as Line, ...others.slice(0, 2), earlier(1), ...others.slice(2)],
    })
    expect(between.found).toEqual(['valid'])
    expect(between.said.map((subject) => subject.slice(0, 6))).toEqual(['leaf 1', 'leaf 3', 'calls '])
    expect(await found({ leaves, from: 3, change })).toContain('invalid')
  })

  it('cannot be left out to hide that a later decision names none', async () => {
    const hiding = await makeLog({ under: [UNDER[0] ?? {}, UNDER[1] ?? {}, {}] })
    expect(await found({ leaves: hiding, from: 4 })).toContain('leaf 5 coverage_missing')
  })

  it('is no entry that is counted, and is under the hash of the last line', async () => {
    const lines = await finished(await makeCoveredLines())
    expect(lines.at(-1)).toMatchObject({ entries: 3, withheld: 0 })
    expect(reportOn(lines).findings.filter(({ valid }) => !valid)).toEqual([])
    expect(verdictOf(lines)).toBe('valid')
    expect(verdictOf(lines.toSpliced(1, 1))).toBe('invalid')
    expect(verdictOf(lines.with(1, lines[2] as Line).with(2, lines[1] as Line))).toBe('invalid')
    expect(verdictOf([...lines.slice(0, 1), ...lines.slice(3, -1), ...lines.slice(1, 3), ...lines.slice(-1)])).toBe(
      'invalid',
    )
    expect(verdictOf([...lines, lines[1] as Line])).toBe('invalid')
  })

  const path = tree.inclusion(1).audit_path
  const other = (earlier(3)['entry'] ?? '') as string
  it.each([
    ['another path', { audit_path: tree.inclusion(3).audit_path }, 'path_wrong'],
    ['no path', { audit_path: [] }, 'path_wrong'],
    ['a path that is no list', { audit_path: null }, 'path_wrong'],
    ['a hash less', { audit_path: path.slice(1) }, 'path_wrong'],
    ['a hash more', { audit_path: [...path, '0'.repeat(64)] }, 'path_wrong'],
    ['two hashes in turn', { audit_path: path.toReversed() }, 'path_wrong'],
    ['a path in capitals', { audit_path: path.map((hash) => hash.toUpperCase()) }, 'path_wrong'],
    ['the first position of the range', { index: 4 }, 'out_of_order'],
    ['a position that is a text', { index: '1' }, 'not_an_entry'],
    ['a reason why it is withheld', { withheld: 'retention' }, 'members'],
    ['a member less', { audit_path: undefined }, 'members'],
    ['another position', { index: 2 }, 'path_wrong'],
    ['a position in the range', { index: 5 }, 'out_of_order'],
    ['another content', { content: SECOND }, 'content_mismatch'],
    ['another entry', { entry: other }, 'leaf_mismatch'],
    ['a member more', { at: AT }, 'members'],
    ['a leaf that is no hash', { leaf_hash: '0' }, 'not_an_entry'],
  ])('is refused with %s', async (_, change, code) => {
    const [verdict, ...codes] = await foundWith(earlier(1, change), earlier(3))
    expect([verdict, codes.join()]).toEqual(['invalid', expect.stringContaining(code)])
  })

  it('is refused twice, after a decision that names it, of another kind, and in an older file', async () => {
    expect(await foundWith(earlier(1), earlier(1), earlier(3))).toContain('leaf 1 out_of_order')
    const late = ([head, ...others]: Line[]) => [
      head as Line,
      ...others.slice(0, -1),
      earlier(1),
      others.at(-1) as Line,
    ]
    expect(await found({ leaves, from: 4, change: late })).toContain('leaf 1 out_of_order')
    expect(await foundWith(earlier(0))).toContain('leaf 0 content_mismatch')
    const old = { leaves, from: 4, schema: 'audit-3' }
    const change = ([head, ...others]: Line[]) => [head as Line, earlier(1), ...others]
    expect(await found({ ...old, change })).toContain('leaf 1 members')
  })
})

describe('a bundle', () => {
  const faultsOf = (made: object): (string | null)[] =>
    checkBundle(plain(made), { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } }).flatMap(({ kind, valid, code }) =>
      kind === 'coverage' || !valid ? [code] : [],
    )

  it('proves the entry that its facts name', async () => {
    const made = await makeCoveredBundle({})
    expect(faultsOf(made)).toEqual([null])
    expect(faultsOf({ ...made, coverage: null })).toEqual(['coverage_elsewhere'])
    // Whoever left the facts out could have put any earlier entry here.
    expect(faultsOf({ ...made, facts: null })).toEqual(['facts_withheld'])
    const nameless = await makeCoveredBundle({ facts: { coverage: '0' } })
    expect(faultsOf({ ...nameless, coverage: null })).toEqual(['coverage_mismatch'])
    const after = await makeCoveredBundle({ isAfter: true })
    expect(faultsOf({ ...after, facts: null })).toEqual(['coverage_mismatch'])
    expect(faultsOf({ ...(await makeEvidence()).bundle, format: made.format, coverage: null })).toEqual([])
    const { coverage: _, ...without } = made
    expect(faultsOf(without)).toEqual(['missing_member'])
    expect(faultsOf({ ...made, format: 'countersign-evidence-v2' })).toEqual(['unknown_member'])
    expect(faultsOf({ ...without, format: 'countersign-evidence-v2' })).toEqual(['coverage_elsewhere'])
  })

  it.each([
    ['facts that name another', { facts: { coverage: 1 } }, 'coverage_mismatch'],
    ['facts that name none', { facts: { coverage: null } }, 'coverage_mismatch'],
    ['an entry after the record', { isAfter: true }, 'coverage_mismatch'],
    ['an undeclared operation', { facts: { operation: 'createMessage' } }, 'operation_undeclared'],
    ['a malformed entry', { content: { ...FIRST, v: 'coverage-2' } }, 'coverage_malformed'],
    ['another position', { change: { index: 1 } }, 'coverage_mismatch'],
    ['another content', { change: { content: SECOND } }, 'not_a_coverage'],
    ['a member more', { change: { settles: 1 } }, 'unknown_member'],
    ['no proof', { change: { proof: null } }, 'not_an_object'],
  ])('is not valid with %s', async (_, change, code) => {
    expect(faultsOf(await makeCoveredBundle(change))).toEqual([code])
  })
})
