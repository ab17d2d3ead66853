// Every document that the verifier takes, changed in every place that it has: deleted, doubled, of another type, another value, with a
// member more. Nothing that was changed stays valid, but for what is written here.
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../../../src/platform/json.ts'
import type * as ed25519 from '../../../../src/evidence/records/ed25519.ts'
import { encodeBase64 } from '../../../../src/evidence/records/base64.ts'
import { NO_OPTIONS, MisuseError, type CheckOptions } from '../../../../src/evidence/verify/check-options.ts'
import { addDocumentFindings } from '../../../../src/evidence/verify/check-document.ts'
import { PROFILE_CHECKS } from '../../../../src/evidence/verify/check-reading.ts'
import { LinesCheck } from '../../../../src/evidence/verify/check-lines.ts'
import { FindingsReport, type Verdict } from '../../../../src/evidence/verify/findings-report.ts'
import { makeAcceptance, makeRefusal } from '../../../fixtures/evidence/invented-acceptance.ts'
import { makeCoveredBundle, makeCoveredLines } from '../../../fixtures/evidence/invented-coverage.ts'
import { makeErasure } from '../../../fixtures/evidence/invented-erasure.ts'
import { makeAnchor, makeEvidence, oldKey } from '../../../fixtures/evidence/invented-evidence.ts'
import {
  finished,
  makeAuditLines,
  makeDecisionLines,
  makeMedicalLines,
  resealed,
  type Line,
} from '../../../fixtures/evidence/invented-export.ts'
import vectors from '../../../fixtures/reading/vectors.json' with { type: 'json' }
import { issue, makeReceipts } from '../../../fixtures/evidence/invented-receipt.ts'

// Most signatures of a document are those of the unchanged one. Each is verified once.
vi.mock('../../../../src/evidence/records/ed25519.ts', async (load) => {
  const module = await load<typeof ed25519>()
  const verified = new Map<string, boolean>()
  const verifyEd25519: typeof ed25519.verifyEd25519 = (...given) => {
    const key = given.map(encodeBase64).join(' ')
    const isValid = verified.get(key) ?? module.verifyEd25519(...given)
    verified.set(key, isValid)
    return isValid
  }
  return { ...module, verifyEd25519 }
})

type Path = readonly (string | number)[]
type Mutation = { path: Path; what: string; value: unknown }

const { bundle: unanchored, record, ownTree, publicTree } = await makeEvidence()
const bundle = { ...unanchored, anchor: await makeAnchor({ of: ownTree, size: 4, to: 5 }) }
const receipts = await makeReceipts()

const asBytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function verdictOf(bytes: Uint8Array, more: Partial<CheckOptions>): Verdict | 'refused' {
  const report = new FindingsReport()
  try {
    addDocumentFindings(report, bytes, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] }, ...more })
  } catch (thrown) {
    if (thrown instanceof MisuseError) return 'refused'
    throw thrown
  }
  return report.verdict()
}

function verdictOfLines(lines: readonly unknown[]): Verdict {
  const report = new FindingsReport()
  const check = new LinesCheck(report, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } })
  for (const line of lines) check.take(asBytes(line))
  check.end()
  return report.verdict()
}

/** Anything else than a value, of its type and of others. */
function otherThan(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1, String(value), [value]]
  if (typeof value === 'boolean') return [!value, String(value), null]
  if (typeof value === 'string') {
    const flipped = value === '' ? 'x' : `${value.startsWith('1') ? '2' : '1'}${value.slice(1)}`
    return [flipped, `${value}\n`, [value], null]
  }
  if (value === null) return ['changed', 0, {}]
  return Array.isArray(value) ? [null, {}, [...(value as unknown[]), 'more']] : [null, [value], 'an object']
}

/** The mutations of a value at a path, and of all that is in it. */
function* mutationsOf(value: unknown, path: Path = []): Generator<Mutation> {
  if (path.length > 0) for (const other of otherThan(value)) yield { path, what: 'changed', value: other }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const list = value as unknown[]
    for (const [at, one] of list.entries()) {
      yield { path: [...path, at], what: 'deleted', value: list.toSpliced(at, 1) }
      yield { path: [...path, at], what: 'doubled', value: list.toSpliced(at, 0, one) }
      yield* mutationsOf(one, [...path, at])
    }
    return
  }
  yield { path: [...path, 'note'], what: 'added', value: { ...value, note: 'whole' } }
  for (const [name, one] of Object.entries(value)) {
    const { [name]: _, ...others } = value as Record<string, unknown>
    yield { path: [...path, name], what: 'deleted', value: others }
    yield* mutationsOf(one, [...path, name])
  }
}

/** `deleted`, `doubled` and `added` have the holder’s new value, `changed` the value’s own. */
function applied(document: unknown, { path, what, value }: Mutation): unknown {
  const at = what === 'changed' ? path : path.slice(0, -1)
  return placed(document, at, value)
}

