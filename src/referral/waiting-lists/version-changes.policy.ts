// Compares a new waiting-list file with the version before it, or with known names if there is none. Anything unusual is a concern,
// which the operator must accept before the file is published. Pure.
import knownJson from '../../../data/known-names.json' with { type: 'json' }
import * as z from 'zod'
import { once } from '../../platform/once.ts'
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
    ...(previous === null ? [] : [...findOlder(next, previous), ...findSmaller(next, previous)]),
    ...findMissingNames(next, previous, facts).concerns,
    ...findMissingEnd(next, facts),
    ...findNewNames(next, previous),
  ]
}

/** Returns missing names with so few people that the publisher may have moved them. */
export function missingSmallNames(next: Manifest, previous: Manifest | null, facts: FileFacts): string[] {
  return findMissingNames(next, previous, facts).small
}

/** Counts the rows of the archive date. Merged rows count once, because the publisher does not always merge them. */
export function countPublishedRows({ version, summary }: Manifest): number {
  const rows = summary.archiveDates.find(({ archiveDate }) => archiveDate === version.archiveDate)?.rows ?? 0
  return rows - summary.keysSummed
}

function findOlder(next: Manifest, previous: Manifest): Concern[] {
  const [date, dateBefore] = [next.version.archiveDate, previous.version.archiveDate]
  if (date >= dateBefore) return []
  return [{ accept: 'older', reason: `The archive date goes back from ${dateBefore} to ${date}.` }]
}

function findSmaller(next: Manifest, previous: Manifest): Concern[] {
  const counts = [
    ['rows of the archive date', countPublishedRows(previous), countPublishedRows(next)],
    ['specialties', previous.specialties.length, next.specialties.length],
  ] as const
  return counts
    .filter(([, from, to]) => to < from * (1 - LARGEST_FALL))
    .map(([counted, from, to]) => {
      const percent = ((1 - to / from) * 100).toFixed(1)
      const { archiveDate } = previous.version
      const reason = `The ${counted} fell by ${percent} %, from ${from} (archive date ${archiveDate}) to ${to}.`
      return { accept: 'smaller', reason }
    })
}

/** `small`: names with fewer than FEW_PEOPLE people, which are no concern. */
type MissingNames = { concerns: Concern[]; small: string[] }

/** Compares with the previous version and the file's previous archive date. Without either, compares with known names. */
function findMissingNames(next: Manifest, previous: Manifest | null, { namesBefore }: FileFacts): MissingNames {
  const known = previous === null && namesBefore === null ? knownNames(next) : null
  const compared = [
    ['the version before', previous?.names ?? null],
    ['the archive date before in the same file', namesBefore],
    ['names that the publisher has in every file of this form', known],
  ] as const
  const concerns: Concern[] = []
  const small = new Set<string>()
  for (const [comparedWith, before] of compared) {
    if (before === null) continue
    const missing = namesNotIn(next, before)
    for (const { name, people } of missing) if (people < FEW_PEOPLE) small.add(name)
    const large = missing.filter(({ people }) => people >= FEW_PEOPLE).map(({ name }) => name)
    if (large.length === 0) continue
    concerns.push({ accept: 'incomplete', reason: `Missing, compared with ${comparedWith}: ${listNames(large)}.` })
  }
  return { concerns, small: [...small] }
}

/** Returns the specialties, hospitals and bands that the version does not have any more, with the people on their lists. */
function namesNotIn({ names, hasHospitals }: Manifest, before: NamesOfDate): { name: string; people: number }[] {
  return [
    ...AGE_GROUPS.flatMap((ageGroup) =>
      onlyIn(before.specialties[ageGroup], names.specialties[ageGroup]).map(({ name, people }) => ({
        name: `${name} (${ageGroup})`,
        people,
      })),
    ),
    ...(hasHospitals ? onlyIn(before.hospitals, names.hospitals) : []),
    ...onlyIn(before.bands, names.bands).map(({ name, people }) => ({ name: `the band ${name} months`, people })),
  ]
}

export function onlyIn<Named extends { name: string }>(items: readonly Named[], others: readonly Named[]): Named[] {
  const names = new Set(others.map(({ name }) => name))
  return items.filter(({ name }) => !names.has(name))
}

function findMissingEnd({ layout }: Manifest, { endsInEmptyLine }: FileFacts): Concern[] {
  if (layout === 'wide_specialty' || endsInEmptyLine) return []
  const reason =
    "The file does not end in an empty line, as the publisher's long files do. It may have been cut at the end of a line."
  return [{ accept: 'incomplete', reason }]
}

/** The models that read letters see these names, so a name is not trusted merely because a file has it. */
function findNewNames({ specialties }: Manifest, previous: Manifest | null): Concern[] {
  const known = new Set([...KNOWN().specialties, ...(previous?.specialties.map(({ name }) => name) ?? [])])
  const unknown = specialties.map(({ name }) => name).filter((name) => !known.has(name))
  if (unknown.length === 0) return []
  const reason = `Specialties that neither the version before nor data/known-names.json has: ${listNames(unknown)}.`
  return [{ accept: 'new-names', reason }]
}

function listNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

const Names = once(() => z.array(z.string()))
const Steady = once(() =>
  z.strictObject({ specialties: z.strictObject({ Adult: Names(), Child: Names() }), hospitals: Names() }),
)

/** `steady`: names that every archive date of the known files has, with at least FEW_PEOPLE people. */
const KNOWN = once(() =>
  z
    .strictObject({
      source: z.string(),
      collected: z.iso.date(),
      publisher: z.string(),
      specialties: Names(),
      steady: z.strictObject({ long: Steady(), wide_specialty: Steady() }),
    })
    .parse(knownJson),
)

/** The known names have no counts. This count makes each missing one a concern. */
const withEnoughPeople = (names: readonly string[]) => names.map((name) => ({ name, people: FEW_PEOPLE }))

function knownNames({ layout, source }: Manifest): NamesOfDate | null {
  if (layout === 'long_case_type' || source.kind !== 'outpatient' || source.publisher !== KNOWN().publisher) return null
  const { specialties, hospitals } = KNOWN().steady[layout]
  return {
    specialties: { Adult: withEnoughPeople(specialties.Adult), Child: withEnoughPeople(specialties.Child) },
    hospitals: withEnoughPeople(hospitals),
    bands: [],
  }
}
