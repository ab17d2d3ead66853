// Compares a new waiting-list file with the version before it, or with known names if there is none. Anything unusual is a concern,
// which the operator must accept. `compareVersions` lists every difference.
import knownJson from '../../../data/known-names.json' with { type: 'json' }
import * as z from '../../platform/zod.ts'
import { AGE_GROUPS, type Dataset, type NamesOfDate } from './dataset.ts'
import type { Manifest } from './stored-version.ts'

/**
 * Names the kinds of concern, which are also the options that accept them.
 * `older`: an archive date before that of the previous version. `smaller`: rows or specialties fell. `incomplete`: names or the
 * end of the file are missing. `new-names`: a specialty that nobody has published before.
 */
export const CONCERN_KINDS = ['older', 'smaller', 'incomplete', 'new-names'] as const
export type ConcernKind = (typeof CONCERN_KINDS)[number]

export interface Concern {
  accept: ConcernKind
  reason: string
}

/** Facts of the file that its manifest does not have. */
type FileFacts = Pick<Dataset, 'namesBefore' | 'endsInEmptyLine'>

/** The publisher's rows and specialties move by a few per cent per month. */
const LARGEST_FALL = 0.15
/** The publisher moves small lists to other rows. Lists that vanished between two months had 28 people at most. */
const FEW_PEOPLE = 50
const MOST_NAMED = 12

/** @param previous the previous version, of the same kind and publisher; null for the first */
export function findConcerns(next: Manifest, previous: Manifest | null, facts: FileFacts): Concern[] {
  return [
    ...(previous === null ? [] : olderOrSmaller(next, previous)),
    ...findMissing(next, previous, facts).concerns,
    ...missingEnd(next, facts),
    ...newNames(next, previous),
  ]
}

/** Returns missing names with so few people that the publisher may have moved them. */
export function missingSmallNames(next: Manifest, previous: Manifest | null, facts: FileFacts): string[] {
  return findMissing(next, previous, facts).few
}

/** Counts the rows of the archive date. Merged rows count once, because the publisher does not always merge them. */
export function countPublishedRows({ version, summary }: Manifest): number {
  const rows = summary.archiveDates.find(({ archiveDate }) => archiveDate === version.archiveDate)?.rows ?? 0
  return rows - summary.keysSummed
}

