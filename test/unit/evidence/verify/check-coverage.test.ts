// What a log says that it covers: the published vectors, exports whose entries the service itself made wrong, lines of earlier
// entries that somebody changed, and bundles.
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { canonicalJson, type Json } from '../../../../src/evidence/records/canonical-json.ts'
import { coverageKey, readCoverage } from '../../../../src/evidence/records/coverage-entry.ts'
import { commitToFacts } from '../../../../src/evidence/records/facts-commitment.ts'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { signOrganisationHead } from '../../../../src/evidence/records/tree-head.ts'
import { contentOf, encodeEntry, type EntryContent } from '../../../../src/evidence/entry.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { checkBundle } from '../../../../src/evidence/verify/check-call-evidence.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import vectors from '../../../fixtures/coverage/coverage.json'
import { DAY, growTree, makeEvidence, makeRecord, oldKey, OWN } from '../../../fixtures/evidence/invented-evidence.ts'
import { exportOf, finished, withheldLine, type Leaf, type Line } from '../../../fixtures/evidence/invented-export.ts'

const AT = `${DAY}05:00:00.500Z`
const { first, 'new build, a door and a provider more': second } = vectors.entries
const FIRST = Object.assign(structuredClone(first.content), { at: AT })
const SECOND = Object.assign(structuredClone(second.content), { at: AT })

/** Without members that are undefined. */
const plain = (value: object): EntryContent => JSON.parse(JSON.stringify(value)) as EntryContent

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
}

type Under = { coverage?: unknown; operation?: unknown }

async function decision(salt: string, under: Under): Promise<Leaf> {
  const facts = { v: 'facts-1', salt: salt.repeat(32), at: AT, retention_days: 365, provider: 'invented', ...under }
  const record = await makeRecord(OWN, oldKey, Date.parse(AT), commitToFacts(facts).attestationId)
  return { entry: receiptEntry(record), at: AT, facts, signature: record.signature }
}

const own = (kind: Parameters<typeof encodeEntry>[0], content: object): Leaf => ({
  entry: encodeEntry(kind, plain({ ...content, kind, at: AT })),
  at: AT,
  facts: null,
})

type Change = { first?: object; under?: readonly Under[]; referral?: object; counts?: object }

const UNDER: readonly Under[] = [
  { coverage: 1, operation: 'createChatCompletion' },
  { coverage: 3, operation: 'createMessage' },
  // A gradual deployment: the first build again.
  { coverage: 1, operation: 'createResponse' },
]

/** An act; an entry and a decision of each of two builds; of the first build again a decision, and one about a referral. */
async function makeLog({ first: change = {}, under = [], referral = {}, counts }: Change = {}): Promise<Leaf[]> {
  const [one, two, three] = await Promise.all(UNDER.map((usual, at) => decision('abc'[at] ?? '', under[at] ?? usual)))
  const coverage = { ...FIRST, ...change }
  const referred = { decision: 'ask', coverage: 1, operation: 'readReferral', ...referral }
  const calls = [
    own('member_act', { act: 'keys.create' }),
    own('coverage', coverage),
    one,
    own('coverage', SECOND),
    two,
    three,
  ]
  const all = [...calls, own('referral_decision', referred)] as Leaf[]
  return counts === undefined ? all : [...all, own('hour_counts', counts)]
}

type File = { leaves: readonly Leaf[]; from?: number; change?: (lines: Line[]) => readonly Line[]; schema?: string }

