// What may be mailed at all. A line break in a header field would begin another one, and a comma another recipient, so a mail
// with either goes nowhere. Pure.
import type { Mail } from './mailer.ts'

// RFC 5321, 4.5.3.1: 64 octets before the @, 255 after it. No quoted local parts, no comments, no display names.
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const MOST_SUBJECT = 200

/** Letters, digits, blanks and a few marks, and no dot, slash, colon or at sign within a word. */
const PLAIN = /^[\p{L}\p{M}\p{N} '’"&()+,.–-]{1,80}$/u
const ADDRESS_LIKE = /\.\S/u
/** However it is spaced: somebody could call it. */
const NUMBER_LIKE = /\p{N}(?:[^\p{L}\p{N}]*\p{N}){5}/u

/** An organisation in our words: by its name, unless that could be taken for an address or a number to turn to. */
export const calledInMail = (name: string): string =>
  PLAIN.test(name) && !ADDRESS_LIKE.test(name) && !NUMBER_LIKE.test(name.normalize('NFKC'))
    ? `the organisation “${name}”`
    : 'an organisation'

export function isMailable({ to, subject }: Mail): boolean {
  return ADDRESS.test(to) && subject.trim() !== '' && subject.length <= MOST_SUBJECT && !CONTROL.test(subject)
}
