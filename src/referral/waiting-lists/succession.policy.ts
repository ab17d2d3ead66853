// What is unusual about a version that follows another: rarely right, and never by accident, so the operator accepts it
// by name.
import type { Manifest } from './stored-version.schema.ts'

/** `older`: an archive date before that of the version followed. `smaller`: rows or specialties fell. */
export type Acceptance = 'older' | 'smaller'

export interface Concern {
  accept: Acceptance
  reason: string
}

/** From month to month the publisher's rows and specialties moved by a few per cent. */
const LARGEST_FALL = 0.15

/** @param previous the version it follows: of the same kind and publisher; null for the first of these */
export function concernsOf(next: Manifest, previous: Manifest | null): Concern[] {
  if (previous === null) return []
  const concerns: Concern[] = []
  const [date, before] = [next.version.archiveDate, previous.version.archiveDate]
  if (date < before) {
    concerns.push({ accept: 'older', reason: `The archive date goes back from ${before} to ${date}.` })
  }
  const counts = [
    ['rows of the archive date', rowsOf(previous), rowsOf(next)],
    ['specialties', previous.specialties.length, next.specialties.length],
  ] as const
  for (const [what, from, to] of counts) {
    if (to < from * (1 - LARGEST_FALL)) {
      const percent = ((1 - to / from) * 100).toFixed(1)
      concerns.push({
        accept: 'smaller',
        reason: `The ${what} fell by ${percent} %, from ${from} (archive date ${before}) to ${to}.`,
      })
    }
  }
  return concerns
}

/** Rows of the archive date, with those that were added up counted once: the publisher does not always merge them. */
export function rowsOf({ version, summary }: Manifest): number {
  const rows = summary.archiveDates.find(({ archiveDate }) => archiveDate === version.archiveDate)?.rows ?? 0
  return rows - summary.keysSummed
}
