import { describe, expect, it } from 'vitest'
import type { FormSchemas } from '../../../../scripts/pages/form-schemas.ts'
import { CreateGatewayKeySchema } from '../../../../src/keys/key.schema.ts'
import { bodyOf, shownOf, textOf, type FormGiven } from '../../../../src/pages/parts/form-values.ts'
import { fieldSchemaOf } from '../../../../src/platform/field-schema.ts'

const schema = { ...fieldSchemaOf(CreateGatewayKeySchema()).properties } as FormSchemas['key']

const words = {
  name: { label: 'Name' },
  scopes: { label: 'Scope' },
  expires_at: { label: 'Last day' },
  requests_per_minute: { label: 'Calls a minute' },
  evaluation: { label: 'For evaluation', when: ({ scopes }: Readonly<Record<string, string>>) => scopes === 'chat' },
}

const EMPTY = { name: '', scopes: '', expires_at: '', requests_per_minute: '', evaluation: '' }
const FULL = {
  name: 'Triage',
  scopes: 'chat\nmanage',
  expires_at: '2026-12-31',
  requests_per_minute: '60',
  evaluation: 'true',
}
const VALUES = {
  name: 'Triage',
  scopes: ['chat', 'manage'],
  expires_at: '2026-12-31T23:59:59.000Z',
  requests_per_minute: 60,
}

describe('the body of a new thing', () => {
  it('has each member that has a value: numbers, lists, and a day as its last second', () => {
    expect(bodyOf({ schema, words }, FULL)).toEqual(VALUES)
    expect(bodyOf({ schema, words }, EMPTY)).toEqual({})
  })

  it('has a member that depends on another only where it applies', () => {
    const text = { ...FULL, scopes: 'chat' }
    expect(bodyOf({ schema, words }, text)).toEqual({ ...VALUES, scopes: ['chat'], evaluation: true })
    expect(shownOf(words, FULL)).not.toContain('evaluation')
  })
})

describe('the body of a change', () => {
  const start = { ...VALUES, expires_at: '2026-12-31T10:34:17.831Z', evaluation: false }
  const text = { ...FULL, evaluation: 'false' }

  it('has only what differs', () => {
    expect(bodyOf({ schema, words, start, isChange: true }, text)).toEqual({})
    expect(bodyOf({ schema, words, start, isChange: true }, { ...text, name: 'Desk' })).toEqual({ name: 'Desk' })
  })

  it('has null for what was emptied, and an empty list', () => {
    const emptied = { ...text, scopes: '', expires_at: '', requests_per_minute: '' }
    const nothing = { scopes: [], expires_at: null, requests_per_minute: null }
    expect(bodyOf({ schema, words, start, isChange: true }, emptied)).toEqual(nothing)
  })
})

it('a value is shown as text: a time as its day, nothing as nothing', () => {
  expect(textOf(VALUES.expires_at, schema.expires_at)).toBe('2026-12-31')
  expect(textOf(VALUES.scopes, schema.scopes)).toBe('chat\nmanage')
  expect(textOf(false, schema.evaluation)).toBe('false')
  expect([null, undefined].map((value) => textOf(value, schema.name))).toEqual(['', ''])
})

it('the compiler refuses words for a member that the schema does not have', () => {
  const given = <Name extends string>(form: FormGiven<Name>) => Object.keys(form.words)
  expect(given({ schema, words: { name: { label: 'Name' } } })).toEqual(['name'])
  // @ts-expect-error -- no member of a key
  expect(given({ schema, words: { nmae: { label: 'Name' } } })).toEqual(['nmae'])
  // @ts-expect-error -- a value that no member has
  expect(given({ schema, words: { name: { label: 'Name' } }, start: { nmae: '' } })).toEqual(['name'])
})
