// Checks a publication date: faults that refuse it, and unusual facts that the operator is told.
import { isCalendarDate } from './cells.ts'
import { textFault } from './name-fault.ts'
import type { SpecialtyLists } from './dataset.ts'

const DAY_MS = 24 * 60 * 60 * 1000

// The known files appeared 8 to 15 days after their archive date; the HSE's own copy follows a week later.
const USUAL_DELAY_DAYS = { least: 5, most: 40 }
const THURSDAY = 4

export type PublicationCheck = { ok: true; warnings: string[] } | { ok: false; reason: string }

/** Judges `publishedOn` against the archive date and this day; all `YYYY-MM-DD`. */
export function checkPublication({
  archiveDate,
  publishedOn,
  today,
}: {
  archiveDate: string
  publishedOn: string
  today: string
}): PublicationCheck {
  if (!isCalendarDate(publishedOn)) {
    return { ok: false, reason: 'The publication date must be a day of the calendar, written YYYY-MM-DD.' }
  }
  if (publishedOn > today) {
    return {
      ok: false,
      reason: `The publication date ${publishedOn} is in the future: today is ${today}. Check the date.`,
    }
  }
  const delayDays = (Date.parse(publishedOn) - Date.parse(archiveDate)) / DAY_MS
  if (delayDays <= 0) {
    return {
      ok: false,
      reason: `The publication date ${publishedOn} must be after the archive date ${archiveDate}: figures are published later than they are counted.`,
    }
  }
  const warnings: string[] = []
  if (delayDays < USUAL_DELAY_DAYS.least || delayDays > USUAL_DELAY_DAYS.most) {
    warnings.push(
      `Published ${delayDays} days after the archive date ${archiveDate}; ${USUAL_DELAY_DAYS.least} to ${USUAL_DELAY_DAYS.most} days are usual. Check the publication date.`,
    )
  }
  if (new Date(archiveDate).getUTCDay() !== THURSDAY) {
    warnings.push(
      `The archive date ${archiveDate} is not a Thursday, as the publisher's are. Check where the file is from.`,
    )
  }
  return { ok: true, warnings }
}

const MAX_TITLE_LENGTH = 200

/** Returns why a title cannot be shown with the figures, or null. */
export function titleFault(title: string): string | null {
  if (title.trim() === '') return 'The title is empty. It is shown with every figure: give one, or leave it out.'
  if (title.length > MAX_TITLE_LENGTH) return `The title is longer than ${MAX_TITLE_LENGTH} characters.`
  const fault = textFault(title)
  return fault === null ? null : `The title has ${fault}. Give a title without it.`
}

/** The names, each once, that are no specialty of the version. Recorded readings that name them become invalid. */
export function missingSpecialties(
  named: readonly string[],
  version: { specialties: readonly Pick<SpecialtyLists, 'name'>[] },
): string[] {
  const published = new Set(version.specialties.map((specialty) => specialty.name))
  return [...new Set(named)].filter((name) => !published.has(name))
}
