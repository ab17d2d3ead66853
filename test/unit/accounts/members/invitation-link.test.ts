// Which links prove an address: those that were mailed, whatever their token happens to begin with.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  isInvitationToken,
  newInvitationToken,
  provesAddress,
} from '../../../../src/accounts/members/invitation-link.ts'

const token = fc.stringMatching(/^(?:h_|h-)?[\w-]{41}$/).map((text) => text.padEnd(43, 'A'))

it('a mailed one does, one that was handed over does not', () => {
  fc.assert(
    fc.property(token, (text) => {
      expect([isInvitationToken(text), provesAddress(text)]).toEqual([true, true])
      expect([isInvitationToken(`h.${text}`), provesAddress(`h.${text}`)]).toEqual([true, false])
    }),
  )
})

it.each([true, false])('is told by the link that is made (mailed: %s)', (isMailed) => {
  const made = newInvitationToken(isMailed)
  expect([isInvitationToken(made), provesAddress(made)]).toEqual([true, isMailed])
})

it.each(['', 'h.', 'h', 'A'.repeat(42), 'A'.repeat(44), `h.h.${'A'.repeat(43)}`, `h.${'A'.repeat(42)}.`])(
  '%j is none',
  (text) => expect(isInvitationToken(text)).toBe(false),
)
