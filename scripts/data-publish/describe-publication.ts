// Describes a publication for data:publish: its summary, and its differences from the served version.
import type { DatasetVersion, Manifest } from '../../src/referral/waiting-lists/stored-version.ts'
import { compareVersions } from '../../src/referral/waiting-lists/version-differences.ts'

export function describeVersion({ archiveDate, publishedOn, hash }: DatasetVersion): string {
  return `archive date ${archiveDate}, published ${publishedOn}, ${hash}`
}

export function summarisePublication(
  { version, source, hasHospitals, summary }: Manifest,
  served: Manifest | null,
): string {
  const dates = summary.archiveDates.map(({ archiveDate, rows }) => `${archiveDate} (${rows} rows)`)
  const buckets = summary.bucketsLeftOut.map(({ name, lists, people }) => `${name}: ${lists} lists, ${people} people`)
  const rows: [string, string | number][] = [
    ['file (SHA-256)', version.hash],
    ['kind', source.kind],
    ['title', source.title],
    ['source', source.url ?? 'none'],
    ['archive date', version.archiveDate],
    ['published on', version.publishedOn],
    ['archive dates in the file', dates.join(', ')],
    ['rows read', summary.rowsRead],
    ['keys summed', summary.keysSummed],
    ['specialties', summary.specialties],
    ['lists made', summary.lists],
    ['people in them', summary.people],
    ['hospitals', hasHospitals ? summary.hospitals : 'none: the lists cannot name hospitals'],
    ['buckets left out', buckets.join('; ') || 'none'],
    ['served before', served === null ? 'nothing' : describeVersion(served.version)],
  ]
  return rows.map(([name, value]) => `${name.padEnd(26)} ${value}`).join('\n')
}

export function showDifferences(next: Manifest, served: Manifest | null): string {
  if (served === null) return 'Nothing is served yet.'
  const { changed, listsChanged, ...names } = compareVersions(served, next)
  const named = [
    ['specialties gone', names.specialtiesGone],
    ['specialties new', names.specialtiesNew],
    ['hospitals gone', names.hospitalsGone],
    ['hospitals new', names.hospitalsNew],
  ] as const
  const lines = [
    ...changed.map(({ what, from, to }) => `${what.padEnd(26)} ${from} -> ${to}`),
    ...named.flatMap(([what, each]) => (each.length === 0 ? [] : [`${what.padEnd(26)} ${each.join(', ')}`])),
    ...listsChanged.map(({ specialty, from, to }) => `${'lists of'.padEnd(26)} ${specialty}: ${from} -> ${to}`),
  ]
  return lines.length === 0
    ? 'This version is served already.'
    : ['Compared with the served version:', ...lines.map((line) => `  ${line}`)].join('\n')
}
