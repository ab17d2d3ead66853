// Tests the message about a faulty form: it names the member and what is expected there.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AppError } from '../../../src/platform/errors.ts'
import { checkBySchema, refuseDropped } from '../../../src/platform/check-by-schema.ts'

const partSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string().max(10) }),
  z.strictObject({ type: z.literal('link'), url: z.string() }),
])

const schema = z.strictObject({
  name: z.string().min(3).max(5).optional(),
  code: z
    .string()
    .regex(/^[a-z]+$/, 'expected lower-case letters')
    .optional(),
  count: z.int().min(1).max(9).optional(),
  isOn: z.boolean().optional(),
  size: z.union([z.enum(['small', 'large']), z.null()]).optional(),
  choice: z.union([z.enum(['all', 'none']), z.strictObject({ name: z.string() }), z.null()]).optional(),
  content: z.union([z.string(), z.array(partSchema).min(1).max(2)]).optional(),
  prices: z.record(z.string(), z.number()).optional(),
})

function refusal(value: unknown): AppError {
  const found = checkBySchema(schema, value, 'body')
  if (!(found instanceof AppError)) throw new Error('not refused')
  return found
}

const text = { type: 'text', text: 'a' }

describe('a message names the member and says what is expected of it', () => {
  it.each<[string, unknown]>([
    ['name: expected a string.', { name: 5 }],
    ['name: at least 3 characters.', { name: 'a' }],
    ['name: at most 5 characters.', { name: 'abcdef' }],
    ['code: expected lower-case letters.', { code: 'A' }],
    ['count: expected an integer.', { count: 1.5 }],
    ['count: at most 9.', { count: 10 }],
    ['isOn: expected true or false.', { isOn: 'yes' }],
    ['size: expected one of small, large.', { size: 'medium' }],
    ['size: expected one of small, large.', { size: 5 }],
    ['choice: expected one of all, none or an object.', { choice: 'some' }],
    ['choice.name: expected a string.', { choice: { name: 1 } }],
    ['choice.name: missing; expected a string.', { choice: {} }],
    ['content: expected a string or a list.', { content: 5 }],
    ['content: at least 1 entry.', { content: [] }],
    ['content: at most 2 entries.', { content: [text, text, text] }],
    ['content[0]: expected an object.', { content: ['a'] }],
    ['content[1].type: expected one of text, link.', { content: [text, { type: 'video' }] }],
    ['content[1].type: missing; expected one of text, link.', { content: [text, {}] }],
    ['content[1].text: at most 10 characters.', { content: [text, { type: 'text', text: 'a'.repeat(11) }] }],
    ['prices.small: expected a number.', { prices: { small: 'x' } }],
    ["The request's body: expected an object.", []],
    ['name: expected a string. 1 more in error.fields.', { name: 1, count: 'x' }],
  ])('%s', (message, value) => {
    const found = refusal(value)
    expect([found.message, found.code]).toEqual([
      message,
      message.includes(': missing;') ? 'missing_parameter' : 'invalid_request',
    ])
    const path = message.startsWith('The') ? undefined : message.split(':')[0]
    expect(found.details.param).toBe(path)
  })

  it('an unknown one with those that exist in its place', () => {
    expect(refusal({ content: [{ ...text, weight: 1 }] }).message).toBe(
      "The request's body has an unknown member (content[0].weight); those that exist: type, text.",
    )
  })

  it('and never holds what was sent, nor a name that is not a plain word', () => {
    const secret = 'Dear Dr Zebra'
    const wrong = [
      { size: secret },
      { choice: secret },
      { code: secret },
      { content: [{ type: secret }] },
      { prices: { [secret]: 'x' } },
      { [secret]: 1 },
    ]
    for (const value of wrong) expect(JSON.stringify([refusal(value), refusal(value).message])).not.toContain('Zebra')
  })
})

describe('thousands of faults', () => {
  it('are answered with a few of them', () => {
    const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, 1]))
    expect(refusal(names)).toMatchObject({ details: { param: 'm0', fields: { length: 5 } } })
    const prices = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, 'x']))
    expect(refusal({ prices })).toMatchObject({ details: { param: 'prices.p0', fields: { length: 20 } } })
  })
})

describe('a member named __proto__', () => {
  const sentAs = (form: z.ZodType, json: string) => {
    const sent: unknown = JSON.parse(json)
    return refuseDropped(sent, form.parse(sent), 'body')
  }
  const records = z.strictObject({ rows: z.array(z.record(z.string(), z.record(z.string(), z.number()))) })

  it('is refused by its path where a record drops it', () => {
    for (const json of ['{"rows":[{},{"a":{"__proto__":1}}]}', String.raw`{"rows":[{},{"a":{"\u005f_proto__":1}}]}`]) {
      const param = 'rows[1].a.__proto__'
      const message = `${param}: no member can have this name.`
      expect(sentAs(records, json)).toMatchObject({ code: 'invalid_request', message, details: { param } })
    }
  })

  it('is accepted where it is kept, and no other name is refused', () => {
    expect(sentAs(z.strictObject({ any: z.unknown() }), '{"any":{"__proto__":{"a":1}}}')).toBeNull()
    expect(sentAs(z.object({}), '{"dropped":1}')).toBeNull()
    expect(sentAs(records, '{"rows":[{"constructor":{"toString":1}}]}')).toBeNull()
  })
})
