// Forgeries of exports of audit entries and of medical receipts, and the findings where the service itself signed one
// that lacks something.
import { describe, expect, it } from 'vitest'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import {
  DAY,
  newKey,
  newKeyListed,
  oldKey,
  publishedKey,
  RETIRED,
  REVOKED,
} from '../../../fixtures/evidence/invented-evidence.ts'
import {
  finished,
  makeAuditLines,
  makeDecisionLines,
  makeMedicalLines,
  resealed,
  type Line,
} from '../../../fixtures/evidence/invented-export.ts'

const trust = { keys: [oldKey, newKey].map(({ publicKey }) => publicKey) }

/** The verdict, what is against it, what the whole is said to be, and how many lines have a fault. */
function checkText(text: string): { found: string[]; whole: string; invalid: number } {
  const report = new FindingsReport()
  const check = new LinesCheck(report, { ...NO_OPTIONS, trust })
  for (const line of text.trimEnd().split('\n')) check.take(new TextEncoder().encode(line))
  check.end()
  const { findings, verdict, invalid } = report.toJson()
  const last = findings.at(-1)
  const whole = last !== undefined && 'subject' in last ? last.subject : ''
  return { found: [verdict, ...findings.flatMap(({ code }) => code ?? [])], whole, invalid }
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => JSON.stringify(line)).join('\n')
const check = (lines: readonly Line[]): string[] => checkText(textOf(lines)).found

const changed = (lines: readonly Line[], at: number, change: object): Line[] =>
  lines.map((line, index) => (index === (at + lines.length) % lines.length ? { ...line, ...change } : line))

