// What is beside the leaves of an audit export, and what is withheld from it: the published forgeries, each signed again by the
// service's own key, and honest files that look alike.
import { describe, expect, it } from 'vitest'
import { keyIdOf } from '../../../../src/evidence/records/ed25519.ts'
import { commitToFacts } from '../../../../src/evidence/records/facts-commitment.ts'
import { canonicalBytes, type Json } from '../../../../src/evidence/records/canonical-json.ts'
import { decodeBase64, encodeBase64 } from '../../../../src/evidence/records/base64.ts'
import { contentTextOf, encodeEntry } from '../../../../src/evidence/entry.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { oldKey, publishedKey } from '../../../fixtures/evidence/invented-evidence.ts'
import {
  exportOf,
  finished,
  makeAuditLines,
  withheldLine,
  type Leaf,
  type Line,
} from '../../../fixtures/evidence/invented-export.ts'
import forgeriesFile from '../../../fixtures/facts/forgeries.json'

const { log, forgeries } = forgeriesFile

const atOf = (entry: Uint8Array): string => contentOf(entry)['at'] as string
const contentOf = (entry: Uint8Array) => JSON.parse(contentTextOf(entry).content) as Record<string, Json>

const leafOf = ({ entry_base64, facts }: (typeof log.entries)[number]): Leaf => {
  const entry = decodeBase64(entry_base64, Infinity) ?? new Uint8Array()
  return { entry, at: facts?.at ?? atOf(entry), facts }
}

const LEAVES = log.entries.map(leafOf)
const { org_id: orgId, public_key: recordKey } = contentOf(LEAVES[0]?.entry ?? new Uint8Array()) as Record<
  'org_id' | 'public_key',
  string
>

/** The key of the records has ended, so they need no signature. */
const endedKey = {
  ...publishedKey(oldKey),
  public_key: recordKey,
  key_id: keyIdOf(recordKey),
  status: 'retired',
  valid_until: '2026-11-25T00:00:00Z',
}

// Begins a millisecond less than the least retention before the first entry's day.
const HEAD = { created_at: '2026-11-30T23:59:59.999Z', start: '2026-11-24', end: '2026-11-24' }

const linesOf = (leaves: readonly Leaf[], head: object = {}): Promise<Line[]> =>
  exportOf({ leaves, orgId, head: { ...HEAD, public_keys: [publishedKey(oldKey), endedKey], ...head } })

/** Counts and signs again, and returns the verdict, the codes of findings, and each code with its leaf. */
async function judge(lines: readonly Line[], issuedAt?: number, now = Infinity) {
  const withheld = lines.slice(1, -1).filter((line) => 'withheld' in line).length
  const counted = { entries: lines.length - 2 - withheld, withheld }
  const end = { ...lines.at(-1), ...counted } as Line
  const signed = await finished([...lines.slice(0, -1), end], oldKey, issuedAt)
  const report = new FindingsReport()
  const check = new LinesCheck(report, { ...NO_OPTIONS, now, trust: { keys: [oldKey.publicKey] } })
  for (const line of signed) check.take(new TextEncoder().encode(JSON.stringify(line)))
  check.end()
  const { verdict, findings } = report.toJson()
  const codes = findings.flatMap((finding) => {
    const [leaf] = /^leaf \d+/.exec('subject' in finding ? finding.subject : '') ?? []
    return finding.code === null ? [] : [leaf === undefined ? finding.code : `${leaf} ${finding.code}`]
  })
  return { verdict, codes }
}

const found = async (lines: readonly Line[], issuedAt?: number): Promise<string[]> => {
  const { verdict, codes } = await judge(lines, issuedAt)
  return [verdict, ...codes]
}

type Change = (line: Line) => object
type Forgery = (lines: readonly Line[]) => readonly Line[]

const inLine =
  (index: number, change: Change): Forgery =>
  (lines) =>
    lines.map((line) => (line['index'] === index ? { ...line, ...change(line) } : line))

const inFacts = (index: number, change: object): Forgery =>
  inLine(index, ({ facts }) => ({ facts: { ...(facts as object), ...change } }))

const withoutSalts =
  (...indexes: readonly number[]): Forgery =>
  (lines) =>
    lines.map((line) => {
      if (!indexes.includes(Number(line['index']))) return line
      const { v: _v, salt: _salt, ...facts } = line['facts'] as JsonObject
      return { ...line, facts: { ...facts, provider: 'another' } }
    })

