// Tests what is redacted in each place of a request, and what replaces it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { PiiScanSchema, refusePii, type PiiScan } from '../../../../src/policies/rules/pii-scan.rule.ts'
import { redactRequest } from '../../../../src/gateway/scan/redact-request.ts'
import { createRestorer } from '../../../../src/scanning/redaction/placeholders.ts'
import { textMessage, type ChatRequest, type Message } from '../../../../src/providers/chat-request.ts'
import { PLANTED } from '../../scanning/redaction/planted.ts'

const REDACT: PiiScan = { default: 'redact' }

const asked = (text: string): ChatRequest => ({ messages: [textMessage('user', text)] })

const said = ({ messages }: ChatRequest): string =>
  messages.map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join('')).join('\n')

const redacted = (text: string, scan = REDACT): string => said(redactRequest(asked(text), scan).request)

describe('the document', () => {
  it('has an action for all shapes and others for some', () => {
    const scan = PiiScanSchema().parse({ default: 'report', shapes: { iban: 'block', date: 'ignore' } })
    expect(scan).toEqual({ default: 'report', shapes: { iban: 'block', date: 'ignore' } })
    expect(PiiScanSchema().parse({ default: 'block' })).toEqual({ default: 'block' })
  })

  it.each([
    {},
    { default: 'delete' },
    { default: 'report', shapes: { name: 'block' } },
    { default: 'block', extra: 1 },
  ])('is not %j', (given) => {
    expect(PiiScanSchema().safeParse(given).success).toBe(false)
  })
})

describe('a text', () => {
  it('has a number for each value, and the same for the same value', () => {
    expect(redacted('Ring 087 123 4567 or 01 809 1234, or 087 123 4567 again. D02 X285.')).toBe(
      'Ring [PHONE_NUMBER_1] or [PHONE_NUMBER_2], or [PHONE_NUMBER_1] again. [EIRCODE_1].',
    )
  })

  it('loses a record number in brackets after its label, and one behind them', () => {
    expect(redacted('MRN (123456) 654321, MRN (old 2021) 112233, Chart (2019-2020) 445566.')).toBe(
      'MRN ([HOSPITAL_RECORD_NUMBER_1]) [HOSPITAL_RECORD_NUMBER_2], MRN (old [HOSPITAL_RECORD_NUMBER_3]) ' +
        '[HOSPITAL_RECORD_NUMBER_4], Chart (2019-2020) [HOSPITAL_RECORD_NUMBER_5].',
    )
  })

  it('never gets a placeholder that its caller wrote', () => {
    const { request, values } = redactRequest(
      asked('[EIRCODE_1] and [EIRCODE_3] stand for D02 X285 and T12 X00E.'),
      REDACT,
    )
    expect(said(request)).toBe('[EIRCODE_1] and [EIRCODE_3] stand for [EIRCODE_2] and [EIRCODE_4].')
    expect([...values.keys()]).toEqual(['[EIRCODE_2]', '[EIRCODE_4]'])
  })

  it('loses only what is to be taken out, and all that is found is counted save what is ignored', () => {
    const text = 'Ring 087 123 4567, D02 X285, joe@example.ie, born 12/03/1970.'
    const scan: PiiScan = {
      default: 'report',
      shapes: { eircode: 'redact', email_address: 'block', date_of_birth: 'ignore' },
    }
    const { request, counts, redacted: count } = redactRequest(asked(text), scan)
    expect(said(request)).toBe(text.replace('D02 X285', '[EIRCODE_1]'))
    expect(counts).toEqual({ phone_number: 1, eircode: 1, email_address: 1 })
    expect(count).toBe(1)
    expect(refusePii(scan, { findings: { pii_scan: counts } })).toBe('found: email_address')
    expect(refusePii(scan, { findings: { pii_scan: { eircode: 2 } } })).toBeNull()
  })

  it('may be full of placeholders that its caller wrote', () => {
    const written = Array.from({ length: 40_000 }, (_, at) => `[EIRCODE_${at + 1}]`).join('')
    expect(redacted(`${written} D02 X285`)).toBe(`${written} [EIRCODE_40001]`)
  })

  it('without any of it is the very request that came', () => {
    const request = asked('Nothing of the kind, [EIRCODE_1] apart.')
    expect(redactRequest(request, REDACT).request).toBe(request)
  })
})

