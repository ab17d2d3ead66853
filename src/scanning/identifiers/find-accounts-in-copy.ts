// Finds accounts and tokens in a matching copy of a text. Apart from the identifiers, so that the guard of the front page does not
// load what it never looks for.
import type { Steps } from '../../platform/steps.ts'
import { AS_WRITTEN, FIGURES, findBy, IDENTIFIER_FINDERS, inOriginal, type Finder } from './find-in-copy.ts'
import type { Finding } from './finding.ts'
import type { AccountShape, TokenShape } from './identifier-shapes.ts'
import type { MatchingCopy } from './normalise/matching-copy.ts'
import { findIbans } from './shapes/iban.ts'
import { findPaymentCards } from './shapes/payment-card.ts'
import { findServiceTokens } from './shapes/service-token.ts'

const ACCOUNTS: readonly Finder<AccountShape>[] = [
  { find: findPaymentCards, letters: 0, ...FIGURES },
  { find: findIbans, letters: 1, ...FIGURES },
]

/** The search of the whole text finds tokens that have no figure near them. */
const TOKENS: readonly Finder<TokenShape>[] = [{ find: findServiceTokens, letters: 1, ...FIGURES, ...AS_WRITTEN }]

/** Every value of every shape matches this, except numbers that are spelled in words. */
export const ANCHOR: RegExp = new RegExp(
  [...new Set([...IDENTIFIER_FINDERS, ...ACCOUNTS].flatMap(({ anchor }) => anchor))].join('|'),
  'gi',
)

/** Looks for accounts, and for tokens where the copy differs from the text: the whole text is searched for those anyway. */
export function* findAccountsInCopy(copy: MatchingCopy): Steps<Finding<AccountShape | TokenShape>[]> {
  const finders = copy.origin === undefined ? ACCOUNTS : [...ACCOUNTS, ...TOKENS]
  return inOriginal(copy, yield* findBy<AccountShape | TokenShape>(finders, copy, []))
}