const withhold =
  (...indexes: readonly number[]): Forgery =>
  (lines) =>
    lines.map((line) => (indexes.includes(Number(line['index'])) ? withheldLine(line) : line))

const called =
  (schema: string): Forgery =>
  ([head, ...others]) => [{ object: '', ...head, schema }, ...others]

/** Another content in an entry. Its leaf is made again where `isLeafToo`. */
const inEntry = (index: number, change: JsonObject, isLeafToo: boolean): Forgery =>
  inLine(index, (line) => {
    const old = decodeBase64(String(line['entry']), Infinity) ?? new Uint8Array()
    const content = { ...contentOf(old), ...change } as Record<string, Json>
    const start = old[0] === 0 ? 1 : 17
    const entry = new Uint8Array([...old.subarray(0, start), ...canonicalBytes(content)])
    return { entry: encodeBase64(entry), content, ...(isLeafToo && { leaf_hash: hashLeaf(entry).toHex() }) }
  })

const factsOf = (index: number): JsonObject => LEAVES[index]?.facts as JsonObject
const otherAnswer = { answer: { v: 'answer-1', sha256: '0'.repeat(64) } }
const passing = { ...factsOf(2), reason: null }
const { attestationId: passingId } = commitToFacts(passing)
const LATER = '2026-11-24T10:20:00.000Z'

const FORGED: Readonly<Record<string, readonly Forgery[]>> = {
  'provider of an allowed call': [inFacts(0, { provider: 'google' })],
  'reason of a blocked call': [inFacts(2, { reason: 'budget' })],
  'reason of a suppressed call': [inFacts(5, { reason: null })],
  'key of a call': [inFacts(3, { key_id: 'key_2' })],
  'use case of a call': [inFacts(0, { use_case: null })],
  'cohort put in': [inFacts(0, { cohort: 'gp-west' })],
  'policy version': [inFacts(2, { policy_version: 8 })],
  'retention of a call': [inFacts(0, { retention_days: 7 })],
  'arrival, in the facts and in at': [inFacts(0, { at: LATER }), inLine(0, () => ({ at: LATER }))],
  'arrival, in at alone': [inLine(0, () => ({ at: '2026-11-24T09:15:01.000Z' }))],
  'at of a settlement': [inLine(1, () => ({ at: '2026-11-24T09:15:00.999Z' }))],
  'at of an act, an hour later': [inLine(6, () => ({ at: LATER }))],
  'facts of two calls swapped': [inLine(0, () => ({ facts: factsOf(3) })), inLine(3, () => ({ facts: factsOf(0) }))],
  'facts null': [inLine(2, () => ({ facts: null }))],
  'salt and v taken out': [withoutSalts(2)],
  'salt taken out': [inFacts(2, { salt: undefined })],
  'salt in capitals': [inFacts(2, { salt: String(factsOf(2)['salt']).toUpperCase() })],
  'another salt': [inFacts(2, { salt: '0'.repeat(32) })],
  'old schema, salts taken out of all, facts changed': [called('audit-1'), withoutSalts(0, 2, 3, 5)],
  'old schema, no hour counts in the file, salts taken out: told by the settlement': [
    called('audit-1'),
    withoutSalts(0, 2, 3, 5),
  ],
  'facts put beside a settlement': [inLine(1, () => ({ facts: { provider: 'openai' } }))],
  'answer hash of a settlement': [inEntry(1, otherAnswer, false)],
  'answer hash, its leaf made again': [inEntry(1, otherAnswer, true)],
  'answer hash in content alone': [
    inLine(1, ({ content }) => ({ content: { ...(content as object), ...otherAnswer } })),
  ],
  'facts hash of a settlement, its leaf made again': [inEntry(1, { facts_sha256: '0'.repeat(64) }, true)],
  'attestation_id made to fit other facts': [
    inLine(2, () => ({ facts: passing })),
    inEntry(2, { attestation_id: passingId, outcome: 'ALLOWED' }, true),
  ],
  'blocked call withheld after a week': [withhold(2)],
  'settlement withheld the day after': [withhold(1)],
  'all but the counts withheld': [withhold(0, 1, 2, 3, 4, 5, 6)],
  'act withheld the day after': [withhold(6)],
  'hour counts that count one more': [inEntry(7, { allowed: 3 }, true)],
}

const ofExports = forgeries.filter(({ findings }) => findings.every((finding) => Array.isArray(finding)))

