// The Python of docs/check-by-hand.md and of scripts/examples does what it says, and docs/findings.md has every finding
// of the verifier.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ACCEPT_FAULTS } from '../../src/evidence/records/accept-record.ts'
import { RECORD_FAULTS } from '../../src/evidence/records/attestation-record.ts'
import { ERASURE_FAULTS } from '../../src/evidence/records/erasure-record.ts'
import { ISSUED_FAULTS } from '../../src/evidence/records/issued-document.ts'
import { KEY_FAULTS, KEY_LIST_FAULTS } from '../../src/evidence/records/key-list.ts'
import { OUTCOME_FAULTS } from '../../src/evidence/records/outcome-record.ts'
import { READ_FAULTS } from '../../src/evidence/records/read-json-object.ts'
import { READING_FAULTS } from '../../src/evidence/records/reading-record.ts'
import { HEAD_FAULTS } from '../../src/evidence/records/tree-head.ts'
import { PROOF_FAULTS } from '../../src/evidence/tree/verify-proof.ts'
import { ANCHOR_FAULTS } from '../../src/evidence/verify/check-anchor.ts'
import { ANSWER_FAULTS } from '../../src/evidence/verify/check-answer.ts'
import { APPROVAL_FAULTS } from '../../src/evidence/verify/check-approval.ts'
import { UNWRAP_FAULTS } from '../../src/evidence/verify/check-document.ts'
import { READING_EVIDENCE_FAULTS } from '../../src/evidence/verify/check-reading.ts'
import { NOT_COVERED } from '../../src/evidence/verify/check-call-facts.ts'
import { BESIDE_FAULTS } from '../../src/evidence/verify/check-facts.ts'
import { COVERAGE_FAULTS, COVERAGE_NOTES } from '../../src/evidence/records/coverage-entry.ts'
import { EXPORT_FAULTS, EXPORT_NOTES } from '../../src/evidence/verify/export-lines.ts'
import { AGE_FAULTS } from '../../src/evidence/verify/freshness.ts'
import { USAGE_FAULTS, USAGE_NOTES } from '../../scripts/verify/check-closed-days.ts'
import { CONTROL_FAULTS } from '../../scripts/verify/check-control.ts'
import { PART_FAULTS } from '../../src/evidence/verify/judge-log.ts'
import { hashLeaf } from '../../src/evidence/tree/merkle-hash.ts'
import { rootAt, type NodeReader } from '../../src/evidence/tree/merkle-tree.ts'
import { appendLeaves } from '../support/log-tree.ts'
import { outsideSubtrees } from '../../src/evidence/tree/range-proof.ts'
import { makeEvidence } from '../fixtures/evidence/invented-evidence.ts'
import answersFile from '../fixtures/facts/answers.json'
import factsFile from '../fixtures/facts/facts.json'

const DOCUMENT = readFileSync('docs/check-by-hand.md', 'utf8')
// The first program is that of the request hash.
const answerLines = readFileSync('scripts/examples/check-answer.py', 'utf8')
const python = readFileSync('scripts/examples/check-export.py', 'utf8')
const [, factsLines = '', entryLines = ''] = Array.from(
  DOCUMENT.matchAll(/```python\n([\s\S]*?)```/g),
  ([, lines = '']) => lines,
)

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

const entries = Array.from({ length: 13 }, (_, at) => Buffer.from(`entry ${at}`))
const leaves = entries.map((entry) => hashLeaf(entry))
const nodes = new Map(
  appendLeaves(0, leaves, () => new Uint8Array()).map(({ level, index, hash }) => [`${level}/${index}`, hash]),
)
const read: NodeReader = (level, index) => nodes.get(`${level}/${index}`) ?? new Uint8Array()

function exportOf(first: number, end: number): string {
  const tree_head = { tree_size: 13, root_hash: hex(rootAt(13, read)) }
  const lines = [
    { object: 'audit_export.head', first, end_index: end, tree_head },
    ...entries.slice(first, end).map((entry, at) => ({
      object: 'audit_entry',
      index: first + at,
      leaf_hash: hex(read(0, first + at)),
      // Every third is withheld.
      [at % 3 === 2 ? 'withheld' : 'entry']: at % 3 === 2 ? 'retention' : entry.toString('base64'),
    })),
  ]
  const before = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const range_proof = outsideSubtrees({ first, end, size: 13 }).map(({ level, index }) => hex(read(level, index)))
  const sha256 = createHash('sha256').update(before).digest('hex')
  return `${before}${JSON.stringify({ object: 'audit_export.end', sha256, range_proof })}\n`
}

