// Lists every difference between two versions of the waiting lists, for the operator to read before publishing. Pure.
import type { Manifest } from './stored-version.ts'
import { countPublishedRows, onlyIn } from './version-changes.policy.ts'

export interface VersionDifferences {
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