describe('an export in which everything but the anchored root was signed again', async () => {
  const [whole, first7] = await Promise.all([linesOf(LEAVES), linesOf(LEAVES, { end_index: 7 })])

  it('is valid as it was', async () => {
    expect(await found(whole)).toEqual(['valid'])
    expect(await found(first7)).toEqual(['valid'])
    expect(ofExports.map(({ name }) => name).toSorted()).toEqual(Object.keys(FORGED).toSorted())
  })

  it.each(ofExports)('is not valid with: $name', async ({ name, expect: code, findings }) => {
    const lines = name.includes('no hour counts') ? first7 : whole
    const forged = (FORGED[name] ?? []).reduce((all, change) => [...change(all)], lines)
    const { verdict, codes } = await judge(forged)
    expect(verdict).toBe(code === 'not_proven' ? 'not_proven' : 'invalid')
    for (const [leaf, ofLeaf] of findings as [number, string][]) {
      // The root is a finding on the whole file, where wrong lines come first.
      if (ofLeaf === 'root_mismatch')
        expect(codes).toEqual(expect.arrayContaining([expect.stringMatching(/root_mismatch|lines_wrong/)]))
      else expect(codes).toContain(`leaf ${leaf} ${ofLeaf}`)
    }
  })
})

const withheldAt = async (createdAt: string, ...indexes: number[]): Promise<string[]> =>
  found(withhold(...indexes)(await linesOf(LEAVES, { created_at: createdAt })))

describe('an entry of a kind that the check does not know', () => {
  const at = '2026-11-24T11:00:00.000Z'
  const foundWith = async (tag: number, kind: string, line: object = { kind }) => {
    const entry = Uint8Array.of(tag, ...encodeEntry('member_act', { kind, at }).subarray(1))
    return found(inLine(8, () => line)(await linesOf([...LEAVES, { entry, at, facts: null }])))
  }

  it('is noted, and the file is valid', async () => {
    expect(await foundWith(0xbf, 'of_a_newer_version')).toEqual(['valid', 'other_kind'])
  })

  it.each([
    ['that is no kind of an organisation’s log', 0xc0, 'of_a_newer_version'],
    ['under the name of a known kind', 0xbf, 'settlement'],
    ['under another name than its leaf has', 0xbf, 'of_a_newer_version', { kind: 'another' }],
    ['with another content than its leaf has', 0xbf, 'of_a_newer_version', { content: { kind: 'of_a_newer_version' } }],
  ])('is refused %s', async (_, tag, kind, line: object = { kind }) => {
    expect(await foundWith(tag, kind, { kind, ...line })).toContain('leaf 8 content_mismatch')
  })
})

