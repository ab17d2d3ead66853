// Accepts long passwords of any characters. They must not contain the person's data or the service's name, or be easy to
// guess. Pure.
// Source: NIST SP 800-63B-4, so no rules of composition and no periodic change.

import { guessableFault } from './guessable-password.policy.ts'

export const PASSWORD_CHARACTERS = { least: 15, most: 256 } as const

/** Shorter names and parts of addresses are not searched for, because too many words contain them. */
const LEAST_TELLING = 4

const SERVICE = 'countersign'

type Whose = { email: string; name: string }

/** The rule that the password breaks, in words; null for none. */
export function passwordFault(password: string, { email, name }: Whose): string | null {
  if (!password.isWellFormed()) return 'well-formed Unicode'
  const { least, most } = PASSWORD_CHARACTERS
  const characters = codePointsIn(password.normalize('NFC'))
  if (characters < least) return `at least ${least} characters`
  if (characters > most) return `at most ${most} characters`
  const text = fold(password)
  const [localPart = ''] = email.split('@')
  if ([email, localPart].some((part) => contains(text, part)))
    return 'without your e-mail address, or what stands before its @'
  if (contains(text, name)) return 'without your name'
  if (contains(text, SERVICE)) return 'without the name of the service'
  return guessableFault(password, least)
}

const contains = (text: string, part: string): boolean => {
  const folded = fold(part)
  return codePointsIn(folded) >= LEAST_TELLING && text.includes(folded)
}

const codePointsIn = (text: string): number => Array.from(text).length

/** Removes case, compatibility forms, blanks and marks between the letters. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
