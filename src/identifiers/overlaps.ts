// Of findings that overlap, only the surest is reported.
import type { Finding } from './finding.ts'
import type { Found, Shape } from './identifier-shapes.ts'

/** Among equally sure findings of one length, the shape with more structure (the lower rank) gives the name. */
const RANK: Readonly<Record<Shape, number>> = {
  private_key: 0,
  json_web_token: 0,
  aqta_key: 0,
  anthropic_key: 0,
  openai_key: 0,
  github_token: 0,
  slack_token: 0,
  aws_access_key: 0,
  google_api_key: 0,
  stripe_key: 0,
  iban: 0,
  payment_card: 0,
  email_address: 1,
  date_of_birth: 2,
  pps_number: 3,
  eircode: 4,
  uk_postcode: 5,
  date: 6,
  chi_number: 7,
  health_and_care_number: 8,
  phone_number: 9,
  nhs_number: 10,
  hospital_record_number: 11,
}

/** The surest findings that do not overlap, in order of start. */
export function resolveOverlaps<S extends Shape>(findings: readonly Finding<S>[]): Found<S>[] {
  const ranked = findings.toSorted(
    (a, b) => a.certainty - b.certainty || b.end - b.start - (a.end - a.start) || RANK[a.shape] - RANK[b.shape],
  )
  const taken = new Uint8Array(ranked.reduce((last, { end }) => Math.max(last, end), 0))
  const kept: Found<S>[] = []
  for (const { shape, start, end } of ranked) {
    if (taken.subarray(start, end).includes(1)) continue
    taken.fill(1, start, end)
    kept.push({ shape, start, end })
  }
  return kept.toSorted((a, b) => a.start - b.start)
}
