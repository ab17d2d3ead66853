// What a report asks people to decide, and its largest risks: both of the controls that fail. Pure.
import { DAY_MS } from '../../platform/time.ts'
import type { ComplianceReport, Control } from './report.schema.ts'
import { failingControls } from './failing-controls.ts'

/** The first page has no space for more. */
const MOST_DECISIONS = 5
const MOST_RISKS = 3

/** Controls whose failure may be findings that nobody has explained. */
const FINDING_CONTROLS: ReadonlySet<string> = new Set(['M1', 'M2'])

/** The days after the report by which a control of a weight is to be decided. A proposal of the service, not a term of law. */
export const DAYS_TO_DECIDE = { 3: 7, 2: 30, 1: 90 } as const

/** Returns the decisions of the heaviest failing controls and of all open findings, in the order of their weight. */
export function decisionsOf(controls: readonly Control[], createdAt: string): ComplianceReport['decisions'] {
  const failing = failingControls(controls).toSorted((one, other) => other.weight - one.weight)
  const findings = failing.filter(({ id }) => FINDING_CONTROLS.has(id))
  const others = failing.filter(({ id }) => !FINDING_CONTROLS.has(id)).slice(0, MOST_DECISIONS - findings.length)
  const chosen = new Set([...findings, ...others])
  return failing
    .filter((one) => chosen.has(one))
    .map(({ id, weight, decide, who }) => ({ control: id, what: decide, who, by: dayToDecide(createdAt, weight) }))
}

function dayToDecide(createdAt: string, weight: Control['weight']): string {
  const days = DAYS_TO_DECIDE[weight || 1]
  return new Date(Date.parse(createdAt) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns at most three risks: by weight, then by the part that fails of what was looked at. */
export const risksOf = (controls: readonly Control[]): ComplianceReport['risks'] =>
  failingControls(controls)
    .toSorted((one, other) => other.weight - one.weight || other.size - one.size)
    .slice(0, MOST_RISKS)
    .map(({ id, risk }) => ({ control: id, text: risk }))
