// All shapes that a scan of prompts can find: the contract's identifiers, accounts, access tokens.
import { iban } from './iban.ts'
import { IDENTIFIERS } from './identifiers.ts'
import { paymentCard } from './payment-card.ts'
import { TOKENS } from './service-token.ts'

/** The order is that of published enumerations: add a shape at the end. */
export const ACCOUNTS = [paymentCard, iban]

/** Pages read the words of these from `virtual:shape-words`. */
export const SHAPE_TABLE = [...IDENTIFIERS, ...ACCOUNTS, ...TOKENS]
export type Shape = (typeof SHAPE_TABLE)[number]['id']

export const SHAPES: readonly Shape[] = SHAPE_TABLE.map(({ id }) => id)
