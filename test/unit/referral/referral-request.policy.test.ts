// Tests what a body asks for, and the order in which it is refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ALLOWED_ACTIONS, HELD_ACTIONS } from '../../../src/referral/actions.ts'
import { interpretReferralRequest } from '../../../src/referral/referral-request.policy.ts'

const JSON_TYPE = 'application/json'
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const typed = (type?: string): Headers => new Headers(type === undefined ? {} : { 'content-type': type })
const interpret = (body: unknown, type: string = JSON_TYPE) =>
  interpretReferralRequest(typed(type), encode(JSON.stringify(body)))

function refusal(body: unknown, type?: string): string {
  const request = interpret(body, type)
  return request.kind === 'refused' ? request.error.code : request.kind
}

describe('actions', () => {
  it.each(HELD_ACTIONS)('holds %s with a letter, without one, and whatever else the body says', (action) => {
    for (const body of [{ action }, { action, text: 'a letter' }, { action, text: 7, more: true }]) {
      expect(interpret(body)).toEqual({ kind: 'held', action })
    }
  })

  it.each(ALLOWED_ACTIONS)('allows %s', (action) => {
    expect(interpret({ action, text: 'a letter' })).toMatchObject({ kind: 'read', action, text: 'a letter' })
  })

  it.each([{}, { action: null }])('takes an absent action and null for identify_specialty: %j', (action) => {
    const asked = { kind: 'read', action: 'identify_specialty', text: 'a letter' }
    expect(interpret({ text: 'a letter', ...action })).toMatchObject(asked)
  })

  it.each(['diagnose', '', 'READ', 'read ', 'constructor', '__proto__'])(
    'refuses the unknown action %j before the text',
    (action) => {
      expect(refusal({ action, text: '' })).toBe('unknown_action')
    },
  )

  it.each([7, false, ['read'], {}])('refuses an action that is no text: %j', (action) => {
    expect(refusal({ action, text: 'a letter' })).toBe('invalid_request')
  })
})

describe('the reference', () => {
  const MARK = 'quicksilver'
  const withReference = (reference: string, body: unknown = { text: 'a letter' }) =>
    interpretReferralRequest(
      new Headers({ 'content-type': JSON_TYPE, 'x-aqta-reference': reference }),
      encode(JSON.stringify(body)),
    )

  it.each(['x', 'gp-letter-4711', '~!"', 'r'.repeat(64)])('is taken as it was sent: %s', (reference) => {
    expect(withReference(reference)).toMatchObject({ kind: 'read', reference })
  })

  it.each(['', MARK.repeat(6), `${MARK} 4711`, `${MARK}, ${MARK}`, `${MARK}é`])(
    'is refused in another form, and is not repeated: %j',
    (reference) => {
      const request = withReference(reference)
      const details = { param: 'x-aqta-reference', fields: [{ path: 'x-aqta-reference' }] }
      expect(request).toMatchObject({ kind: 'refused', error: { code: 'invalid_request', details } })
      expect(JSON.stringify(request) + ('error' in request ? request.error.message : '')).not.toContain(MARK)
    },
  )

  it('that holds an identifier is refused with shape and place in it, and never with its characters', () => {
    const request = withReference('pps:1234567FA')
    const identifiers = [{ shape: 'pps_number', start: 4, end: 13 }]
    const error = { code: 'identifier_found', details: { param: 'x-aqta-reference', members: { identifiers } } }
    expect(request).toMatchObject({ kind: 'refused', action: 'identify_specialty', shapes: ['pps_number'], error })
    expect(JSON.stringify(request) + ('error' in request ? request.error.message : '')).not.toContain('1234567')
  })

  it.each([
    [{ action: 'book_appointment' }, 'held'],
    [{ action: 'diagnose' }, 'unknown_action'],
    [{ text: '' }, 'text_missing'],
    [{ text: 'MRN 123456' }, 'text'],
  ])('that holds one comes after what is wrong with the body: %j', (body, first) => {
    const request = withReference('pps:1234567FA', body)
    const { code, details } = request.kind === 'refused' ? request.error : { code: request.kind }
    expect([code, details?.param]).toContain(first)
  })
})