describe('a request', () => {
  const PHONE = '087 123 4567'
  const image = { type: 'image', url: 'https://example.ie/087-123-4567.png' } as const
  const thought = { type: 'thinking', thinking: `It is ${PHONE}.`, signature: 's' } as const
  const request: ChatRequest = {
    messages: [
      { role: 'system', content: [{ type: 'text', text: `Sender ${PHONE}` }], name: 'ward' },
      { role: 'developer', content: [{ type: 'text', text: `Never tell ${PHONE}` }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: `From ${PHONE}` },
          image,
          { type: 'file', url: 'data:a/b;base64,', name: `${PHONE}.pdf` },
        ],
        name: PHONE,
      },
      {
        role: 'assistant',
        content: [{ type: 'text', text: `I ring ${PHONE}` }],
        thinking: [thought],
        toolCalls: [
          {
            id: 'call_0871234567',
            name: 'ring_0871234567',
            arguments: `{"n": "${PHONE}", "phone":871234567 ,"x":12345678901234567890}`,
          },
        ],
      },
      {
        role: 'tool',
        toolCallId: 'call_0871234567',
        content: [{ type: 'text', text: `{"rang":"a\\n${PHONE}\\nb","mrn":123456}` }, image],
      },
      { role: 'tool', toolCallId: 'other', content: [{ type: 'text', text: `[rang] ${PHONE}` }] },
    ],
    tools: [
      {
        name: 'ring',
        description: `Rings ${PHONE}`,
        parameters: {
          type: 'object',
          properties: {
            '0871234567': {
              type: 'string',
              description: `As ${PHONE}`,
              enum: [PHONE, '0871234567'],
              $ref: '#/$defs/0871234567',
            },
          },
          required: ['0871234567'],
        },
      },
    ],
    responseFormat: { type: 'json_schema', name: 'a', schema: { title: `For ${PHONE}` }, description: `To ${PHONE}` },
    stop: [`stop ${PHONE}`],
    user: `joe ${PHONE}`,
    webSearch: { location: { city: PHONE, country: 'IE' } },
  }

  it('loses it in every text, and stays what it is otherwise', () => {
    const { request: sent, values } = redactRequest(request, {
      default: 'redact',
      shapes: { hospital_record_number: 'report' },
    })
    const P = '[PHONE_NUMBER_1]'
    expect(sent.messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: `Sender ${P}` }], name: 'ward' },
      { role: 'developer', content: [{ type: 'text', text: `Never tell ${P}` }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: `From ${P}` },
          image,
          { type: 'file', url: 'data:a/b;base64,', name: `${P}.pdf` },
        ],
        name: P,
      },
      {
        role: 'assistant',
        content: [{ type: 'text', text: `I ring ${P}` }],
        thinking: undefined,
        toolCalls: [
          {
            id: 'call_[PHONE_NUMBER_2]',
            name: 'ring_0871234567',
            arguments: `{"n": "${P}", "phone":"[PHONE_NUMBER_3]" ,"x":12345678901234567890}`,
          },
        ],
      },
      {
        role: 'tool',
        toolCallId: 'call_[PHONE_NUMBER_2]',
        content: [{ type: 'text', text: `{"rang":"a\\n${P}\\nb","mrn":123456}` }, image],
      },
      { role: 'tool', toolCallId: 'other', content: [{ type: 'text', text: `[rang] ${P}` }] },
    ])
    expect(sent.tools).toEqual([
      {
        name: 'ring',
        description: `Rings ${P}`,
        parameters: {
          type: 'object',
          properties: {
            '0871234567': {
              type: 'string',
              description: `As ${P}`,
              enum: [P, '0871234567'],
              $ref: '#/$defs/0871234567',
            },
          },
          required: ['0871234567'],
        },
      },
    ])
    expect(sent.responseFormat).toEqual({
      type: 'json_schema',
      name: 'a',
      schema: { title: `For ${P}` },
      description: `To ${P}`,
    })
    expect([sent.stop, sent.user, sent.webSearch]).toEqual([
      [`stop ${P}`],
      `joe ${P}`,
      { location: { city: P, country: 'IE' } },
    ])
    expect([...values]).toEqual([
      [P, PHONE],
      ['[PHONE_NUMBER_2]', '0871234567'],
      ['[PHONE_NUMBER_3]', '871234567'],
    ])
  })

  it('is not sent where a value stands in what has to stay, such as names and addresses', () => {
    const { fixed, counts } = redactRequest(request, REDACT)
    // A picture twice, a function's name, and a member of a schema that is named, listed twice and referred to.
    expect(fixed).toEqual({ phone_number: 7 })
    const findings = { pii_scan: counts, pii_fixed: fixed }
    expect(refusePii(REDACT, { findings })).toBe('not_redactable: phone_number')
    expect(refusePii({ default: 'report' }, { findings })).toBeNull()
    expect(refusePii({ default: 'block' }, { findings })).toMatch(/^found: phone_number/)
  })
})

