// What may be mailed at all. A line break in a header field would begin another one, and a comma another recipient, so a mail
// with either goes nowhere. Pure.
import type { Mail } from './mailer.ts'

// RFC 5321, 4.5.3.1: 64 octets before the @, 255 after it. No quoted local parts, no comments, no display names.
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const MOST_SUBJECT = 200

export function isMailable({ to, subject }: Mail): boolean {
  return ADDRESS.test(to) && subject.trim() !== '' && subject.length <= MOST_SUBJECT && !CONTROL.test(subject)
}
