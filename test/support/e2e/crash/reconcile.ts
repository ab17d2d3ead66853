// Reconciles an organisation's books with what was seen from outside, at whatever moment the service stopped. What it
// returns is what is wrong: nothing, if the promises hold.
import { findApprovalFaults, findHeldApprovalFaults } from './approval-faults.ts'
import type { Books } from './books.ts'
import type { Seen } from './clients.ts'
import { decisionsIn } from './decisions.ts'
import { findHeadFaults, findLedgerFaults, growTree } from './ledger-faults.ts'
import { findCountFaults, findHeldMoneyFaults, findMoneyFaults } from './money-faults.ts'
import {
  findActFaults,
  findHeldReadingFaults,
  findPolicyFaults,
  findReadingFaults,
  findSettingsFaults,
} from './other-faults.ts'
import { findOutsideFaults } from './outside-faults.ts'
import type { Told } from './steps.ts'

export type Witness = {
  seen: Seen
  /** The marker of each prompt and letter that a provider got, and how often. */
  provided: ReadonlyMap<string, number>
  publicKey: string
}

/** @param books the organisation's own */
export function findFaults(organisationId: string, books: Books, { seen, provided, publicKey }: Witness): string[] {
  const own = <T extends { organisationId: string }>(all: readonly T[]): T[] =>
    all.filter((one) => one.organisationId === organisationId)
  const sent = own(seen.sent)
  const heads = own(seen.heads).map(({ head }) => head)
  const markers = new Set(sent.map(({ marker }) => marker))
  const letters = own(seen.letters)
  const ownProvided = new Map([...provided].filter(([marker]) => markers.has(marker)))
  const tree = growTree(books.leaves)
  return [
    ...findLedgerFaults(books, tree),
    ...findHeadFaults(heads, tree, publicKey),
    ...findMoneyFaults(books),
    ...findCountFaults(books, {
      least: decisionsIn(books).length + heads.length,
      most: sent.length + own(seen.questions).length,
    }),
    ...findOutsideFaults(books, { sent, provided: ownProvided, publicKey }),
    ...findReadingFaults(books, letters, provided),
    ...findActFaults(books, own(seen.acts)),
    ...findPolicyFaults(books, own(seen.acts)),
    ...findApprovalFaults(books),
  ]
}

/** Compares the memory that the object reports with the books on disk at that time. */
export const findToldFaults = (books: Books, told: Told): string[] => [
  ...findHeldMoneyFaults(books, told),
  ...findHeldReadingFaults(books, told),
  ...findSettingsFaults(books, told),
  ...findHeldApprovalFaults(books, told),
]