describe('a conversation that goes on', () => {
  it('keeps its placeholders, so that what its provider has kept of it still fits', () => {
    const tools = [{ name: 'ring', description: 'Rings 087 123 4567' }]
    const messages = [textMessage('user', 'I am at D02 X285, ring 01 809 1234')]
    const first = redactRequest({ messages, tools }, REDACT).request
    const more = [...messages, textMessage('assistant', 'T12 X00E?'), textMessage('user', 'No, ring 021 427 1234')]
    const second = redactRequest({ messages: more, tools }, REDACT).request
    expect(second.tools).toEqual(first.tools)
    expect(second.messages[0]).toEqual(first.messages[0])
    expect(said(second)).toContain('[PHONE_NUMBER_3]')
  })
})

const argumentsOf = (written: string): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: [{ id: 'c', name: 'f', arguments: written }],
})

/** Returns the arguments of the only call of the only message. */
function redactedArguments(written: string): string {
  const [sent] = redactRequest({ messages: [argumentsOf(written)] }, REDACT).request.messages
  return sent?.role === 'assistant' ? (sent.toolCalls?.[0]?.arguments ?? '') : ''
}

describe('JSON with escapes in it', () => {
  const unitsOf = (text: string): string =>
    Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

  const characters = ['\u0000', '\u001f', '😀', 'é', '\u0300', '\u202e', ':', '\\', '"', '/', '\b', '\n', '0', '\ud83d']
  const values = ['joe@example.ie', '087 123 4567', 'D02 X285', 'AKIAIOSFODNN7EXAMPLE', '"joe bloggs"@example.ie']

  it.each(characters)('loses what the same words without escapes lose: %j', (character) => {
    const withoutValues = values.flatMap((value) => {
      const asWritten = (pre: string, post: string): string =>
        `{"a":"${pre}${JSON.stringify(value).slice(1, -1)}${post}"}`
      const escaped = unitsOf(character)
      return [asWritten(escaped, ''), asWritten('', escaped), asWritten(escaped, escaped), `{"a":"${unitsOf(value)}"}`]
    })
    for (const written of withoutValues) {
      const { a: words } = JSON.parse(written) as { a: string }
      expect(JSON.parse(redactedArguments(written))).toEqual({ a: redacted(words) })
    }
  })

  it('keeps the escapes around a value as they were written', () => {
    expect(redactedArguments('{"\\u0061":"\\ud83d\\ude00joe@example.ie\\u0007\\/"}')).toBe(
      '{"\\u0061":"\\ud83d\\ude00[EMAIL_ADDRESS_1]\\u0007\\/"}',
    )
  })
})

