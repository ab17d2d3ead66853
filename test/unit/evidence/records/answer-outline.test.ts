// The hash of an answer: the published vectors, and texts that come in any pieces.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerHasher } from '../../../../src/evidence/records/answer-hasher.ts'
import { portableHashFunctions } from '../../../../src/evidence/records/hash-functions.ts'
import {
  answerHash,
  answerMember,
  outlineOf,
  outlineOfEvents,
} from '../../../../src/evidence/records/answer-outline.ts'
import { canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import { isJsonObject, readJson } from '../../../../src/platform/json.ts'
import { beginSha256, sha256, sha256Hex } from '../../../../src/platform/sha256.ts'
import answers from '../../../fixtures/facts/answers.json'
import { runs } from '../../../support/runs.ts'

const RUNTIMES = { portable: portableHashFunctions, workers: { sha256, beginSha256 } }

const eventsOf = (stream: string) =>
  stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [readJson(line.slice('data: '.length))] : []))
    .filter(isJsonObject)

const read = (answer: string) => {
  const body = answer.startsWith('{') ? readJson(answer) : null
  return isJsonObject(body) ? outlineOf(body) : outlineOfEvents(eventsOf(answer))
}

it.each(answers.vectors)('hashes the vector: $name', ({ answer, salt, outline, ...hashes }) => {
  const made = read(answer)
  expect(JSON.stringify(made)).toBe(outline)
  expect(canonicalJson(made)).toBe(outline)
  const { sha256: hash, salt_sha256 } = hashes
  expect(made && answerHash(salt, made)).toBe(hash)
  expect(answerMember({ salt, sha256: hash })).toEqual({ v: 'answer-2', sha256: hash, salt_sha256 })
})

/** Mostly ASCII, with characters of each length and surrogates that may be alone, in pieces short and long. */
const unit = fc.oneof(
  fc.constantFrom('a', '"', 'é', '—', '😀', '\ud83d', '\ude00', '\ufeff'),
  fc.string({ minLength: 1, maxLength: 600 }),
)
const pieces = fc.array(
  fc.array(unit, { maxLength: 6 }).map((units) => units.join('')),
  { maxLength: 12 },
)

describe.each(Object.entries(RUNTIMES))('a text in pieces, hashed with the functions named %s', (_, functions) => {
  const hashOf = (text: string) => sha256Hex(text.toWellFormed())

  it('has the hash of the whole, and so has each text beside it', () => {
    fc.assert(
      fc.property(pieces, pieces, (first, second) => {
        const hasher = new AnswerHasher(functions)
        for (let at = 0; at < Math.max(first.length, second.length); at++) {
          hasher.addText(0, 'content', first[at])
          hasher.addArguments(0, 3, second[at])
          hasher.addText(1, 'refusal', second[at])
        }
        hasher.addFinish(0, 'stop')
        hasher.addFinish(1, 'stop')
        const [one, other] = hasher.outline()?.choices ?? []
        expect(one?.content).toBe(hashOf(first.join('')))
        expect(one?.tool_calls.map((call) => call.arguments)).toEqual(
          second.join('') === '' ? [] : [hashOf(second.join(''))],
        )
        expect(other?.refusal).toBe(hashOf(second.join('')))
      }),
      { numRuns: runs(300) },
    )
  })

  it('may be UTF-8 in part, after half a pair too', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, fc.boolean()), { maxLength: 12 }), (given) => {
        const hasher = new AnswerHasher(functions)
        hasher.addFinish(0, 'stop')
        let expected = ''
        for (const [text, isBytes] of given) {
          if (isBytes) {
            const event = new TextEncoder().encode(`{"${text}"}`)
            hasher.addContentBytes(0, event, 2, event.length - 2)
            // Bytes never continue a pair.
            expected = expected.toWellFormed() + text.toWellFormed()
          } else {
            hasher.addText(0, 'content', text)
            expected += text
          }
        }
        expect(hasher.outline()?.choices[0]?.content).toBe(hashOf(expected))
      }),
      { numRuns: runs(300) },
    )
  })
})

it('replaces what is no Unicode in names too, and takes the first that are not empty', () => {
  const outline = outlineOfEvents([
    {
      model: '',
      choices: [{ index: 0, delta: { tool_calls: [{ index: 1, id: '', function: { name: 'a\ud800' } }] } }],
    },
    { model: 'm', choices: [{ index: 0, delta: { tool_calls: [{ index: 1, id: 'c', function: { name: 'b' } }] } }] },
    {
      model: 'n',
      choices: [
        { index: 0, delta: null, finish_reason: 'stop' },
        { index: 0, finish_reason: 'length' },
      ],
    },
  ])
  expect(outline).toMatchObject({
    model: 'm',
    choices: [{ finish_reason: 'stop', tool_calls: [{ id: 'c', name: 'a\ufffd' }] }],
  })
})

it.each([
  ['an error', { error: { message: 'no' } }],
  ['a completion without choices', { model: 'm', choices: [] }],
  [
    'a choice with a role alone',
    { model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: null } }] },
  ],
])('finds no answer in %s', (_, body) => {
  expect(outlineOf(body)).toBeNull()
  expect(outlineOfEvents([body])).toBeNull()
})

it('takes the pieces of a Responses stream that was cut', () => {
  const call = { type: 'function_call', call_id: 'call_a', name: 'book' }
  const outline = outlineOfEvents([
    { type: 'response.created', response: { model: 'm', output: [] } },
    { type: 'response.output_text.delta', output_index: 2, delta: 'it' },
    { type: 'response.output_text.delta', output_index: 0, delta: 'Booking ' },
    { type: 'response.output_item.added', output_index: 1, item: call },
    { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
    { type: 'error', message: 'cut' },
  ])
  expect(outline).toEqual({
    model: 'm',
    choices: [
      {
        content: sha256Hex('Booking it'),
        finish_reason: '',
        index: 0,
        refusal: sha256Hex(''),
        tool_calls: [{ arguments: sha256Hex('{}'), id: 'call_a', name: 'book' }],
      },
    ],
  })
})