const check = (input: string): string => {
  const { stdout, stderr } = spawnSync('python3', ['-c', python], { input, encoding: 'utf8' })
  return stdout.trim() || (stderr.trim().split('\n').at(-1) ?? '')
}

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)('an export, checked by hand', () => {
  it.each([
    [0, 13],
    [5, 11],
    [3, 4],
    [12, 13],
  ])('is valid from %i to before %i', (first, end) => {
    expect(check(exportOf(first, end))).toBe('as valid as its head')
  })

  it('is not where a line was changed, taken out or has another hash', () => {
    const text = exportOf(5, 11)
    expect(check(text.replace(entries[5]?.toString('base64') ?? '', 'YQ=='))).toBe('AssertionError: 5')
    expect(check(text.replace(/\{[^\n]*"index":7[^\n]*\n/, ''))).toContain('not the leaves of that tree')
    expect(check(text.replace(/("index":7,"leaf_hash":")../, '$100'))).toContain('not the leaves of that tree')
    expect(check(text.replace('"retention"', '"unreadable"'))).toContain('the bytes are others')
  })
})

describe.skipIf(!hasPython)('facts and answers, checked by hand', () => {
  const run = (lines: string, args: string[], input: string): string => {
    const { stdout, stderr } = spawnSync('python3', ['-c', lines, ...args], { input, encoding: 'utf8' })
    return stdout.trim() || (stderr.trim().split('\n').at(-1) ?? '')
  }

  it.each(factsFile.vectors)('the id and the hash of the facts $name', ({ facts, attestation_id, sha256 }) => {
    const lines = `import hashlib, json, sys, uuid\nfacts = json.load(sys.stdin)\n${factsLines}`
    expect(run(lines, [], JSON.stringify(facts))).toBe(`${attestation_id} ${sha256}`)
  })

  const chats = answersFile.vectors.filter(({ name }) => name.startsWith('chat') && !name.includes('function_call'))
  it.each(chats)('the answer $name', ({ answer, salt, sha256, salt_sha256 }) => {
    const folder = mkdtempSync(join(tmpdir(), 'answer-'))
    const bundle = join(folder, 'bundle.json')
    const compare = (copy: string, answer_salt: string, content: object = { answer: { sha256, salt_sha256 } }) => {
      writeFileSync(bundle, JSON.stringify({ settlement: { content, answer_salt } }))
      return run(answerLines, [bundle], copy)
    }
    expect(compare(answer, salt)).toBe('the answer that was sent')
    expect(compare(answer, salt, { answer: { sha256 } })).toBe('the answer that was sent')
    expect(compare(answer.replace('"model":"', '"model":"x'), salt)).toBe('another answer')
    const changed = salt.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    expect(compare(answer, changed)).toContain('another salt: get the bundle again')
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf(!hasPython)('a log entry, checked by hand', async () => {
  const { bundle } = await makeEvidence()
  const { settlement } = bundle
  const entry = Buffer.from(settlement.entry, 'base64url')
  const run = (changed: object): string => {
    const input = JSON.stringify({ ...bundle, settlement: { ...settlement, ...changed } })
    const { stdout, stderr } = spawnSync('python3', ['-c', entryLines], { input, encoding: 'utf8' })
    return stdout.trim() || (stderr.trim().split('\n').at(-1) ?? '')
  }

  it('is decoded, and its leaf is that of its proof', () => {
    expect(run({})).toBe(`random bytes ${entry.subarray(1, 17).toString('hex')}`)
  })

  it('is not of another content, of another kind or with other random bytes', () => {
    const changedAt = (at: number): string =>
      Buffer.from(entry)
        .fill((entry[at] ?? 0) ^ 1, at, at + 1)
        .toString('base64url')
    expect(run({ content: { ...settlement.content, cost_microeur: 0 } })).toBe('AssertionError: another content')
    expect(run({ entry: changedAt(0) })).toBe('AssertionError: another content')
    expect(run({ entry: changedAt(1) })).toBe('AssertionError: another leaf')
  })
})

const FAULTS = Object.assign(
  {},
  READ_FAULTS,
  UNWRAP_FAULTS,
  RECORD_FAULTS,
  KEY_FAULTS,
  KEY_LIST_FAULTS,
  ISSUED_FAULTS,
  HEAD_FAULTS,
  PROOF_FAULTS,
  PART_FAULTS,
  ANCHOR_FAULTS,
  BESIDE_FAULTS,
  ANSWER_FAULTS,
  APPROVAL_FAULTS,
  ACCEPT_FAULTS,
  ERASURE_FAULTS,
  READING_FAULTS,
  OUTCOME_FAULTS,
  READING_EVIDENCE_FAULTS,
  EXPORT_FAULTS,
  COVERAGE_FAULTS,
  AGE_FAULTS,
  CONTROL_FAULTS,
  USAGE_FAULTS,
) as Record<string, string>

describe('docs/findings.md', () => {
  const page = readFileSync('docs/findings.md', 'utf8')
  /** The page explains these by their ending. */
  const FORM = /_(?:malformed|not_a_string|not_an_array|not_strings|not_a_number)$|^not_a_text$/

  it('has every finding of the verifier', () => {
    const codes = [
      ...Object.keys(FAULTS),
      ...Object.keys(NOT_COVERED),
      ...Object.keys(EXPORT_NOTES),
      ...Object.keys(COVERAGE_NOTES),
      ...Object.keys(USAGE_NOTES),
    ]
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((code) => !FORM.test(code) && !page.includes(`\`${code}\``))).toEqual([])
  })

  it('has no other finding on exports, answers, readings and anchors', () => {
    const sections = page
      .split('\n## ')
      .filter((section) => /^(?:Exports|Answers|Readings|Proofs|Records|Approvals)/.test(section))
    expect(sections).toHaveLength(6)
    const named = sections.flatMap((section) =>
      Array.from(section.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g), ([, code = '']) => code),
    )
    const others = new Set([
      'not_proven',
      ...Object.keys(NOT_COVERED),
      ...Object.keys(EXPORT_NOTES),
      ...Object.keys(COVERAGE_NOTES),
      ...Object.keys(USAGE_NOTES),
      'not_anchored',
      'not_anchored_yet',
      'not_a_receipt',
      'only_the_signed_part',
      'request_mismatch',
    ])
    const members = new Set(['policy_applied', 'retention_days'])
    expect(named.filter((name) => !Object.hasOwn(FAULTS, name) && !others.has(name) && !members.has(name))).toEqual([])
    expect(named.length).toBeGreaterThan(60)
  })
})