describe('an export of audit entries', async () => {
  const lines = await finished(await makeAuditLines())

  it('is valid as the service signed it', () => {
    expect(check(lines)).toEqual(['valid'])
  })

  it('has as many faulty lines as lines with a fault, whatever its whole lacks', () => {
    const text = textOf(lines)
    expect(checkText(text.slice(0, text.lastIndexOf('\n')))).toMatchObject({
      invalid: 0,
      found: ['invalid', 'end_missing'],
    })
    expect(checkText(text.slice(0, -9))).toMatchObject({ invalid: 1, found: ['invalid', 'not_json', 'end_missing'] })
  })

  it('is not valid where anybody else changed anything and made the SHA-256 again', () => {
    const withheld = { object: 'audit_entry', index: 1, leaf_hash: lines[2]?.['leaf_hash'], withheld: 'retention' }
    const unsigned = lines.map((line) =>
      'signature' in line && line.object === 'audit_entry' ? { ...line, signature: null } : line,
    )
    for (const forged of [
      unsigned,
      changed(lines, 0, { start: '2026-11-20' }),
      changed(lines, 0, { export_id: 'exp_2' }),
      changed(lines, 0, { tree_head: { ...(lines[0]?.['tree_head'] as object), note: 'whole' } }),
      changed(changed(lines, -1, { entries: 2, withheld: 1 }).with(2, withheld), 0, {}),
      changed(lines, -1, { next_cursor: '3' }),
      changed(lines, -1, { issued_at: '2026-11-20T13:00:00.000Z' }),
    ]) {
      expect(check(resealed(forged))).toContain('signature_mismatch')
    }
    for (const forged of [
      { at: `${DAY}05:00:01.000Z` },
      { facts: null },
      { facts: { ...(lines[1]?.['facts'] as object), salt: '' } },
    ]) {
      expect(check(resealed(changed(lines, 1, forged)))).toContain('lines_wrong')
    }
    expect(check(resealed(changed(lines, -1, { next_cursor: '2' })))).toEqual(['invalid', 'cursor_wrong'])
    for (const at of [0, 1, 2, -1]) {
      expect(check(resealed(changed(lines, at, { note: '' })))).toContain('members')
    }
    const { signature: _, ...end }: Line = lines.at(-1) ?? { object: '' }
    expect(check([...lines.slice(0, -1), end])).toEqual(['invalid', 'members'])
  })

  it('goes on where its range ends, and nowhere else, whoever signed it', async () => {
    const unfinished = await makeAuditLines()
    const goingOn = async (cursor: unknown) => check(await finished(changed(unfinished, -1, { next_cursor: cursor })))
    expect(await goingOn('3')).toEqual(['valid'])
    for (const cursor of ['2', '03', 3, '', 'x', {}]) expect(await goingOn(cursor)).toEqual(['invalid', 'cursor_wrong'])
  })

  it('has the content of each entry written as its leaf covers it', () => {
    const [head = { object: '' }, ...others] = lines
    const respelled = (from: string, to: string) =>
      checkText(`${textOf([head])}\n${textOf(others).replace(from, to)}`).found
    for (const [from, to] of [
      ['"v":1', '"v":1.0'],
      ['"v":1', '"v":1e0'],
      ['"cost_microeur":15', '"cost_microeur":15.0'],
      ['"settles":0', '"settles":-0'],
      ['"share":0.5', '"share":0.50'],
      ['"share":0.5', '"share":5e-1'],
      ['"cost_prevented_eur":0', '"cost_prevented_eur":0.0'],
    ] as const) {
      expect(respelled(from, to)).toContain('content_mismatch')
    }
  })

  it('is not proven where a record has no signature, unless the export’s own list says that its key has ended', async () => {
    const bareAt = async (createdAt: string, ...keys: object[]) => {
      const made = await makeAuditLines({
        keys: keys as Record<string, unknown>[],
        recordKey: newKey,
        recordAt: Date.parse('2026-11-21T05:00:00Z'),
      })
      const bared = changed(changed(made, 0, { created_at: createdAt }), 1, { signature: null })
      return checkText(textOf(await finished(bared)))
    }
    const bare = (...keys: object[]) => bareAt('2026-11-23T00:00:00.000Z', ...keys)
    const active = await bare(publishedKey(oldKey), newKeyListed)
    expect(active.found).toEqual(['not_proven', 'not_proven', 'not_proven'])
    expect(active.whole).toMatch(/, 1 records without a signature$/)
    const ended = { ...newKeyListed, status: 'retired', valid_until: '2026-11-22T00:00:00Z' }
    expect((await bare(publishedKey(oldKey), ended)).found).toEqual(['valid'])
    const tooSoon = await bareAt('2026-11-21T23:00:00.000Z', publishedKey(oldKey), ended)
    expect(tooSoon.found).toEqual(['not_proven', 'not_proven', 'not_proven'])
    expect((await bare(publishedKey(oldKey))).found).toEqual([
      'invalid',
      'not_proven',
      'key_not_trusted',
      'lines_wrong',
    ])
    const early = { ...ended, valid_until: '2026-11-21T01:00:00Z' }
    expect((await bare(publishedKey(oldKey), early)).found).toContain('outside_key_period')
  })

  it('judges each record’s key by its own list', async () => {
    const under = async (change: object) => {
      const keys = [publishedKey(oldKey), publishedKey(newKey, { ...change })]
      return check(await finished(await makeAuditLines({ keys, recordKey: newKey })))
    }
    expect(await under({})).toEqual(['valid'])
    expect(await under(RETIRED)).toEqual(['valid'])
    expect(await under({ ...REVOKED, suspected_since: '2026-11-20T06:00:00Z' })).toEqual(['valid'])
    expect(await under({ ...REVOKED, suspected_since: '2026-11-20T04:00:00Z' })).toContain('key_revoked')
    expect(await under({ ...RETIRED, valid_until: '2026-11-20T04:00:00Z' })).toContain('outside_key_period')
    expect(check(await finished(await makeAuditLines({ recordKey: newKey })))).toContain('key_not_trusted')
  })

  it('has the signature of each person’s decision, and none in the schema audit-2', async () => {
    const [signed, unsigned] = await Promise.all([makeDecisionLines(), makeDecisionLines({ schema: 'audit-2' })])
    expect(check(await finished(signed))).toEqual(['valid'])
    expect(check(await finished(unsigned))).toEqual(['valid'])
    const faultOf = async (made: readonly Line[]) => check(await finished(made))[1]
    expect(await faultOf(changed(signed, 0, { schema: 'audit-2' }))).toBe('members')
    expect(await faultOf(changed(unsigned, 0, { schema: 'audit-3' }))).toBe('members')
    expect(await faultOf(changed(signed, 1, { signature: null }))).toBe('not_proven')
    expect(await faultOf(changed(signed, 1, { signature: 'A'.repeat(86) }))).toBe('signature_mismatch')
    expect(await faultOf(await makeDecisionLines({ change: { decision: 'ACCEPTED' } }))).toBe('signature_mismatch')
    expect(await faultOf(await makeDecisionLines({ change: { decision: 'DOUBTED' } }))).toBe('unknown_decision')
    const another = await makeDecisionLines({ change: { org_id: 'org_other' } })
    expect(await faultOf(another)).toBe('entry_of_another_organisation')
    const revoked = { ...REVOKED, suspected_since: `${DAY}04:00:00Z` }
    const keys = [publishedKey(oldKey, revoked)]
    expect(check(await finished(await makeDecisionLines({ keys })))).toContain('key_revoked')
  })

  it('is not valid where the key of its last line is not good by its own list', async () => {
    expect(check(await finished(await makeAuditLines(), newKey))).toEqual(['invalid', 'key_not_trusted'])
  })
})

