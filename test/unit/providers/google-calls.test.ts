// Calls of Gemini's whose arguments are streamed: put together under their places, and never told as whole while they are not.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { decodeObjects } from './decoding.ts'
import { chatOf } from '../../fixtures/providers/index.ts'

type Json = Record<string, unknown>

const chunk = (parts: Json[], more: Json = {}): Json => ({
  responseId: 'r',
  candidates: [{ index: 0, content: { parts }, ...more }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
})
const call = (more: Json): Json => ({ functionCall: more })
const arg = (jsonPath: string, more: Json, willContinue = true): Json =>
  call({ partialArgs: [{ jsonPath, ...more }], ...(willContinue ? { willContinue } : {}) })
const STOP = chunk([], { finishReason: 'STOP' })

function read(chunks: readonly Json[]) {
  const decoder = chatOf('google').stream()
  const events = [...decodeObjects(decoder, chunks), ...decoder.close()]
  const { choices, usage } = assembleAnswer(events)
  const last = events.at(-1)
  return {
    calls: choices[0]?.toolCalls ?? [],
    reason: choices[0]?.finishReason,
    usage,
    end: last?.type === 'failed' && last.failure.kind !== 'unsupported' ? last.failure.cause : last?.type,
  }
}

const BEGUN = call({ name: 'look', willContinue: true })
const argumentsOf = (parts: readonly Json[]): unknown => {
  const { calls, reason, end } = read([chunk([BEGUN]), ...parts.map((part) => chunk([part])), chunk([call({})]), STOP])
  expect([end, reason, calls.length]).toEqual(['end', 'tool_calls', 1])
  return JSON.parse(calls[0]?.arguments ?? '')
}

describe('streamed arguments', () => {
  it('are put together over chunks, texts in pieces', () => {
    const parts = [
      arg('$.place', { stringValue: 'New ', willContinue: true }),
      arg('$.place', { stringValue: 'Delhi' }),
      arg('$.days', { numberValue: 3 }),
      arg('$.metric', { boolValue: false }),
      arg('$.note', { nullValue: 'NULL_VALUE' }),
      arg('$.rooms[0].name', { stringValue: 'a' }),
      arg('$.rooms[1]["door no."]', { numberValue: 0 }),
      arg("$.rooms[1]['it\\'s \"x\"']", { stringValue: '' }),
    ]
    expect(argumentsOf(parts)).toEqual({
      place: 'New Delhi',
      days: 3,
      metric: false,
      note: null,
      rooms: [{ name: 'a' }, { 'door no.': 0, 'it\'s "x"': '' }],
    })
  })

  it('of any shape come out as they were, wherever their texts are cut', () => {
    const leaf = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null))
    const name = fc.oneof(
      // Node's own JSON.parse takes a name that is a quotation mark for one that is a backslash, if it has just read that.
      fc.string({ minLength: 1 }).filter((text) => text !== '\\'),
      fc.constantFrom('__proto__', 'constructor', 'a.b', '0', '"', 'a\\', ']'),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
        fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(
        fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }),
        fc.integer({ min: 1, max: 5 }),
        (args, size) => {
          expect(argumentsOf([...partsOf(args, '$', size)])).toEqual(JSON.parse(JSON.stringify(args)))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('of two calls stay apart, and a signature of any part is the call’s', () => {
    const { calls } = read([
      chunk([BEGUN, { ...arg('$.at', { stringValue: 'l' }), thoughtSignature: 'c2ln' }]),
      chunk([arg('$.at', { stringValue: 'eft' }, false)]),
      chunk([
        call({ name: 'look', willContinue: true }),
        arg('$.at', { stringValue: 'right' }),
        call({ name: 'hear' }),
      ]),
      STOP,
    ])
    expect(calls.map(({ name, arguments: text, signature }) => [name, text, signature])).toEqual([
      ['look', '{"at":"left"}', 'c2ln'],
      ['look', '{"at":"right"}', undefined],
      ['hear', '{}', undefined],
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  it('are the same in an answer that comes in one piece', () => {
    const body = chunk([BEGUN, arg('$.at', { stringValue: 'left' }, false)], { finishReason: 'STOP' })
    const decoded = chatOf('google').decode(body)
    expect(decoded).toMatchObject({
      answer: { choices: [{ toolCalls: [{ name: 'look', arguments: '{"at":"left"}' }] }] },
    })
  })
})

function* partsOf(value: unknown, path: string, size: number): Generator<Json> {
  if (typeof value === 'string') {
    for (let at = 0; at === 0 || at < value.length; at += size) {
      yield arg(path, { stringValue: value.slice(at, at + size), willContinue: true })
    }
  } else if (typeof value !== 'object' || value === null) {
    yield arg(
      path,
      value === null
        ? { nullValue: 'NULL_VALUE' }
        : { [typeof value === 'number' ? 'numberValue' : 'boolValue']: value },
    )
  } else {
    for (const [name, member] of Object.entries(value)) {
      yield* partsOf(member, Array.isArray(value) ? `${path}[${name}]` : `${path}[${JSON.stringify(name)}]`, size)
    }
  }
}

describe('a call that is not whole', () => {
  it('makes an answer that ends well a failure, with the usage that was told', () => {
    expect(read([chunk([BEGUN, arg('$.a', { stringValue: 'x' })]), STOP])).toMatchObject({
      end: 'malformed',
      usage: { inputUncached: 9 },
    })
  })

  it('is left out where the answer says that it was cut', () => {
    const cut = chunk([], { finishReason: 'MAX_TOKENS' })
    expect(read([chunk([BEGUN, arg('$.a', { stringValue: 'x' })]), cut])).toMatchObject({
      end: 'end',
      reason: 'length',
      calls: [],
    })
  })
})

it.each<[string, Json[], string]>([
  ['begin without a name', [arg('$.a', { stringValue: 'x' })], 'malformed'],
  ['have a place beyond their list', [BEGUN, arg('$.a[7]', { stringValue: 'x' })], 'malformed'],
  ['have a place in a text', [BEGUN, arg('$.a', { stringValue: 'x' }), arg('$.a.b', { numberValue: 1 })], 'malformed'],
  ['have members in a list', [BEGUN, arg('$.a[0]', { numberValue: 1 }), arg('$.a.b', { numberValue: 1 })], 'malformed'],
  ['have a place that is none', [BEGUN, arg('$..a', { numberValue: 1 })], 'malformed'],
  ['have a place of many', [BEGUN, arg('$.a[*]', { numberValue: 1 })], 'malformed'],
  ['have no place', [BEGUN, arg('$', { stringValue: 'x' })], 'malformed'],
  ['are nested endlessly', [BEGUN, arg(`$${'.a'.repeat(101)}`, { numberValue: 1 })], 'malformed'],
  ['are too many', [BEGUN, arg('$.a', { stringValue: 'x'.repeat(1024 * 1024) })], 'too_large'],
])('arguments that %s fail the answer', (_, parts, cause) => {
  expect(read([chunk(parts)])).toMatchObject({ end: cause, usage: { inputUncached: 9 } })
})

it('a name that objects have by themselves reaches nothing', () => {
  const parts = [
    arg('$.__proto__.polluted', { boolValue: true }),
    arg('$.constructor.prototype.polluted', { boolValue: true }),
  ]
  argumentsOf(parts)
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

it('a last usage that is no object leaves the output uncounted', () => {
  const { usage, end } = read([chunk([{ text: 'a' }]), { ...STOP, usageMetadata: 'x' }])
  expect(end).toBe('end')
  expect(usage).toMatchObject({ inputUncached: 9, unread: ['output'] })
})
