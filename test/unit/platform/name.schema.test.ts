// Names that others read: of people, organisations and keys.
import { describe, expect, it } from 'vitest'
import { PersonNameSchema } from '../../../src/accounts/people/person.schema.ts'
import { organisationName } from '../../../src/accounts/settings.schema.ts'
import { CreateKeySchema } from '../../../src/keys/key.schema.ts'

describe.each([
  ['a person', PersonNameSchema],
  ['an organisation', organisationName],
  ['a key', CreateKeySchema.shape.name],
])('the name of %s', (_, schema) => {
  it('has no character that does something, that turns a line around or that cannot be stored', () => {
    for (const odd of ['\u0000', '\u001b[2J', '\u009b', '\u2028', '\u202e', '\u2066', '\ud800'])
      expect(schema.safeParse(`A ${odd} name`).success, JSON.stringify(odd)).toBe(false)
  })

  it('has a character that is seen', () => {
    for (const unseen of ['', ' ', '\u200b', '\u3164', '\u2800', '\ufeff'])
      expect(schema.safeParse(unseen).success, JSON.stringify(unseen)).toBe(false)
  })

  it.each(['Practice Østergaard & Søn', '=SUM(1)', '王小明', '👩🏽‍⚕️', 'O’Néill'])('may be %s', (name) => {
    expect(schema.parse(` ${name} `)).toBe(name)
  })
})
