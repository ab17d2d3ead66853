import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ClaimsSchema,
  decideIdentity,
  newPersonName,
  trustedEmail,
  type IdentityFacts,
} from '../../../../src/accounts/oauth/identity.policy.ts'
import type { EmailTrust } from '../../../../src/platform/sign-in-config.ts'

const claims = (more: object) =>
  ClaimsSchema().parse({ iss: 'https://issuer.example', sub: 'a', email: 'ann@clinic.example', ...more })

const trusted = (trust: EmailTrust, more: object) => trustedEmail(claims(more), trust) !== null

/** Values that a loose check could take for true. */
const NEARLY_TRUE = ['true', 'True', '1', 1, {}, [], [true], 'yes', null, undefined, false, 0, '']

describe('an address is trusted', () => {
  it('of an issuer that verifies, where email_verified is true', () => {
    expect(trustedEmail(claims({ email_verified: true }), 'verified')).toBe('ann@clinic.example')
  })

  it.each(NEARLY_TRUE)('not where email_verified is %j', (value) => {
    expect(trusted('verified', { email_verified: value })).toBe(false)
    expect(trusted('google', { email_verified: value, hd: 'clinic.example' })).toBe(false)
  })

  it('of Google, where a Workspace stands behind it or it is at gmail.com', () => {
    expect(trusted('google', { email_verified: true, hd: 'clinic.example' })).toBe(true)
    expect(trusted('google', { email_verified: true, email: 'ann@Gmail.com' })).toBe(true)
  })

  it.each([{}, { hd: '' }, { hd: true }, { email: 'ann@gmail.com.evil.example' }, { email: 'ann@notgmail.com' }])(
    'not of Google with %j',
    (more) => expect(trusted('google', { email_verified: true, ...more })).toBe(false),
  )

  it.each([true, '1'])('of Entra, where the owner of its domain is verified: xms_edov is %j', (value) => {
    expect(trusted('entra', { xms_edov: value })).toBe(true)
    expect(trusted('verified', { xms_edov: value })).toBe(false)
    expect(trusted('google', { xms_edov: value })).toBe(false)
  })

  it.each([...NEARLY_TRUE, '0', '11'].filter((value) => value !== '1'))(
    'not of Entra where xms_edov is %j, whatever else is said',
    (value) => {
      expect(trusted('entra', { xms_edov: value, email_verified: true, hd: 'clinic.example' })).toBe(false)
    },
  )

  it('of an issuer that the operator vouches for, unless that says it is not verified', () => {
    expect(trusted('issuer', {})).toBe(true)
    expect(trusted('issuer', { email_verified: true })).toBe(true)
    for (const value of [false, 'true', 'false', null, 0])
      expect(trusted('issuer', { email_verified: value })).toBe(false)
  })

  it.each([
    undefined,
    null,
    '',
    'ann',
    'ann@',
    'ann@clinic.example\r\nbcc: x@y.example',
    'ａnn@clinic.example',
    ['ann@clinic.example'],
    `${'a'.repeat(250)}@x.example`,
  ])('never where it is %j', (email) => {
    expect(trusted('issuer', { email })).toBe(false)
    expect(trusted('verified', { email, email_verified: true })).toBe(false)
  })
})

describe('a subject', () => {
  it.each(['', 'a'.repeat(256), 'é', 'a\nb', 7, undefined])('is not %j', (sub) =>
    expect(ClaimsSchema().safeParse({ iss: 'https://issuer.example', sub }).success).toBe(false),
  )
})

describe('the name of a new person', () => {
  it.each([
    [{ name: 'Ann  Example' }, 'Ann Example'],
    [{ name: ' Ann\r\nbcc: \u202eB ' }, 'Ann bcc: B'],
    [{ name: '' }, 'ann'],
    [{ name: '\u200b' }, 'ann'],
    [{ name: '…' }, 'ann'],
    [{ name: 'An\u200bn\u200f E\u200dx' }, 'Ann Ex'],
    [{ name: 'Ann 123456' }, 'Ann 123456'],
    [{ name: '\u202e١٢٣٤٥٦ Ann' }, '١٢٣٤٥٦ Ann'],
    [{ name: '\u0915\u094d\u200d\u0937' }, '\u0915\u094d\u200d\u0937'],
    [{ name: ['Ann'] }, 'ann'],
    [{}, 'ann'],
  ])('of %j is %j', (more, name) => expect(newPersonName(claims(more), 'ann@clinic.example')).toBe(name))

  it('is short and in one line, whatever the issuer says', () => {
    const pieces = fc.constantFrom('a', ' ', '\n', '\0', '\u202e', '\u2028', '\ud800', '😀', 'é')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 300 }), (given) => {
        const named = newPersonName(claims({ name: given.join('') }), 'ann@clinic.example')
        expect(Array.from(named).length).toBeLessThanOrEqual(100)
        expect(named).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\u202e]+$/u)
        expect(named.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('somebody who comes by an identity', () => {
  const knownArbitrary = fc.record<IdentityFacts>({
    linkedTo: fc.constantFrom(null, 'usr_linked' as const),
    email: fc.constantFrom(null, 'ann@clinic.example'),
    holder: fc.constantFrom(
      null,
      { id: 'usr_holder', isProven: true } as const,
      { id: 'usr_holder', isProven: false } as const,
    ),
    isWelcome: fc.boolean(),
  })

  it('is the person it is linked to, whatever address it comes with', () => {
    fc.assert(
      fc.property(knownArbitrary, (known) => {
        expect(decideIdentity({ ...known, linkedTo: 'usr_linked' })).toEqual({
          outcome: 'sign_in',
          personId: 'usr_linked',
        })
      }),
    )
  })

  it('joins nobody and makes nobody without a trusted address', () => {
    fc.assert(
      fc.property(knownArbitrary, (known) => {
        expect(decideIdentity({ ...known, linkedTo: null, email: null })).toEqual({
          outcome: 'refuse',
          error: 'email_not_verified',
        })
      }),
    )
  })

  it('joins a person only who has proven the address', () => {
    fc.assert(
      fc.property(knownArbitrary, (known) => {
        const decision = decideIdentity(known)
        if (decision.outcome !== 'join') return
        expect(known).toMatchObject({
          linkedTo: null,
          email: decision.email,
          holder: { id: decision.personId, isProven: true },
        })
      }),
    )
  })

  it('is told to prove the address where an account has it unproven', () => {
    const known = {
      linkedTo: null,
      email: 'ann@clinic.example',
      holder: { id: 'usr_holder', isProven: false },
      isWelcome: true,
    } as const
    expect(decideIdentity(known)).toEqual({ outcome: 'refuse', error: 'email_not_verified' })
  })

  it('becomes a new person only where new people may come', () => {
    const known = { linkedTo: null, email: 'ann@clinic.example', holder: null }
    expect(decideIdentity({ ...known, isWelcome: true })).toEqual({ outcome: 'create', email: 'ann@clinic.example' })
    expect(decideIdentity({ ...known, isWelcome: false })).toEqual({ outcome: 'refuse', error: 'refused' })
  })
})
