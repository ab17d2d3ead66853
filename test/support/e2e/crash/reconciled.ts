// The counts of a reconciliation: of the requests of a life, and of the books of all lives.
import type { Books } from './books.ts'
import type { Sent } from './clients.ts'
import { decisionsIn, endsOfReadingsIn, openIn, readingsIn, settlementsIn } from './decisions.ts'

export type Reconciled = {
  faults: string[]
  /** Requests of this life: all, those on the way when it ended, and those answered 503. */
  sent: number
  inFlight: number
  unavailable: number
  /** Over all lives: decisions written, those neither settled nor interrupted, those settled as interrupted. */
  decisions: number
  open: number
  interrupted: number
  /** Entries that have left the objects' databases. */
  left: number
  /** Entries and sealed objects that are there and should be gone. */
  overdue: number
  /** Readings that began and have not ended. */
  reading: number
  /** Leaves of the public log. */
  leaves: number
  /** Receipts that it or its index has not got yet. */
  unpublished: string[]
}

export const countSent = (sent: readonly Sent[]): Pick<Reconciled, 'sent' | 'inFlight' | 'unavailable'> => ({
  sent: sent.length,
  inFlight: sent.filter(({ isWhole }) => !isWhole).length,
  unavailable: sent.filter(({ status }) => status === 503).length,
})

export function countBooks(
  books: readonly Books[],
): Pick<Reconciled, 'decisions' | 'open' | 'interrupted' | 'left' | 'reading'> {
  return {
    decisions: books.flatMap(decisionsIn).length,
    open: books.reduce((sum, one) => sum + openIn(one).size, 0),
    left: books.reduce((sum, { leftTo }) => sum + leftTo, 0),
    reading: books.reduce((sum, one) => sum + readingsIn(one).length - endsOfReadingsIn(one).length, 0),
    interrupted: books.flatMap(settlementsIn).filter(({ ended }) => ended === 'interrupted').length,
  }
}