/** Returns the verdict, then each code with its leaf; and the subjects of what is said of coverage. */
async function checked({ leaves, from = 0, change = (lines) => lines, schema = 'audit-4' }: File) {
  const lines = await exportOf({ leaves, head: { schema, first: from } })
  const made = change(lines)
  const withheld = made.slice(0, -1).filter((line) => 'withheld' in line).length
  const entries = made.filter(({ object }) => object === 'audit_entry').length - withheld
  const signed = await finished([...made.slice(0, -1), { ...made.at(-1), entries, withheld } as Line])
  const report = new FindingsReport()
  const check = new LinesCheck(report, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } })
  for (const line of signed) check.take(new TextEncoder().encode(JSON.stringify(line)))
  check.end()
  const { verdict, findings } = report.toJson()
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

  const WRONG: [string, Change, string][] = [
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

describe('the line of an entry before the range', async () => {
  const leaves = await makeLog()
  const tree = growTree(leaves.map(({ entry }) => hashLeaf(entry)))

  function earlier(index: number, change: object = {}): Line {
    const { leaf_hash, audit_path } = tree.inclusion(index)
    const { entry } = leaves[index] as Leaf
    const content = contentOf(entry)
    return {
      object: 'audit_export.coverage',
      index,
      leaf_hash,
      entry: encodeBase64(entry),
      content,
      audit_path,
      ...change,
    }
  }

  /** A file from position 4 on, with these lines after its head. */
  const foundWith = (...lines: Line[]): Promise<string[]> =>
    found({ leaves, from: 4, change: ([head, ...others]) => [head as Line, ...lines, ...others] })

  it('proves the entry that decisions name; without it, the file says so', async () => {
    expect(await foundWith(earlier(1), earlier(3))).toEqual(['valid'])
    expect(await foundWith(earlier(1))).toEqual(['valid', 'coverage_elsewhere'])
    expect(await foundWith()).toEqual(['valid', 'coverage_elsewhere'])
  })

  const other = (earlier(3)['entry'] ?? '') as string
  it.each([
    ['another path', { audit_path: tree.inclusion(3).audit_path }, 'path_wrong'],
    ['no path', { audit_path: [] }, 'path_wrong'],
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

describe('a bundle', async () => {
  const { bundle } = await makeEvidence()

  /** A bundle whose log has the coverage entry at 0, and the record at 1. */
  async function bundleWith({
    content = FIRST,
    facts = {},
    change = {},
  }: {
    content?: object
    facts?: object
    change?: object
  }) {
    const all = { ...bundle.facts, coverage: 0, operation: 'createChatCompletion', ...facts }
    const { attestationId } = commitToFacts(all)
    const record = await makeRecord(OWN, oldKey, Date.parse(AT), attestationId)
    const entry = encodeEntry('coverage', plain(content))
    const tree = growTree([hashLeaf(entry), hashLeaf(receiptEntry(record))])
    const head = await signOrganisationHead({ orgId: OWN, treeSize: 2, root: tree.root() }, oldKey)
    const proof = { v: 1, org_id: OWN, ...tree.inclusion(0) }
    const coverage = { index: 0, content, entry: encodeBase64url(entry), proof, ...change }
    const log = { head: { ...head, timestamp: `${DAY}05:01:00Z` }, proof: { v: 1, org_id: OWN, ...tree.inclusion(1) } }
    const format = 'countersign-evidence-v3'
    return {
      ...bundle,
      format,
      record,
      facts: all,
      settlement: null,
      organisation_log: log,
      public_log: null,
      coverage,
    }
  }

  const faultsOf = (made: object): (string | null)[] =>
    checkBundle(plain(made), { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } }).flatMap(({ kind, valid, code }) =>
      kind === 'coverage' || !valid ? [code] : [],
    )

  it('proves the entry that its facts name', async () => {
    const made = await bundleWith({})
    expect(faultsOf(made)).toEqual([null])
    expect(faultsOf({ ...made, coverage: null })).toEqual(['coverage_elsewhere'])
    expect(faultsOf({ ...made, facts: null })).toEqual([null])
    const { coverage: _, ...without } = made
    expect(faultsOf(without)).toEqual(['missing_member'])
    expect(faultsOf({ ...made, format: 'countersign-evidence-v2' })).toEqual(['unknown_member'])
  })

  it.each([
    ['facts that name another', { facts: { coverage: 1 } }, 'coverage_mismatch'],
    ['facts that name none', { facts: { coverage: null } }, 'coverage_mismatch'],
    ['an undeclared operation', { facts: { operation: 'createMessage' } }, 'operation_undeclared'],
    ['a malformed entry', { content: { ...FIRST, v: 'coverage-2' } }, 'coverage_malformed'],
    ['another position', { change: { index: 1 } }, 'coverage_mismatch'],
    ['another content', { change: { content: SECOND } }, 'not_a_coverage'],
    ['a member more', { change: { settles: 1 } }, 'unknown_member'],
    ['no proof', { change: { proof: null } }, 'not_an_object'],
  ])('is not valid with %s', async (_, change, code) => {
    expect(faultsOf(await bundleWith(change))).toEqual([code])
  })
})