function placed(document: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(document)) {
    return (document as unknown[]).map((one, index) => (index === name ? placed(one, rest, value) : one))
  }
  const object = document as Record<string, unknown>
  return { ...object, [name]: placed(object[name], rest, value) }
}

/** The changes that no finding noticed, each place once. */
function unnoticedIn(document: unknown, judge: (changed: unknown) => string): string[] {
  const whole = parsed(document)
  expect(judge(whole)).toBe('valid')
  const unnoticed = [...mutationsOf(whole)].filter((mutation) => judge(applied(whole, mutation)) === 'valid')
  return [...new Set(unnoticed.map(({ path, what }) => `${path.join('.')} ${what}`))]
}

const unnoticed = (document: unknown, more: Partial<CheckOptions> = {}): string[] =>
  unnoticedIn(document, (changed) => verdictOf(asBytes(changed), more))

const again = (lines: readonly unknown[]): readonly unknown[] =>
  lines.every((line) => typeof line === 'object' && line !== null) ? resealed(lines as Line[]) : lines

describe('a change is noticed wherever it is made', () => {
  it('in a record, a person’s decision, an erasure, an entry and a medical receipt', async () => {
    expect(unnoticed(record)).toEqual([])
    expect(unnoticed(await makeAcceptance(await makeRefusal()), { profile: PROFILE_CHECKS['accept-1'] })).toEqual([])
    expect(unnoticed(await makeErasure())).toEqual([])
    expect(unnoticed({ id: record.attestation_id, attestation: record })).toEqual([])
    expect(unnoticed(await issue(receipts.ofCall))).toEqual([])
    expect(unnoticed(await issue(receipts.ofRefusal))).toEqual([])
  })

  it('in a signed reading with its letter, and in what was chosen after it', () => {
    const [reading] = vectors.valid
    const [outcome] = vectors.outcomes
    const trust = { keys: [vectors.public_key] }
    const letter = new TextEncoder().encode(vectors.letter)
    const asReading = {
      trust,
      profile: PROFILE_CHECKS['reading-1'],
      reading: { letter, salt: vectors.salt, entry: null },
    }
    expect(unnoticed(reading?.record, asReading)).toEqual([])
    expect(unnoticed(outcome?.record, { trust, profile: PROFILE_CHECKS['outcome-1'] })).toEqual([])
  })

  it('in an export of audit entries and of medical receipts, also where its SHA-256 is made again', async () => {
    const exports = [makeAuditLines(), makeDecisionLines(), makeCoveredLines(), makeMedicalLines()] as const
    for (const [head, ...rest] of await Promise.all(exports)) {
      if (head === undefined) throw new Error('no head')
      // An anchor has many places, and is gone through in a bundle.
      const lines = await finished([{ ...head, anchor: null }, ...rest])
      expect(unnoticedIn(lines, (changed) => verdictOfLines(changed as unknown[]))).toEqual([])
      // Whatever the last line says of the bytes before it is made again here, and so never wrong.
      expect(unnoticedIn(lines, (changed) => verdictOfLines(again(changed as unknown[])))).toEqual([
        `${lines.length - 1}.sha256 changed`,
      ])
    }
  })

  it('in an evidence bundle, but for what it may leave out and what nobody signs in it', () => {
    expect(unnoticed(bundle)).toEqual([
      // Anybody who hands it on can take these out.
      'facts changed',
      'settlement changed',
      'settlement.proof.v deleted',
      'settlement.proof.org_id deleted',
      // Anybody can take this one out too, and no other salt fits.
      'settlement.answer_salt changed',
      'organisation_log.head.timestamp deleted',
      // Not among the signed bytes.
      'organisation_log.head.timestamp changed',
      'organisation_log.proof.v deleted',
      'organisation_log.proof.org_id deleted',
      'organisation_log.proof.attestation_id deleted',
      'public_log changed',
      // The list takes trust away and never gives it.
      'keys.note added',
      'keys.keys.0.valid_from changed',
      // Its absence is told in a note.
      'anchor deleted',
      'anchor changed',
      'anchor.public_log.proof.log deleted',
      'anchor.public_log.proof.attestation_id deleted',
    ])
  })

  it('in the coverage entry of a bundle, but for what it may leave out', async () => {
    const { coverage, ...others } = await makeCoveredBundle()
    const judge = (changed: unknown) => verdictOf(asBytes({ ...others, coverage: changed }), {})
    expect(unnoticedIn(coverage, judge)).toEqual(['proof.v deleted', 'proof.org_id deleted'])
    expect(judge(null)).toBe('valid')
  })

  it('in the signed members of a head, and in a proof with its head', () => {
    const unsigned = ['v', 'public_key', 'key_id', 'algorithm'].flatMap((name) => [
      `${name} deleted`,
      `${name} changed`,
    ])
    expect(unnoticed(bundle.public_log.head)).toEqual(['note added', ...unsigned])
    const heads = [parsed(bundle.public_log.head) as JsonObject]
    expect(unnoticed(publicTree.inclusion(4), { heads })).toEqual(['note added'])
  })
})
