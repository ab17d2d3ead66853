// The words of an invitation's mail: an organisation's name cannot make an address of them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { invitationMail } from '../../../../src/accounts/members/invitation-link.ts'

const URL_OF_OURS = 'https://countersign.example/invite#token'
const textFor = (organisationName: string): string =>
  invitationMail({ email: 'a@example.org', role: 'auditor', organisationName, url: URL_OF_OURS }).text

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