function olderOrSmaller(next: Manifest, previous: Manifest): Concern[] {
  const concerns: Concern[] = []
  const [date, before] = [next.version.archiveDate, previous.version.archiveDate]
  if (date < before) {
    concerns.push({ accept: 'older', reason: `The archive date goes back from ${before} to ${date}.` })
  }
  const counts = [
    ['rows of the archive date', countPublishedRows(previous), countPublishedRows(next)],
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

type Missing = { concerns: Concern[]; few: string[] }

/** Compares with the previous version and the file's previous archive date. Without either, compares with known names. */
function findMissing(next: Manifest, previous: Manifest | null, { namesBefore }: FileFacts): Missing {
  const known = previous === null && namesBefore === null ? knownNames(next) : null
  const compared = [
    ['the version before', previous?.names ?? null],
    ['the archive date before in the same file', namesBefore],
    ['names that the publisher has in every file of this form', known],
  ] as const
  const missing: Missing = { concerns: [], few: [] }
  for (const [what, before] of compared) {
    if (before === null) continue
    const { many, few } = missingNames(before, next)
    missing.few.push(...few)
    if (many.length > 0) {
      missing.concerns.push({ accept: 'incomplete', reason: `Missing, compared with ${what}: ${namesIn(many)}.` })
    }
  }
  return { ...missing, few: [...new Set(missing.few)] }
}

function missingNames(before: NamesOfDate, { names, hasHospitals }: Manifest): { many: string[]; few: string[] } {
  const gone = [
    ...AGE_GROUPS.flatMap((ageGroup) =>
      onlyIn(before.specialties[ageGroup], names.specialties[ageGroup]).map(({ name, people }) => ({
        name: `${name} (${ageGroup})`,
        people,
      })),
    ),
    ...(hasHospitals ? onlyIn(before.hospitals, names.hospitals) : []),
    ...onlyIn(before.bands, names.bands).map(({ name, people }) => ({ name: `the band ${name} months`, people })),
  ]
  const named = (some: typeof gone) => some.map(({ name }) => name)
  return {
    many: named(gone.filter(({ people }) => people >= FEW_PEOPLE)),
    few: named(gone.filter(({ people }) => people < FEW_PEOPLE)),
  }
}

export function onlyIn<Named extends { name: string }>(some: readonly Named[], others: readonly Named[]): Named[] {
  const there = new Set(others.map(({ name }) => name))
  return some.filter(({ name }) => !there.has(name))
}

function missingEnd({ layout }: Manifest, { endsInEmptyLine }: FileFacts): Concern[] {
  if (layout === 'wide_specialty' || endsInEmptyLine) return []
  const reason =
    "The file does not end in an empty line, as the publisher's long files do. It may have been cut at the end of a line."
  return [{ accept: 'incomplete', reason }]
}

/** The models that read letters see these names, so a name is not trusted merely because a file has it. */
function newNames({ specialties }: Manifest, previous: Manifest | null): Concern[] {
  const known = new Set([...KNOWN.specialties, ...(previous?.specialties.map(({ name }) => name) ?? [])])
  const unknown = specialties.map(({ name }) => name).filter((name) => !known.has(name))
  if (unknown.length === 0) return []
  const reason = `Specialties that neither the version before nor data/known-names.json has: ${namesIn(unknown)}.`
  return [{ accept: 'new-names', reason }]
}

function namesIn(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

const Names = z.array(z.string())
const Steady = z.strictObject({ specialties: z.strictObject({ Adult: Names, Child: Names }), hospitals: Names })

/** `steady`: names that every archive date of the known files has, with at least FEW_PEOPLE people. */
const KNOWN = z
  .strictObject({
    source: z.string(),
    collected: z.iso.date(),
    publisher: z.string(),
    specialties: Names,
    steady: z.strictObject({ long: Steady, wide_specialty: Steady }),
  })
  .parse(knownJson)

const withEnoughPeople = (names: readonly string[]) => names.map((name) => ({ name, people: FEW_PEOPLE }))

function knownNames({ layout, source }: Manifest): NamesOfDate | null {
  if (layout === 'long_case_type' || source.kind !== 'outpatient' || source.publisher !== KNOWN.publisher) return null
  const { specialties, hospitals } = KNOWN.steady[layout]
  return {
    specialties: { Adult: withEnoughPeople(specialties.Adult), Child: withEnoughPeople(specialties.Child) },
    hospitals: withEnoughPeople(hospitals),
    bands: [],
  }
}

export interface VersionDifferences {
  /** Differences of the whole version, with both values. */
  changed: { what: string; from: string | number; to: string | number }[]
  /** In the order of their file. */
  specialtiesGone: string[]
  specialtiesNew: string[]
  hospitalsGone: string[]
  hospitalsNew: string[]
  /** Specialties in both whose number of lists differs, both age groups together. */
  listsChanged: { specialty: string; from: number; to: number }[]
}

export function compareVersions(served: Manifest, next: Manifest): VersionDifferences {
  const before = comparedFacts(served)
  const changed = Object.entries(comparedFacts(next)).flatMap(([what, to]) => {
    const from = before[what]
    return from === undefined || from === to ? [] : [{ what, from, to }]
  })
  const listsBefore = listsBySpecialty(served)
  const listsNow = listsBySpecialty(next)
  return {
    changed,
    specialtiesGone: [...listsBefore.keys()].filter((name) => !listsNow.has(name)),
    specialtiesNew: [...listsNow.keys()].filter((name) => !listsBefore.has(name)),
    hospitalsGone: onlyIn(served.names.hospitals, next.names.hospitals).map(({ name }) => name),
    hospitalsNew: onlyIn(next.names.hospitals, served.names.hospitals).map(({ name }) => name),
    listsChanged: [...listsNow].flatMap(([specialty, to]) => {
      const from = listsBefore.get(specialty)
      return from === undefined || from === to ? [] : [{ specialty, from, to }]
    }),
  }
}

function comparedFacts(manifest: Manifest): Record<string, string | number> {
  const { version, source, summary, specialties, hasHospitals } = manifest
  return {
    'file (SHA-256)': version.hash,
    kind: source.kind,
    publisher: source.publisher,
    title: source.title,
    'archive date': version.archiveDate,
    'published on': version.publishedOn,
    'rows of the archive date': countPublishedRows(manifest),
    specialties: specialties.length,
    lists: summary.lists,
    'people in them': summary.people,
    hospitals: hasHospitals ? summary.hospitals : 'none',
  }
}

const listsBySpecialty = ({ specialties }: Manifest): Map<string, number> =>
  new Map(specialties.map(({ name, lists }) => [name, lists.Adult + lists.Child]))
