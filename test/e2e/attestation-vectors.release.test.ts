// The vectors are those the maker makes; and the two verifiers agree on two thousand records, most of them changed.
import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readJsonObject } from '../../src/evidence/records/read-json-object.ts'
import { describeDecision, signRecord } from '../../src/evidence/records/attestation-record.ts'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { bytesOfVector, keysOfVector, trustOf } from '../fixtures/attestation/vector.ts'
import { judge } from '../unit/evidence/records/second-verifier.ts'
import { vectorFiles } from './attestation-vectors/make.ts'

describe('the vectors', () => {
  it.each(Object.entries(vectorFiles))('of %s are those that are made', (name, file) => {
    const stored: unknown = JSON.parse(readFileSync(`test/fixtures/attestation/${name}`, 'utf8'))
    expect(stored).toEqual(file)
  })

  it.each(Object.entries(vectorFiles))('of %s are judged alike in Node', async (_, { pinned, vectors }) => {
    for (const vector of vectors) {
      const keys = keysOfVector(vector, pinned)
      expect(await verdictOf(bytesOfVector(vector), keys), vector.name).toBe(vector.expected)
      expect(await judge(bytesOfVector(vector), keys), vector.name).toBe(vector.expected)
    }
  })
})

async function verdictOf(bytes: Uint8Array, keys: readonly string[] | null): Promise<string> {
  const read = readJsonObject(bytes)
  if (!read.readable) return 'unreadable'
  const verdict = verifyRecord(read.object, trustOf(keys))
  return verdict.valid ? 'valid' : verdict.fault
}

/** Numbers that look random and are the same in every run. */
function numbersFrom(name: string): (below: number) => number {
  let state = createHash('sha256').update(name).digest()
  return (below) => {
    state = createHash('sha256').update(state).digest()
    return state.readUInt32BE(0) % below
  }
}

type Pick = (below: number) => number

const TEXTS = ['', 'a', 'Z', 'é', '😀', '\uE000', '\u2028', '"\\\n', 'invented-model', 'x'.repeat(300)]

const pickFrom = <Item>(pick: Pick, items: readonly [Item, ...Item[]]): Item => items[pick(items.length)] ?? items[0]
const pickText = (pick: Pick): string => TEXTS.filter(() => pick(4) === 0).join('') + String(pick(1000))

/** A change to the text of a record, of the kinds that tell careless verifiers from careful ones. */
const CHANGES: readonly ((text: string, pick: Pick) => string)[] = [
  (text, pick) => replaceAt(text, pick(text.length), String.fromCharCode(0x20 + pick(0x5f))),
  (text, pick) => replaceAt(text, pick(text.length), ''),
  (text, pick) => replaceAt(text, pick(text.length), pickFrom(pick, ['\n', '\u0000', '😀', '\\u0061', ' '])),
  (text, pick) =>
    text.replace(/:("[^"]*"|\d+)/, `:${pickFrom(pick, ['null', 'true', '[]', '{}', '1.0', '1e999', '-1'])}`),
  (text, pick) => text.replaceAll(/"signature":"([^"]*)"/g, (_, s: string) => `"signature":"${changeText(s, pick)}"`),
  (text, pick) => text.replaceAll(/"timestamp":"([^"]*)"/g, (_, s: string) => `"timestamp":"${changeText(s, pick)}"`),
  (text, pick) => text.replaceAll(/"cost_prevented_eur":[^,]*/g, () => `"cost_prevented_eur":${pick(9)}e-${pick(9)}`),
  (text, pick) => text.replace('{', `{"${pickFrom(pick, ['v', 'note', 'model', '__proto__'])}":1,`),
  (text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).toReversed()), null, 2),
]

const replaceAt = (text: string, at: number, by: string): string => text.slice(0, at) + by + text.slice(at + 1)

function changeText(text: string, pick: Pick): string {
  const at = pick(text.length)
  return pickFrom(pick, [
    replaceAt(text, at, pickFrom(pick, ['A', '_', '0', '9', 'Z', '='])),
    replaceAt(text, text.length - 1, pickFrom(pick, ['A', 'Q', 'g', 'w', 'B', 'z'])),
    `${text}=`,
    `${text}\\n`,
    text.slice(0, -1),
  ])
}

// They are the same in every run. Others come after them: RECORDS=10000 npx vitest run test/e2e/attestation-vectors.test.ts
const RECORDS = Number(process.env['RECORDS'] ?? 2_000)

describe('two verifiers', () => {
  it(`agree on ${RECORDS} records, and on why each is refused`, { timeout: 300_000 }, async () => {
    const pick = numbersFrom('countersign, generated records')
    const key = await importSigningKey(new Uint8Array(32).fill(7))
    const seen = new Map<string, number>()
    for (let number = 0; number < RECORDS; number += 1) {
      const decision = {
        attestationId: '6f0f7c1e-3b52-4f7a-9c1d-2a5b8e4d7c10',
        organisationId: pickText(pick),
        requestHash: createHash('sha256').update(String(number)).digest('hex'),
        model: pickText(pick),
        outcome: pickFrom(pick, ['ALLOWED', 'BLOCKED', 'SUPPRESSED'] as const),
        policies: Array.from({ length: pick(4) }, () => pickText(pick)),
        costPreventedMicroeur: pick(3) === 0 ? 0 : pick(10 ** pick(9) + 1),
        decidedAt: Date.UTC(2026, 10, 20) + pick(1_000_000),
      }
      let text = JSON.stringify(await signRecord(describeDecision(decision, key.publicKey), key))
      // One in eight stays as it was signed.
      if (pick(8) > 0) text = CHANGES[pick(CHANGES.length)]?.(text, pick) ?? text
      const bytes = new TextEncoder().encode(text)
      const verdict = await verdictOf(bytes, [key.publicKey])
      expect(await judge(bytes, [key.publicKey]), text).toBe(verdict)
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1)
    }
    expect(seen.get('valid')).toBeGreaterThan(RECORDS / 10)
    expect(seen.get('signature_mismatch')).toBeGreaterThan(RECORDS / 10)
    expect(seen.size).toBeGreaterThanOrEqual(12)
  })
})
