// Values that lie over neighbouring parts and consecutive messages: found wherever they are cut, and few made up.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runSteps, type Steps } from '../../../../src/platform/computation-steps.ts'
import { scanTextsInSteps } from '../../../../src/gateway/scan/scan-request.ts'
import { redactInSteps, redactRequest } from '../../../../src/gateway/scan/redact-request.ts'
import { textsOf } from '../../../../src/scanning/texts/request-texts.ts'
import { createRestorer } from '../../../../src/scanning/redaction/placeholders.ts'
import { textMessage, type ChatRequest, type Message } from '../../../../src/providers/chat-request.ts'
import { runs } from '../../../support/runs.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { CLINICAL_TEXTS, markedTexts } from '../identifiers/corpus.ts'
import { PLANTED } from './planted.ts'

const textPart = (said: string) => ({ type: 'text', text: said }) as const
const inParts = (...said: string[]): Message[] => [{ role: 'user', content: said.map(textPart) }]
const inTurn = (...said: string[]): Message[] => said.map((one) => textMessage('user', one))
const bySpeakers = (...said: string[]): Message[] =>
  said.map((one, at) => textMessage(at % 2 === 0 ? 'user' : 'assistant', one))

const redact = (messages: readonly Message[]) => redactRequest({ messages }, { default: 'redact' })
const saidIn = ({ messages }: ChatRequest): string[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))

/** Sends it out, and lets the answer repeat it. */
function redactedTexts(messages: readonly Message[]): string[] {
  const { request, values } = redact(messages)
  const restored = saidIn(request).map((one) => createRestorer(values).restore(one, 'plain'))
  expect(restored).toEqual(saidIn({ messages }))
  return saidIn(request)
}

const KEY_LINES = Array.from({ length: 24 }, (_, at) => `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2)}${at + 10}`)
const TOKEN = `sk-ant-${'a1B2c3D4e5'.repeat(12)}`

describe.each([
  ['neighbouring parts', inParts],
  ['consecutive messages', inTurn],
  ['messages of two speakers', bySpeakers],
])('a value over %s', (_, send) => {
  it.each([
    ['pps_number', ['PPSN 1234', '567FA']],
    ['pps_number', ['It is 1234567', 'FA.']],
    ['payment_card', ['4111 1111 ', '1111 1111']],
    ['payment_card', ['4111 1111', '1111 1111']],
    ['payment_card', ['41111111', '11111111']],
    ['payment_card', ['4111', '1111', '', '1111', '1111']],
    ['payment_card', Array.from('4111111111111111')],
    ['iban', ['IE29 AIBK 9311', '5212 3456 78']],
    ['phone_number', ['Ring 087 123', '4567 today']],
    ['eircode', ['She lives at D02', 'X285']],
    ['email_address', ['joe.bloggs@exam', 'ple.ie']],
    ['nhs_number', ['NHS no. 943 476', '5919']],
    ['date_of_birth', ['DOB 12/03', '/1970']],
    ['anthropic_key', [`use ${TOKEN.slice(0, 100)}`, `${TOKEN.slice(100)} now`]],
    ['private_key', [`-----BEGIN PRIVATE KEY-----\n${KEY_LINES.join('\n')}`, '\n-----END PRIVATE KEY-----']],
  ])('is taken out as one %s: %j', (shape, said) => {
    const { counts } = redact(send(...said))
    expect(counts[shape as keyof typeof counts]).toBe(1)
    const written = redactedTexts(send(...said)).join('')
    for (const one of said.join(' ').match(/\d{4,}|[A-Za-z0-9+/]{24,}/g) ?? []) expect(written).not.toContain(one)
    expect(redact(redact(send(...said)).request.messages).counts).toEqual({})
  })
})

