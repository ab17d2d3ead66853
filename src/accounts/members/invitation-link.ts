// The link of an invitation. Its token stands in the fragment, which no server and no log gets to see.
import { isToken, newToken } from '../access/token.ts'

/** Of a link that the inviter hands over, which says nothing about who reads mail at the address. It is hashed with the rest, and no
 * token of ours begins so. */
const HANDED_OVER = 'h.'

export const newInvitationToken = (isMailed: boolean): string => (isMailed ? newToken() : `${HANDED_OVER}${newToken()}`)

/** Whether only somebody who reads mail at the invited address can have the token. */
export const provesAddress = (token: string): boolean => !token.startsWith(HANDED_OVER)

/** Whether it has the form of one. */
export const isInvitationToken = (text: string): boolean =>
  isToken(text.startsWith(HANDED_OVER) ? text.slice(HANDED_OVER.length) : text)

/** @param origin where the service is, `https://host` */
export const invitationUrl = (origin: string, token: string): string => `${origin}/invite#${token}`