describe('withheld lines', () => {
  it('are valid once their retention has passed', async () => {
    const muchLater = '2027-12-29T00:00:00.000Z'
    expect(await withheldAt(muchLater, 0, 1, 2, 3, 4, 5, 6)).toEqual(['valid'])
    expect(await withheldAt(muchLater, 1, 5)).toEqual(['valid'])
    // Within the hour in which the first of its entries expire.
    expect(await withheldAt('2027-11-24T09:15:02.500Z', 0, 1, 2)).toEqual(['valid'])
    // An act says nothing of its age.
    expect(await withheldAt('2026-12-30T00:00:00.000Z', 6)).toEqual(['valid'])
  })

  it('of a refused call are told by the counts, until the retention of its hour has passed', async () => {
    const notProven = ['not_proven', 'leaf 7 not_proven', 'not_proven']
    expect(await withheldAt('2027-03-01T00:00:00.000Z', 2)).toEqual(notProven)
    expect(await withheldAt('2027-11-24T09:15:02.500Z', 5)).toEqual(notProven)
    expect(await withheldAt('2027-03-01T00:00:00.000Z', 2, 5, 6)).toEqual(notProven)
  })

  it('of a settlement are told by its call, if the file goes on for an hour', async () => {
    const withheldIn = async (createdAt: string, ...more: Leaf[]) =>
      found(withhold(1)(await linesOf([...LEAVES, ...more], { created_at: createdAt })))
    const [hourLater, until] = [actAt('2026-11-24T10:15:00.000Z'), '2027-11-24T09:15:00.000Z']
    const notProven = ['not_proven', 'leaf 0 not_proven', 'not_proven']
    expect(await withheldIn('2027-11-24T09:14:59.999Z', hourLater)).toEqual(notProven)
    expect(await withheldIn(until, hourLater)).toEqual(['valid'])
    expect(await withheldIn('2027-03-01T00:00:00.000Z')).toEqual(['valid'])
  })

  it('with the counts of an hour are told by the next counts, and by the calls of that hour', async () => {
    const later = { allowed: 0, blocked: 0, suppressed: 0, from: 8, at: '2026-11-24T12:00:00.000Z' }
    const hiding = async (createdAt: string, more: readonly Leaf[], ...indexes: number[]) =>
      found(withhold(...indexes)(await linesOf([...LEAVES, ...more], { created_at: createdAt })))
    const [counts, act] = [countsWith(later), actAt('2026-11-24T12:00:00.000Z')]
    expect(await hiding('2026-12-23T00:00:00.000Z', [counts], 2, 7)).toEqual([
      'not_proven',
      'leaf 7 not_proven',
      'not_proven',
    ])
    expect(await hiding('2027-03-01T00:00:00.000Z', [act], 2, 7)).toEqual([
      'not_proven',
      'leaf 0 not_proven',
      'not_proven',
    ])
    // The counts are kept for as long as the longest retention, whatever the calls of their hour were given.
    expect(await hiding('2033-11-24T09:14:00.000Z', [act], 2, 7)).toContain('not_proven')
    expect(await hiding('2033-11-25T09:15:00.000Z', [act], 2, 7)).toEqual(['valid'])
    const earlier = countsWith({ ...later, from: 0, at: '2026-11-24T08:00:00.000Z' })
    const twoHours = [earlier, actAt('2026-11-24T09:00:00.000Z'), counts, countsWith({ ...later, from: 3 })]
    const lines = withhold(1, 2)(await linesOf(twoHours, { created_at: '2027-03-01T00:00:00.000Z' }))
    expect(await found(lines)).toContain('leaf 2 not_proven')
  })

  it('may have expired while the file was written, for at most a day', async () => {
    const lines = withhold(6)(await linesOf(LEAVES))
    const issued = (issuedAt: string) => found(lines, Date.parse(issuedAt))
    expect(await issued('2026-12-01T10:00:00.000Z')).toEqual(['valid'])
    const notProven = ['not_proven', 'leaf 6 not_proven', 'not_proven']
    expect(await issued('2026-12-01T09:15:00.000Z')).toEqual(notProven)
    const twoDaysBefore = { created_at: '2026-11-29T00:00:00.000Z' }
    expect(await found(withhold(6)(await linesOf(LEAVES, twoDaysBefore)), Date.parse('2026-12-09T00:00:00Z'))).toEqual(
      notProven,
    )
  })

  it('count from the hour in the counts, whatever first day the file says', async () => {
    const head = { start: '1970-01-01', created_at: '2026-12-01T00:00:00.000Z' }
    const lines = withhold(0, 1, 2)(await linesOf(LEAVES, head))
    expect(await found(lines)).toContain('leaf 7 not_proven')
  })

  it('do not expire by a date ahead of the file’s own end, or of the clock', async () => {
    const later = { created_at: '2036-01-01T00:00:00.000Z' }
    const lines = withhold(2, 5, 6, 7)(await linesOf(LEAVES, later))
    expect(await found(lines, Date.parse('2026-12-01T00:00:00.000Z'))).toContain('dated_ahead')
    expect((await judge(lines, undefined, Date.parse('2026-12-01T00:00:00.000Z'))).codes).toContain('dated_ahead')
  })

  it('after the last call of a whole file hide the counts of its hour', async () => {
    const lines = async (end: object) =>
      withhold(1, 2, 3, 4, 5, 6, 7)(await linesOf(LEAVES, { created_at: '2027-12-29T00:00:00.000Z', ...end }))
    expect(await found(await lines({}))).toContain('leaf 0 not_proven')
    const goesOn = await lines({})
    const end = { ...goesOn.at(-1), next_cursor: '8' } as Line
    expect(await found([...goesOn.slice(0, -1), end])).not.toContain('leaf 0 not_proven')
  })

  it('are as old as the clock said, where it stepped back', async () => {
    const times = ['2026-11-24T09:00:00.000Z', '2026-11-24T09:00:01.000Z', '2026-11-10T09:00:00.000Z']
    const lines = await linesOf(times.map(actAt))
    expect(await found(withhold(1)(lines))).toEqual(['valid'])
    expect(await found(withhold(1)(await linesOf(times.slice(0, 2).map(actAt))))).toContain('leaf 1 not_proven')
  })

  it('are young in a file that does not say when it was made, or from which day it is', async () => {
    for (const head of [{ created_at: '2027-12-29' }, { created_at: null }]) {
      expect(await found(withhold(6)(await linesOf(LEAVES, head)))).toContain('leaf 6 not_proven')
    }
    const head = { created_at: '2026-11-26T00:00:00.000Z', start: '' }
    expect(await found(withhold(0)(await linesOf(LEAVES, head)))).toContain('leaf 0 not_proven')
  })
})