describe('an export of medical receipts', async () => {
  const lines = await finished(await makeMedicalLines())

  it('is valid as the service signed it', () => {
    expect(check(lines)).toEqual(['valid'])
  })

  it('is not valid where anybody else changed anything and made the SHA-256 again', () => {
    for (const forged of [
      changed(lines, 0, { medical_use_cases: ['triage', 'letters'] }),
      changed(lines, 0, { medical_use_cases: null }),
      changed(lines, 0, { end: '2026-11-21' }),
      changed(lines, 1, { provider: 'another' }),
      changed(lines, 1, { use_case: 'another' }),
      changed(lines, 2, { approval_state: 'expired' }),
      changed(lines.toSpliced(2, 1), -1, { receipts: 1 }),
    ]) {
      expect(check(resealed(forged))).toContain('signature_mismatch')
    }
    expect(check(resealed(changed(lines, 0, { note: '' })))).toEqual(['invalid', 'members', 'head_not_valid'])
    expect(check(resealed(changed(lines, 1, { note: '' })))).toContain('not_a_receipt')
    expect(check(resealed(changed(lines, -1, { medical_use_cases: ['triage'] })))).toEqual(['invalid', 'members'])
  })

  it('is not proven where something of a receipt is missing', async () => {
    const made = await makeMedicalLines()
    for (const change of [{ attestation: null }, { acceptance: null }]) {
      expect(check(await finished(changed(made, 1, change)))).toEqual(['not_proven', 'not_proven', 'not_proven'])
    }
  })

  it('judges the keys of records and decisions by its own list', async () => {
    const under = async (...keys: Record<string, unknown>[]) =>
      check(await finished(await makeMedicalLines(keys, newKey), newKey))
    const since = (at: string) => publishedKey(oldKey, { ...REVOKED, suspected_since: `2026-11-20T${at}:00:00Z` })
    expect(await under(publishedKey(newKey), publishedKey(oldKey))).toEqual(['valid'])
    expect(await under(publishedKey(newKey), since('08'))).toEqual(['valid'])
    // The call at seven, the decision at six, the refusal at five.
    for (const [hour, count] of [
      ['07', 1],
      ['06', 3],
      ['05', 6],
    ] as const) {
      const found = await under(publishedKey(newKey), since(hour))
      expect([hour, found.filter((code) => code === 'key_revoked').length]).toEqual([hour, count])
    }
    expect(await under(publishedKey(newKey))).toContain('key_not_trusted')
  })
})
