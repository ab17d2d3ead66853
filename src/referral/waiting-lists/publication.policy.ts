// Checks a file's publication date, title and kind before it is published, and names its source. Faults refuse it; odd facts are
// warnings. Also finds the recorded specialties that a version does not have.
import { isCalendarDate } from './csv-cells.ts'
import { textFault } from './name-faults.ts'
import { type SpecialtyLists, DATASET_KINDS, type DatasetKind, type Layout } from './dataset.ts'
import type { DatasetSource } from './stored-version.ts'

const DAY_MS = 24 * 60 * 60 * 1000

// The known files appeared 8 to 15 days after their archive date; the HSE's own copy follows a week later.
const USUAL_DELAY_DAYS = { least: 5, most: 40 }
const THURSDAY = 4

export type PublicationCheck = { ok: true; warnings: string[] } | { ok: false; reason: string }

/** Checks `publishedOn` against the archive date and today; all `YYYY-MM-DD`. */
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

export function titleFault(title: string): string | null {
  if (title.trim() === '') return 'The title is empty. It is shown with every figure: give one, or leave it out.'
  if (title.length > MAX_TITLE_LENGTH) return `The title is longer than ${MAX_TITLE_LENGTH} characters.`
  const fault = textFault(title)
  return fault === null ? null : `The title has ${fault}. Give a title without it.`
}

/** Returns the names that are no specialty of the version, without duplicates. Recorded readings that name them become invalid. */
export function missingSpecialties(
  named: readonly string[],
  version: { specialties: readonly Pick<SpecialtyLists, 'name'>[] },
): string[] {
  const published = new Set(version.specialties.map((specialty) => specialty.name))
  return [...new Set(named)].filter((name) => !published.has(name))
}

type Source = Omit<DatasetSource, 'kind'>

/** The invented sample, which scripts/sample-dataset.ts makes. */
export const SAMPLE_SHA256 = '9889ce2deceb08e15f8d10dc00949817279953a19b79ee7fb8351d3eca55888b'

const SAMPLE_SOURCE: Source = {
  publisher: 'Countersign',
  title: 'Invented outpatient figures, for trying this service',
  url: null,
  acknowledgement: 'Invented figures. They describe no real hospital and no real patient.',
}

const PUBLISHER = {
  publisher: 'National Treatment Purchase Fund (NTPF)',
  url: 'https://www.ntpf.ie/waiting-list-data/open-data/',
  acknowledgement:
    'Source: National Treatment Purchase Fund (NTPF), Ireland. Public sector information re-used with acknowledgement of source and copyright. The NTPF does not endorse this service.',
}

/** Names the source of a file. The sample never gets the publisher's name, however it is published. */
export const sourceOf = (sha256: string, title: string, url: string = PUBLISHER.url): Source =>
  sha256 === SAMPLE_SHA256 ? SAMPLE_SOURCE : { ...PUBLISHER, title, url }

export type KindCheck = { ok: true; kind: DatasetKind } | { ok: false; reason: string }

/**
 * Decides which kind of waiting list the file counts. Refuses contradictory signs, and a kind that nobody states.
 * @param declared the kind that the operator states
 * @param names the file name, the title and the URL
 */
export function decideKind({
  declared,
  layout,
  names,
}: {
  declared: DatasetKind | undefined
  layout: Layout
  names: readonly string[]
}): KindCheck {
  const signs = [...new Set(names.flatMap(signsOf))]
  const [sign] = signs
  if (signs.length > 1)
    return no(`The file's name, title and address speak of different figures (${signs.join(', ')}).`)
  if (declared !== undefined && sign !== undefined && declared !== sign) {
    return no(`The kind given is ${declared}, but the file's name, title or address says ${sign}.`)
  }
  const kind = declared ?? sign ?? (layout === 'long' ? 'outpatient' : undefined)
  if (kind === undefined) return no(`${KIND_UNKNOWN[layout]} Say what it counts: --kind ${DATASET_KINDS.join(' or ')}.`)
  if (layout === 'long' && kind !== 'outpatient') {
    return no(`The file has no column for the case type, which the publisher's long ${kind} files have.`)
  }
  if (layout === 'long_case_type' && kind === 'outpatient') {
    return no("The file has a column for the case type, which none of the publisher's outpatient files has.")
  }
  if (kind !== 'outpatient' && declared === undefined) {
    return no(`The file's name, title or address says that it counts ${kind}. To serve that, say --kind ${kind}.`)
  }
  return { ok: true, kind }
}

const KIND_UNKNOWN: Record<Layout, string> = {
  long: '',
  long_case_type: "The file has a column for the case type, as the publisher's inpatient and endoscopy files have.",
  wide_specialty:
    'Outpatient and inpatient files have the same columns, and nothing in the name, title or address shows the kind.',
}

const ENDOSCOPY = /endoscop|(?<![a-z])gi(?![a-z])/i
const INPATIENT = /ipdc|in[-_ ]?patient|day[-_ ]?case|(?<![a-z])ip(?![a-z])|(?<![a-z])in_wl/i
const OUTPATIENT = /out[-_ ]?patient|(?<![a-z])op(?![a-z])|opnational/i

/** An endoscopy file is titled "IPDC GI Endoscopy"; that counts as one sign. */
function signsOf(name: string): DatasetKind[] {
  if (ENDOSCOPY.test(name)) return ['gi_endoscopy']
  return [
    ...(INPATIENT.test(name) ? (['inpatient_day_case'] as const) : []),
    ...(OUTPATIENT.test(name) ? (['outpatient'] as const) : []),
  ]
}

const no = (reason: string): KindCheck => ({ ok: false, reason })