describe('text', () => {
  it.each([[{}], [{ text: '' }], [{ text: ' \n\t ' }]])('is missing in %j', (body) => {
    expect(refusal(body)).toBe('text_missing')
  })

  it.each([
    ['zero-width spaces', '\u{200b}\u{200c}\u{200d}\u{feff}'],
    ['soft hyphens and direction marks', '\u{ad}\u{200e}\u{202e}\u{2066}'],
    ['fillers', '\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}'],
    ['blanks of every kind', ' \n\u{a0}\u{1680}\u{2003}\u{2028}\u{3000}'],
    ['control characters', '\u{0}\u{1}\u{7f}\u{85}'],
    ['combining marks and variation selectors', '\u{301}\u{336}\u{20dd}\u{fe0f}\u{e0100}'],
    ['tag characters', '\u{e0041}\u{e0042}'],
  ])('is missing where it holds nothing but %s', (_, text) => {
    expect(refusal({ text })).toBe('text_missing')
    expect(refusal({ text: text.repeat(40) })).toBe('text_missing')
    expect(refusal({ text: `${text}a` })).toBe('read')
  })

  it.each(['.', '?', '漢', '🩺', '\u{e000}', '½'])('is there where one character shows: %s', (character) => {
    expect(refusal({ text: `\u{200b}${character}\u{200b}` })).toBe('read')
  })

  it('may have 4,000 code points, astral ones counted as one', () => {
    expect(refusal({ text: 'a'.repeat(4000) })).toBe('read')
    expect(refusal({ text: '𝒜'.repeat(4000) })).toBe('read')
    expect(refusal({ text: `${'a'.repeat(3999)}𝒜` })).toBe('read')
  })

  it('may not have 4,001, wherever an astral one stands', () => {
    expect(refusal({ text: 'a'.repeat(4001) })).toBe('text_too_long')
    expect(refusal({ text: `${'a'.repeat(4000)}𝒜` })).toBe('text_too_long')
    expect(refusal({ text: `𝒜${'a'.repeat(4000)}` })).toBe('text_too_long')
  })

  it.each(['\\ud83d', '\\udc00 tail', 'middle \\ud83d middle'])('may not hold the lone surrogate %s', (escaped) => {
    const request = interpretReferralRequest(typed(JSON_TYPE), encode(`{"text":"${escaped}"}`))
    expect(request).toMatchObject({ kind: 'refused', error: { code: 'invalid_request', details: { param: 'text' } } })
  })

  it('is missing if it is null, as an absent action may be', () => {
    expect(refusal({ text: null })).toBe('text_missing')
  })

  it.each([7, true, ['a'], { a: 1 }])('must be text: %j', (text) => {
    expect(refusal({ text })).toBe('invalid_request')
  })

  it('is refused when too long before its identifiers are looked for', () => {
    expect(refusal({ text: `1234567FA ${'a'.repeat(4000)}` })).toBe('text_too_long')
  })

  it('that holds an identifier is refused with shape and place, and never with its characters', () => {
    const request = interpret({ text: '𝒜 PPS 1234567FA here' })
    if (request.kind !== 'refused') throw new Error('was not refused')
    expect(request.error.code).toBe('identifier_found')
    expect(request.error.details.members).toEqual({ identifiers: [{ shape: 'pps_number', start: 6, end: 15 }] })
    expect(JSON.stringify([request.error.message, request.error.details])).not.toContain('1234567')
  })

  it('that holds an identifier is refused with what is true of the refusal, and each shape once', () => {
    const request = interpret({ text: 'PPS 1234567FA, PPS 7654321TW, seen on 14/03/2024' })
    if (request.kind !== 'refused') throw new Error('was not refused')
    expect(request.shapes).toEqual(['pps_number', 'date'])
    expect(request.error.message).toContain(
      'The text was not read or stored; the refusal, its time and the shapes were recorded.',
    )
  })
})

describe('bodies', () => {
  it('refuses members it does not know by their names, and says which exist', () => {
    expect(interpret({ text: 'a letter', urgency: 1 })).toMatchObject({
      kind: 'refused',
      error: {
        code: 'invalid_request',
        message: "The request's body has an unknown member (urgency); those that exist: text, action.",
        details: {
          param: 'urgency',
          fields: [{ path: 'urgency', rule: 'unknown member; those that exist: text, action' }],
        },
      },
    })
  })

  it('refuses a name that is no plain word without repeating it', () => {
    const request = interpret({ text: 'a letter', 'Mary Example': 1 })
    expect(request).toMatchObject({ kind: 'refused', error: { code: 'invalid_request' } })
    expect(JSON.stringify(request)).not.toContain('Mary')
    if (request.kind === 'refused') expect(request.error.message).toContain('those that exist: text, action.')
  })

  it('holds no action of a body that names one twice', () => {
    const body = '{"action":"book_appointment","action":"read","text":"a letter"}'
    expect(interpretReferralRequest(typed(JSON_TYPE), encode(body))).toMatchObject({ kind: 'refused', action: null })
  })

  it.each([[[]], ['text'], [7], [null], [true], [[{ text: 'a' }]]])('must be one object: %j', (body) => {
    expect(refusal(body)).toBe('invalid_request')
  })

  it.each(['', '{', '{"text":"a"', '{"text":NaN}', "{'text':'a'}", '\ufeff{"text":"a"}', '[['.repeat(30_000)])(
    'must be JSON',
    (body) => {
      expect(interpretReferralRequest(typed(JSON_TYPE), encode(body))).toMatchObject({
        kind: 'refused',
        error: { code: 'invalid_request' },
      })
    },
  )

  it('must be UTF-8', () => {
    const bytes = Uint8Array.of(...encode('{"text":"'), 0xff, ...encode('"}'))
    expect(interpretReferralRequest(typed(JSON_TYPE), bytes)).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid_request' },
    })
  })

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
  ])('must say that they are JSON, which %s does not', (type) => {
    expect(interpretReferralRequest(typed(type), encode('{"text":"a"}'))).toMatchObject({
      error: { code: 'unsupported_media_type' },
    })
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/fhir+json',
  ])('are taken as %s', (type) => {
    expect(interpretReferralRequest(typed(type), encode('{"text":"a"}')).kind).toBe('read')
  })

  it('never throw, whatever JSON they hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (body) => {
        expect(['read', 'held', 'refused']).toContain(interpret(body).kind)
      }),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(fc.record({ text: fc.anything(), action: fc.anything() }, { requiredKeys: [] }), (body) => {
        expect(['read', 'held', 'refused']).toContain(
          interpretReferralRequest(typed(JSON_TYPE), encode(JSON.stringify(body, skipBigInt))).kind,
        )
      }),
      { numRuns: 1000 },
    )
  })
})

const skipBigInt = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
