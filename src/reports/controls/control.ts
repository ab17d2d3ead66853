// The definition of a control, and constructors for its judgement. Pure.
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
  /** The question of the control, in words. */
  query: string
  /** The remedy if it fails. */
  wouldPass: string
  /** The API path with the same data. */
  link?: string
  judge: (facts: Facts) => Judgement
}

/** The control passes or fails. */
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

/** In percent with two decimals; 0 if the whole is 0. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100

/** Further names are only counted. */
const MOST_NAMES = 20

export const someNames = (names: readonly string[]): string[] =>
  names.length <= MOST_NAMES ? [...names] : [...names.slice(0, MOST_NAMES), `and ${names.length - MOST_NAMES} more`]
