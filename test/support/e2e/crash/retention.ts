// Entries whose retention is over are gone, and no others. What was read of them while they were there is remembered, so that
// the rest of the books is judged as if they were there still.
import { utcDay } from '../../../../src/platform/time.ts'
import type { Books, Entry } from './books.ts'

export type Retention = {
  /** `books` with what is gone rightly, and what is gone wrongly. */
  complete: (organisationId: string, books: Books) => { books: Books; faults: string[] }
  /** Remembers what is there now, because it may be gone the next time. */
  remember: (organisationId: string, books: Books) => void
}

/** @param now the latest time that the service has ever gone by */
export function createRetention(now: () => number): Retention {
  const remembered = new Map<string, Map<number, Entry>>()
  return {
    complete(organisationId, books) {
      const there = new Set(books.entries.map(({ position }) => position))
      const known = [...(remembered.get(organisationId)?.values() ?? [])]
      const gone = known.filter(({ position }) => !there.has(position))
      const over = gone.filter(({ expiresAt }) => expiresAt <= now())
      const entries = [...books.entries, ...over].toSorted((a, b) => a.position - b.position)
      const faults = gone
        .filter(({ expiresAt }) => expiresAt > now())
        .map(({ position }) => `entry ${position} is gone, and its retention is not over`)
      return { books: { ...books, entries }, faults: [...faults, ...findUnlisted(books)] }
    },
    remember(organisationId, { entries }) {
      const known = remembered.get(organisationId) ?? new Map<number, Entry>()
      for (const entry of entries) known.set(entry.position, entry)
      remembered.set(organisationId, known)
    },
  }
}

/** Nothing is stored that nobody knows of: nobody would ever delete it. */
function findUnlisted({ sealed: { listed, stored } }: Books): string[] {
  const known = new Set(listed)
  return stored.filter((name) => !known.has(name)).map((name) => `${name} is stored, and its ledger does not know it`)
}

/** How many entries and sealed objects are there whose retention is over; an object is deleted on the day after. */
export function countOverdue({ entries, sealed: { stored } }: Books, now: number): number {
  const objects = stored.filter((name) => Number(name.split('/')[2]) < utcDay(now))
  return objects.length + entries.filter(({ expiresAt }) => utcDay(expiresAt) < utcDay(now)).length
}