describe('a value is found', () => {
  const halves = ['PPSN 1234', '567FA'] as const
  const found = { pps_number: 1 }

  it('past an instruction, which most providers are sent apart from the other messages', () => {
    const [first, second] = halves
    expect(
      redact([textMessage('user', first), textMessage('system', 'Be kind.'), textMessage('user', second)]).counts,
    ).toEqual(found)
    expect(
      redact([textMessage('system', first), textMessage('user', 'Hello.'), textMessage('system', second)]).counts,
    ).toEqual(found)
    expect(redact([textMessage('system', first), textMessage('user', second)]).counts).toEqual(found)
  })

  it('past a picture, and in what is no JSON by itself', () => {
    const image = { type: 'image', url: 'https://example.ie/a.png' } as const
    expect(redact([{ role: 'user', content: [textPart(halves[0]), image, textPart(halves[1])] }]).counts).toEqual(found)
    const parts = [textPart('{"ppsn": "1234'), textPart('567FA"}')]
    expect(redact([{ role: 'tool', toolCallId: 'c', content: parts }]).counts).toEqual(found)
  })

  it.each([
    ['payment_card', ['My card is', '4111 1111 11', '11 1111', 'thanks']],
    ['payment_card', ['My card is', '4111 11', '11 11', '11 1111', 'thanks']],
    ['pps_number', ['My number is', '1234567', 'FA', 'thanks']],
    ['pps_number', ['My number is', '123', '4567FA', 'thanks']],
    ['eircode', ['I live at', 'D02 X2', '85', 'thanks']],
    ['iban', ['Pay to', 'IE29 AI', 'BK 9311 5212 3456 78', 'thanks']],
    ['email_address', ['Write to', 'joe.bl', 'oggs@example.ie', 'thanks']],
  ] as const)('among other words: one %s in %j', (shape, said) => {
    expect(redact(inTurn(...said)).counts[shape]).toBe(1)
    expect(redactedTexts(inTurn(...said)).join(' ')).not.toMatch(/\d{3}|X2|oggs/)
  })

  it('far into long texts, where it is at their ends', () => {
    const long = 'Nothing of the kind is said here. '.repeat(200)
    expect(redactedTexts(inParts(`${long}${halves[0]}`, `${halves[1]} ${long}`))).toEqual([
      `${long}PPSN [PPS_NUMBER_1]`,
      `[PPS_NUMBER_2] ${long}`,
    ])
  })

  it('behind its label in the text before, of the same speaker', () => {
    expect(redact(inParts('My PPSN is', '123456T')).counts).toEqual(found)
    expect(redact(inTurn('MRN:', '12345')).counts).toEqual({ hospital_record_number: 1 })
    expect(redact(inParts('The Eircode is', 'DO2 XZ8S')).counts).toEqual({ eircode: 1 })
    expect(redact(bySpeakers('No', '12345 is too many')).counts).toEqual({})
  })

  it('in the middle of a long private key', () => {
    const key = ['-----BEGIN PRIVATE KEY-----', ...KEY_LINES, '-----END PRIVATE KEY-----']
    const [first, second, third] = [key.slice(0, 8), key.slice(8, 18), key.slice(18)].map(
      (lines) => `${lines.join('\n')}\n`,
    )
    expect(redactedTexts(inParts(first ?? '', second ?? '', third ?? '')).join('')).not.toContain('MIIE')
  })
})

describe('no value is made', () => {
  it.each([
    ['a date', inParts('I rate it 12', 'May I ask why?')],
    ['seven figures of two speakers', bySpeakers('Since 2018', '2022 ablation')],
    [
      'two results of tools',
      [
        { role: 'tool', toolCallId: 'a', content: [textPart('[1234]')] } as const,
        { role: 'tool', toolCallId: 'b', content: [textPart('[567]')] } as const,
      ],
    ],
    [
      'a number on both sides of a call',
      [
        {
          role: 'assistant',
          content: [textPart('1234')],
          toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }],
        } as const,
        { role: 'tool', toolCallId: 'c', content: [textPart('567FA')] } as const,
      ],
    ],
  ])('of %s', (_, messages) => {
    expect(redact(messages).counts).toEqual({})
  })

  it('of clinical sentences, one after the other', () => {
    const made = CLINICAL_TEXTS.slice(1).flatMap((one, at) => {
      const { counts } = redact(inParts(CLINICAL_TEXTS[at] ?? '', one))
      return Object.keys(counts).length > 0 ? [[CLINICAL_TEXTS[at], one, counts]] : []
    })
    expect(made).toEqual([])
  })
})