const actAt = (time: string): Leaf => ({
  entry: encodeEntry('member_act', { act: 'keys.create', kind: 'member_act', at: time }),
  at: time,
  facts: null,
})

const COUNTS = contentOf(LEAVES[7]?.entry ?? new Uint8Array())

const countsWith = (change: Record<string, Json>): Leaf => {
  const content = { ...COUNTS, ...change }
  return { entry: encodeEntry('hour_counts', content), at: atOf(encodeEntry('hour_counts', content)), facts: null }
}

describe('the counts of an hour', () => {
  const withCounts = async (change: Record<string, Json>, first = 0) =>
    found(await linesOf([...LEAVES.slice(0, 7), countsWith(change)], { first }))

  it('are those of the decisions in the file, and begin after the counts before', async () => {
    const wrong = ['invalid', 'leaf 7 hour_counts_differ', 'lines_wrong']
    for (const change of [
      { allowed: 1 },
      { blocked: 2 },
      { readings: 1 },
      { from: 1 },
      { from: 8 },
      { allowed: null },
    ]) {
      expect(await withCounts(change)).toEqual(wrong)
    }
    expect(await withCounts({ allowed: 9 }, 4)).toEqual(['valid'])
  })

  it('begin after counts that are withheld too', async () => {
    const later = '2026-11-24T11:00:00.000Z'
    const none = { allowed: 0, blocked: 0, suppressed: 0, at: later }
    const next = async (from: number) =>
      withhold(7)(await linesOf([...LEAVES, countsWith({ ...none, from })], { created_at: '2034-12-29T00:00:00.000Z' }))
    expect(await found(await next(8))).toEqual(['valid'])
    expect(await found(await next(6))).toContain('leaf 8 hour_counts_differ')
    const shown = await linesOf([...LEAVES, countsWith({ ...none, from: 0 })])
    expect(await found(shown)).toContain('leaf 8 hour_counts_differ')
  })
})

describe('a settlement', () => {
  const AT = '2026-11-24T11:00:00.000Z'
  const settlementOf = (settles: Json, more: Record<string, Json> = {}): Leaf => ({
    entry: encodeEntry('settlement', { kind: 'settlement', settles, at: AT, ...more }),
    at: AT,
    facts: null,
  })
  const referral = (decision: string): Leaf => ({
    entry: encodeEntry('referral_decision', { kind: 'referral_decision', decision, at: AT }),
    at: AT,
    facts: null,
  })
  const withMore = (...more: Leaf[]) => linesOf([...LEAVES, ...more])
  const muchLater = { created_at: '2027-12-29T00:00:00.000Z' }

  it('settles an open call, once, and no other entry', async () => {
    const { facts_sha256: repeated = '' } = contentOf(LEAVES[1]?.entry ?? new Uint8Array())
    const another = ['invalid', 'leaf 8 settles_another', 'lines_wrong']
    // In this order: a settled call, also with its hash, a refusal, a suppressed call, an act, counts.
    for (const [settles, more] of [[0], [0, { facts_sha256: repeated }], [2], [5], [6], [7]] as const) {
      expect(await found(await withMore(settlementOf(settles, more))), String(settles)).toEqual(another)
    }
    // Itself, a later entry, and nothing.
    for (const settles of [8, 9, 1e9, '3', null]) {
      expect(await found(await withMore(settlementOf(settles))), String(settles)).toEqual(another)
    }
  })

  it('settles a reading, once, no other referral decision, and says in its form what was read of an answer', async () => {
    const reading = [referral('reading'), settlementOf(8)]
    expect(await found(await withMore(...reading))).toEqual(['valid'])
    expect(await found(await withMore(...reading, settlementOf(8)))).toContain('leaf 10 settles_another')
    expect(await found(await withMore(referral('refused'), settlementOf(8)))).toContain('leaf 9 settles_another')
    const scanned = withMore(referral('reading'), settlementOf(8, { answer_scan: 'full' }))
    expect(await found(await scanned)).toContain('leaf 9 answer_scan_malformed')
  })

  it('may settle what the file does not show: a withheld entry, and one before its first', async () => {
    const more = await linesOf([...LEAVES, settlementOf(2), settlementOf(5)], muchLater)
    expect(await found(withhold(2, 5)(more))).toEqual(['valid'])
    expect(await found(withhold(1, 2, 5)(more))).toEqual(['valid'])
    expect(await found(withhold(1, 2, 4, 6)(more))).toEqual(['invalid', 'leaf 9 settles_another', 'lines_wrong'])
    expect(await found(withhold(5)(more))).toEqual(['invalid', 'leaf 8 settles_another', 'lines_wrong'])
    const last = { ...muchLater, first: 4 }
    expect(await found(await linesOf([...LEAVES, settlementOf(2)], last))).toEqual(['valid'])
    expect(await found(await linesOf([...LEAVES, settlementOf(4)], last))).toContain('leaf 8 settles_another')
  })

  it('may settle a decision from before there were receipts, which has the kind of members’ acts', async () => {
    const old = (outcome: string): Leaf => ({ ...actAt(AT), entry: encodeEntry('member_act', { outcome, at: AT }) })
    expect(await found(await withMore(old('ALLOWED'), settlementOf(8)))).toEqual(['valid'])
    expect(await found(await withMore(old('BLOCKED'), settlementOf(8)))).toContain('leaf 9 settles_another')
  })

  it('is not found beside another fault of its call', async () => {
    expect(await found(inFacts(0, { salt: undefined })(await linesOf(LEAVES)))).not.toContain('leaf 1 settles_another')
    const wrongLine = inEntry(0, { model: 'another' }, false)(await linesOf(LEAVES))
    expect(await found(wrongLine)).not.toContain('leaf 1 settles_another')
    const old = withoutSalts(0, 2, 3, 5)(called('audit-1')(await linesOf(LEAVES)))
    expect((await found(old)).filter((code) => code.includes('settles_another'))).toEqual([])
  })
})

