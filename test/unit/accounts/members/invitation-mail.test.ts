// The words of an invitation's mail: an organisation's name cannot make an address of them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { invitationMail } from '../../../../src/accounts/members/invitation-link.ts'

const URL_OF_OURS = 'https://countersign.example/invite#token'
const INVITED = { email: 'a@example.org', role: 'auditor', url: URL_OF_OURS, endsAt: null } as const
const textFor = (organisationName: string): string => invitationMail({ ...INVITED, organisationName }).text

it.each(['St. Mary’s Practice', 'Müller & Söhne (Köln)', 'Clinic 7', 'Clinic 12345', '診療所'])('names %s', (name) => {
  expect(textFor(name)).toContain(`“${name}”`)
})

it.each([
  'Win at evil.example',
  'evil.example/now',
  'https://evil.example',
  'call me@evil.example',
  'evil.Example',
  'one\ntwo',
  'a'.repeat(81),
  'evil\u200b.example',
  'Ring 01 234 5678',
  'Ring (080) 0-1-2-3',
  'Ring ０８０ ０１２',
])('does not name %j', (name) => {
  expect(textFor(name)).not.toContain(name)
})

it('has one address in it whatever the organisation is called', () => {
  const addresses = /\S*[\p{L}\p{N}]\.[\p{L}\p{N}]\S*|\S*(?:\/\/|@)\S*/gu
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.domain(), fc.emailAddress())
  fc.assert(
    fc.property(name, (organisationName) => {
      expect(textFor(organisationName).match(addresses)).toEqual([URL_OF_OURS])
    }),
  )
})

it.each([
  ['auditor', Date.UTC(2027, 1, 28, 23, 59, 59), 'Your access ends on 2027-02-28.'],
  ['auditor', null, 'Your access ends 90 days after you accept.'],
] as const)('tells an %s whose end is %s: %s', (role, endsAt, words) => {
  expect(invitationMail({ ...INVITED, role, endsAt, organisationName: 'Clinic 7' }).text).toContain(words)
})

it('tells others of no end', () => {
  expect(invitationMail({ ...INVITED, role: 'admin', organisationName: 'Clinic 7' }).text).not.toContain('ends')
})