describe('short texts that have nothing to do with each other', () => {
  const redactAlone = (stop: readonly string[]) => redactRequest({ messages: [], stop }, { default: 'redact' })
  const withoutNames = (written: string): string => written.replaceAll(/\[[A-Z_]+_\d+\]/g, '[]')

  it('lose what each of them loses alone', () => {
    const texts = IDENTIFIER_SHAPES.flatMap((shape) => markedTexts(shape).map(({ text: marked }) => marked))
    const together = redactAlone(texts)
    const alone = texts.map((one) => redactAlone([one]))
    expect(together.request.stop?.map(withoutNames)).toEqual(
      alone.flatMap(({ request }) => request.stop ?? []).map(withoutNames),
    )
    for (const shape of IDENTIFIER_SHAPES) {
      expect(together.counts[shape]).toBe(alone.reduce((sum, { counts }) => sum + (counts[shape] ?? 0), 0))
    }
  })
})

describe('any conversation with values in it', () => {
  const prose = fc.constantFrom(
    'Thank you. ',
    'She said: ',
    'my number is ',
    '\n',
    ' ',
    'seen for 3/12, BP 120/80. ',
    '[X] ',
  )
  const cut = fc.array(fc.nat(12), { minLength: 1, maxLength: 6 })
  const roles = fc.array(fc.constantFrom('user', 'assistant', 'system', 'developer'), { minLength: 1, maxLength: 4 })

  /** Cuts a text into parts of these lengths, and gives each so many of them to a message. */
  function converse(whole: string, cuts: readonly number[], speakers: readonly Message['role'][]): Message[] {
    const messages: Message[] = []
    for (let at = 0, next = 0; at < whole.length; next += 1) {
      const size = (cuts[next % cuts.length] ?? 0) + 1
      const role = speakers[Math.floor(next / 2) % speakers.length] ?? 'user'
      if (role !== 'tool') messages.push({ role, content: [textPart(whole.slice(at, at + size))] })
      at += size
    }
    return messages
  }

  it('has none of them when it is sent, wherever it is cut, and all of them in the answer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(prose, PLANTED), { minLength: 1, maxLength: 4 }),
        cut,
        roles,
        (said, cuts, speakers) => {
          const whole = said.map(([before, value]) => `${before}${value}`).join('. ')
          const messages = converse(whole, cuts, speakers)
          const written = redactedTexts(messages).join('')
          for (const [, value] of said) if (!value.startsWith('12/03')) expect(written).not.toContain(value)
          expect(redact(redact(messages).request.messages).counts).toEqual({})
        },
      ),
      { numRuns: runs(300), seed: 11 },
    )
  })

  it('comes to the same where scans take turns after each step', () => {
    const conversation = fc
      .tuple(fc.array(fc.tuple(prose, PLANTED), { minLength: 1, maxLength: 4 }), cut, roles)
      .map(([said, cuts, speakers]) => ({
        messages: converse(said.map(([before, value]) => `${before}${value}`).join('. '), cuts, speakers),
      }))
    fc.assert(
      fc.property(fc.array(conversation, { minLength: 2, maxLength: 3 }), (requests) => {
        expect(inTurns(requests.map(scanned))).toEqual(requests.map((request) => runSteps(scanned(request))))
      }),
      { numRuns: runs(100), seed: 12 },
    )
  })
})

function* scanned(request: ChatRequest): Steps<unknown> {
  const texts = textsOf(request)
  const redaction = yield* redactInSteps(request, { default: 'redact' }, texts)
  return [redaction, yield* scanTextsInSteps(texts, { action: 'block' })]
}

/** The result of each, a step of each at a time. */
function inTurns<T>(all: readonly Steps<T>[]): T[] {
  const results = new Map<Steps<T>, T>()
  while (results.size < all.length) {
    for (const steps of all) {
      if (results.has(steps)) continue
      const step = steps.next()
      if (step.done === true) results.set(steps, step.value)
    }
  }
  return all.flatMap((steps) => {
    const result = results.get(steps)
    return result === undefined ? [] : [result]
  })
}
