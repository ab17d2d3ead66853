// Names that others read: of people, organisations and keys.
import { describe, expect, it } from 'vitest'
import { PersonNameSchema } from '../../../src/accounts/people/person.schema.ts'
import { organisationName } from '../../../src/accounts/organisation-settings.schema.ts'
import { CreateKeySchema } from '../../../src/keys/key.schema.ts'

it.each([PersonNameSchema(), organisationName()])('no name that may be mailed has six digits in a row', (schema) => {
  for (const name of ['Call 0800123', 'Call ０８００１２３', 'Win 123456', 'Ward ٠١٢٣٤٥'])
    expect(schema.safeParse(name).success, name).toBe(false)
  for (const name of ['Ward 12345', 'Since 1987 and 2026']) expect(schema.safeParse(name).success, name).toBe(true)
})

describe.each([
  ['a person', PersonNameSchema()],
  ['an organisation', organisationName()],
  ['a key', CreateKeySchema().shape.name],
])('the name of %s', (_, schema) => {
  it('is described by every rule that refuses one', () => {
    const refused = [
      'A \u0000 name',
      'A \u200b name',
      '\u2800',
      ...(schema.safeParse('123456').success ? [] : ['123456']),
    ]
    for (const name of refused) {
      const [issue] = schema.safeParse(name).error?.issues ?? []
      expect(schema.meta()?.description, name).toContain(issue?.message)
    }
  })

  it('has no character that does something, that turns a line around or that cannot be stored', () => {
    for (const odd of ['\u0000', '\u001b[2J', '\u009b', '\u2028', '\u202e', '\u2066', '\ufff9', '\ud800'])
      expect(schema.safeParse(`A ${odd} name`).success, JSON.stringify(odd)).toBe(false)
  })

  it('has no zero-width character and no direction mark, but for those that scripts and emoji need', () => {
    for (const odd of [
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u200f',
      '\u061c',
      '\u2060',
      '\u00ad',
      '\ufeff',
      '\ufe0f',
    ])
      for (const name of [`A${odd}name`, `Ｎ${odd}ame`, `e\u0301${odd}x`])
        expect(schema.safeParse(name).success, JSON.stringify(name)).toBe(false)
    // Arabic letters show no joiner, and no non-joiner where they end a stroke.
    for (const unseen of ['ب\u200dب', 'دانا\u200cیی', 'ب\u200cA'])
      expect(schema.safeParse(unseen).success, JSON.stringify(unseen)).toBe(false)
    for (const needed of ['\u0915\u094d\u200d\u0937', 'می\u200cخواهم', '葛\u{e0100}城', '❤\ufe0f'])
      expect(schema.parse(needed)).toBe(needed)
  })

  it('has a character that is seen', () => {
    for (const unseen of ['', ' ', '\u200b', '\u3164', '\u2800', '\ufeff'])
      expect(schema.safeParse(unseen).success, JSON.stringify(unseen)).toBe(false)
  })

  it.each(['Practice Østergaard & Søn', '=SUM(1)', '王小明', '👩🏽‍⚕️', 'O’Néill'])('may be %s', (name) => {
    expect(schema.parse(` ${name} `)).toBe(name)
  })
})
