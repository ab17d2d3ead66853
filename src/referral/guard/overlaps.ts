// One thing is reported once, under its surest name.
import type { Finding } from './finding.ts'
import type { Identifier, IdentifierShape } from './identifier-shapes.ts'

/** Among equally sure findings of one length, the shape with more structure gives the name. */
const STRUCTURE: readonly IdentifierShape[] = [
  'email_address',
  'date_of_birth',
  'pps_number',
  'eircode',
  'uk_postcode',
  'date',
  'chi_number',
  'health_and_care_number',
  'phone_number',
  'nhs_number',
  'hospital_record_number',
]

/** The surest findings that do not overlap, in order of start. */
export function resolveOverlaps(findings: readonly Finding[]): Identifier[] {
  const ranked = findings.toSorted(
    (a, b) =>
      a.certainty - b.certainty ||
      b.end - b.start - (a.end - a.start) ||
      STRUCTURE.indexOf(a.shape) - STRUCTURE.indexOf(b.shape),
  )
  const taken = new Uint8Array(ranked.reduce((last, { end }) => Math.max(last, end), 0))
  const kept: Identifier[] = []
  for (const { shape, start, end } of ranked) {
    if (taken.subarray(start, end).includes(1)) continue
    taken.fill(1, start, end)
    kept.push({ shape, start, end })
  }
  return kept.toSorted((a, b) => a.start - b.start)
}