describe('a schema', () => {
  const redactedSchema = (schema: JsonObject): JsonObject | undefined =>
    redactRequest({ messages: [], tools: [{ name: 'f', parameters: schema }] }, REDACT).request.tools?.[0]?.parameters

  it('loses a value behind a character that JSON writes as an escape', () => {
    expect(redactedSchema({ description: '\u0007joe@example.ie' })).toEqual({ description: '\u0007[EMAIL_ADDRESS_1]' })
  })

  it('loses a value in a text that begins as a reference does', () => {
    expect(redactedSchema({ description: '# Help\njoe@example.ie' })).toEqual({
      description: '# Help\n[EMAIL_ADDRESS_1]',
    })
  })

  it('keeps the dialect that it names, which looks like a date', () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }
    const { counts, request } = redactRequest({ messages: [], tools: [{ name: 'f', parameters: schema }] }, REDACT)
    expect([counts, request.tools?.[0]?.parameters]).toEqual([{}, schema])
  })

  it('loses what is in a list where a reference would be', () => {
    const schema = { properties: { $ref: { $schema: ['joe@example.ie'], $ref: '#/$defs/D02 X285' } } }
    expect(redactedSchema(schema)).toEqual({
      properties: { $ref: { $schema: ['[EMAIL_ADDRESS_1]'], $ref: '#/$defs/D02 X285' } },
    })
  })
})

describe('a number in a schema', () => {
  const fixedIn = (schema: JsonObject) =>
    redactRequest({ messages: [], tools: [{ name: 'f', parameters: schema }] }, REDACT).fixed

  it.each([
    [{ enum: [4111111111111111] }, { payment_card: 1 }],
    [{ default: 871234567 }, { hospital_record_number: 1 }],
    [{ maximum: 4111111111111111 }, { payment_card: 1 }],
  ])('of %j refuses the request', (schema, fixed) => {
    expect(fixedIn(schema)).toEqual(fixed)
  })

  it.each([
    { minimum: -9007199254740991, maximum: 9007199254740991 },
    { exclusiveMaximum: 2147483647, multipleOf: 1000000, maxLength: 4194304, maxItems: 10000000 },
  ])('that only bounds another does not: %j', (schema) => {
    expect(fixedIn(schema)).toEqual({})
  })
})

describe('any JSON with values in it', () => {
  it('is JSON without them', () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(json, fc.array(PLANTED, { minLength: 1, maxLength: 4 }), json, (before, planted, after) => {
        const text = JSON.stringify({ before, planted, deep: [{ note: planted.join(';\n"') }], after })
        const { request, values } = redactRequest({ messages: [argumentsOf(text)] }, REDACT)
        const [sent] = request.messages
        const written = sent?.role === 'assistant' ? (sent.toolCalls?.[0]?.arguments ?? '') : ''
        expect(() => JSON.parse(written) as unknown).not.toThrow()
        for (const value of planted) expect(written).not.toContain(JSON.stringify(value).slice(1, -1))
        const restored = createRestorer(values).restore(written, 'json')
        // A number that was taken out comes back as a text.
        const { planted: back } = JSON.parse(restored) as { planted: unknown[] }
        expect(back.map(String)).toEqual(planted.map(String))
      }),
      { numRuns: 200, seed: 7 },
    )
  })
})

describe('long arguments full of escapes', () => {
  it('are gone through once', () => {
    const note = `${'\n"'.repeat(250_000)} 087 123 4567`
    const call = { id: 'c', name: 'f', arguments: JSON.stringify({ note }) }
    const message: Message = { role: 'assistant', content: [], toolCalls: [call] }
    expect(redactRequest({ messages: [message] }, REDACT).redacted).toBe(1)
  })
})

describe('a large schema full of values', () => {
  it('is gone through once', () => {
    const values = Array.from({ length: 20_000 }, (_, at) => `087 123 ${String(1_000 + (at % 9_000))}`)
    const schema = { enum: values, properties: Object.fromEntries(values.map((value) => [`${value}.`, true])) }
    const request: ChatRequest = { ...asked('Hello'), responseFormat: { type: 'json_schema', name: 'a', schema } }
    const { redacted: count, values: taken } = redactRequest(request, REDACT)
    expect([count, taken.size]).toEqual([20_000, 9_000])
  })
})
