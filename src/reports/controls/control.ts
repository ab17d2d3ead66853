// What a control of the checklist is, and how one is judged. Pure.
import type { Control, ControlState } from '../report/report.schema.ts'
import type { Facts } from './facts.ts'

export type EvidenceValues = Readonly<Record<string, string | number | boolean | null | string[]>>

/** `reason`: why it does not apply, or needs a person. */
export type Judgement = {
  state: ControlState
  values: EvidenceValues | null
  positions?: number[]
  reason?: string
}

/** `weight`: 3 without it the record cannot be trusted, 2 an article names it, 1 good practice, 0 not scored. */
export type ControlDefinition = {
  id: string
  title: string
  weight: Control['weight']
  sources: readonly string[]
  /** What is asked, in words. */
  query: string
  /** What would make it pass. */
  wouldPass: string
  /** Where the same can be asked of the service. */
  link?: string
  judge: (facts: Facts) => Judgement
}

/** What was found either makes it pass or not. */
export const judged = (isMet: boolean, values: EvidenceValues, positions?: number[]): Judgement => ({
  state: isMet ? 'pass' : 'fail',
  values,
  ...(positions !== undefined && positions.length > 0 && { positions }),
})

export const notApplicable = (reason: string, values: EvidenceValues | null = null): Judgement => ({
  state: 'not_applicable',
  values,
  reason,
})

/** In percent with two decimals; of none it is 0. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100

/** So many names at most are told: the rest is a number. */
const MOST_NAMES = 20

export const someNames = (names: readonly string[]): string[] =>
  names.length <= MOST_NAMES ? [...names] : [...names.slice(0, MOST_NAMES), `and ${names.length - MOST_NAMES} more`]
