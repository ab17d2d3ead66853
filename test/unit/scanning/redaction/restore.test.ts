// Values come back wherever their placeholders stand, however the answer is cut into pieces, and nothing else changes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactRequest } from '../../../../src/gateway/scan/redact-request.ts'
import {
  createPlaceholders,
  createRestorer,
  MOST_GROWTH,
  type TextForm,
} from '../../../../src/scanning/redaction/placeholders.ts'
import { SHAPES } from '../../../../src/scanning/identifiers/shapes/index.ts'
import { textMessage } from '../../../../src/providers/chat-request.ts'
import { PLANTED } from './planted.ts'

const VALUES = new Map([
  ['[EIRCODE_1]', 'D02 X285'],
  ['[EIRCODE_12]', 'T12 X00E'],
  ['[EMAIL_ADDRESS_1]', '"joe"\n@example.ie'],
])

function inPieces(pieces: readonly string[], form: TextForm = 'plain'): { passed: string[]; rest: string } {
  const restorer = createRestorer(VALUES).inPieces(form)
  const passed = pieces.map((piece) => restorer.push(piece))
  return { passed, rest: restorer.flush() }
}

describe('a whole text', () => {
  it.each(SHAPES)('gets back a value of the shape %s', (shape) => {
    const placeholders = createPlaceholders(new Set())
    const text = `to ${placeholders.of({ shape, value: 'a value', quoted: false, start: 0, end: 7 })}.`
    const restorer = createRestorer(placeholders.values)
    expect(restorer.restore(text, 'plain')).toBe('to a value.')
    const pieces = restorer.inPieces('plain')
    expect(Array.from(text, (piece) => pieces.push(piece)).join('') + pieces.flush()).toBe('to a value.')
  })

  it('has the values of this call and of no other', () => {
    const { restore } = { restore: (text: string) => createRestorer(VALUES).restore(text, 'plain') }
    expect(restore('[EIRCODE_1], [EIRCODE_12]; [EIRCODE_2] [eircode_1] EIRCODE_1 [[EIRCODE_1]]')).toBe(
      'D02 X285, T12 X00E; [EIRCODE_2] [eircode_1] EIRCODE_1 [D02 X285]',
    )
  })

  it('is JSON still', () => {
    const restored = createRestorer(VALUES).restore('{"to":"[EMAIL_ADDRESS_1]"}', 'json')
    expect(JSON.parse(restored)).toEqual({ to: '"joe"\n@example.ie' })
  })

  it('grows by so much and no more', () => {
    const long = new Map([['[PRIVATE_KEY_1]', 'x'.repeat(100_015)]])
    const restored = createRestorer(long).restore('[PRIVATE_KEY_1] '.repeat(20), 'plain')
    expect(restored.split('x'.repeat(100_015)).length - 1).toBe(Math.floor(MOST_GROWTH / 100_000))
    expect(restored).toContain(' [PRIVATE_KEY_1] ')
  })
})

describe('a text in pieces', () => {
  it('holds back only what may be the beginning of a placeholder', () => {
    expect(inPieces(['See [EIRC', 'ODE_1', '2', '] and', ' [', 'EIX] or [EMAIL_', 'x']).passed).toEqual([
      'See ',
      '',
      '',
      'T12 X00E and',
      ' ',
      '[EIX] or ',
      '[EMAIL_x',
    ])
    expect(inPieces(['[NOTE', '] [a', ' [PHONE_', '1] [EIRCODE_x']).passed).toEqual([
      '[NOTE',
      '] [a',
      ' [PHONE_',
      '1] [EIRCODE_x',
    ])
  })

  it('ends with what was held back', () => {
    expect(inPieces(['[EIRCODE_', '1'])).toEqual({ passed: ['', ''], rest: '[EIRCODE_1' })
  })
})

describe('any text with values in it', () => {
  const noise = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('[', ']', '[EIRCODE_1]', '[EIRCODE_', '_1]', '[PHONE_NUMBER_2]', '[[IBAN_1]]', '[EMAIL'),
  )

  it('is the same again behind a provider that repeats it, wherever the answer is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(noise, PLANTED), { maxLength: 8 }),
        fc.array(fc.nat(20), { minLength: 1 }),
        (parts, cuts) => {
          const text = parts.join(' ')
          const { request, values } = redactRequest({ messages: [textMessage('user', text)] }, { default: 'redact' })
          const [part] = request.messages[0]?.content ?? []
          const answer = part?.type === 'text' ? part.text : ''
          const restorer = createRestorer(values).inPieces('plain')
          let restored = ''
          for (let at = 0, next = 0; at < answer.length; next += 1) {
            const size = (cuts[next % cuts.length] ?? 0) + 1
            restored += restorer.push(answer.slice(at, at + size))
            at += size
          }
          expect(restored + restorer.flush()).toBe(text)
          expect(createRestorer(values).restore(answer, 'plain')).toBe(text)
        },
      ),
      { numRuns: 1_000, seed: 8 },
    )
  })
})