describe('what is beside an entry', () => {
  it('may count for ten minutes later than its own time', async () => {
    const lines = await linesOf(LEAVES)
    expect(await found(inLine(1, () => ({ at: '2026-11-24T09:25:01.000Z' }))(lines))).toEqual(['valid'])
    for (const time of ['2026-11-24T09:25:01.001Z', '2026-11-24T09:15:01Z', null]) {
      expect(await found(inLine(1, () => ({ at: time }))(lines))).toContain('leaf 1 at_differs')
    }
  })

  it('needs no counts, and no whole hour', async () => {
    expect(await found(await linesOf(LEAVES, { end_index: 6 }))).toEqual(['valid'])
    expect(await found(await linesOf(LEAVES, { first: 4 }))).toEqual(['valid'])
    expect(await found(await linesOf(['2026-11-24T09:00:00.000Z'].map(actAt)))).toEqual(['valid'])
  })

  it('is not covered in a log of before, up to where the counts say that facts are', async () => {
    const old = await makeAuditLines({ schema: 'audit-1' })
    expect(await found(old)).toEqual(['valid', 'facts_not_covered'])
    expect(await found(called('audit-3')(old))).toContain('leaf 0 facts_missing')
    // The first call has the settlement of an older log.
    const { facts_sha256: _, ...settled } = contentOf(LEAVES[1]?.entry ?? new Uint8Array())
    const leaves = LEAVES.with(1, { ...(LEAVES[1] as Leaf), entry: encodeEntry('settlement', settled) })
    const beginning = countsWith({ allowed: 1, blocked: 0, suppressed: 0, at: '2026-11-24T09:15:01.500Z' })
    const { facts_form: _form, ...withoutForm } = contentOf(beginning.entry)
    const before: Leaf = { ...beginning, entry: encodeEntry('hour_counts', withoutForm) }
    const mixed = [
      ...leaves.slice(0, 2),
      before,
      ...LEAVES.slice(5, 7),
      countsWith({ from: 3, allowed: 0, blocked: 0 }),
    ]
    const lines = await linesOf(mixed, { schema: 'audit-1' })
    expect(await found(withoutSalts(0)(lines))).toEqual(['valid', 'facts_not_covered'])
    expect(await found(withoutSalts(0, 3)(lines))).toEqual([
      'invalid',
      'leaf 3 facts_missing',
      'facts_not_covered',
      'lines_wrong',
    ])
  })
})
