// Stores a number for each name that calls are counted for: keys, models, use cases, cohorts. A name keeps its number as long as
// the organisation exists.
import { findEnding } from '../../evidence/records/call-endings.ts'
import type { Grouping } from '../../platform/groupings.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { MOST_USE_CASES, type Dimension } from './tally.ts'

/** A name that no use case can have. */
export const OTHER_USE_CASES = '(other)'

/** Reads and writes the numbers of names, with a cache for one transaction. */
export class UsageNamesStore extends ObjectStore {
  readonly #numbers = new Map<string, number>()
  #useCases: number | null = null

  /** Returns a name's number; a new name gets one. Returns 0 for null. */
  number(kind: Grouping, name: string | null): number {
    if (name === null) return 0
    const known = this.find(kind, name)
    if (known !== null) return known
    const { id } = this.row<{ id: number }>(sql`INSERT INTO usage_names (kind, name)
      VALUES (${kind}, ${name}) RETURNING id`)
    this.#numbers.set(`${kind}\n${name}`, id)
    return id
  }

  find(kind: Grouping, name: string): number | null {
    const cachedNumber = this.#numbers.get(`${kind}\n${name}`)
    if (cachedNumber !== undefined) return cachedNumber
    const [row] = this.rows<{ id: number }>(sql`SELECT id FROM usage_names WHERE kind = ${kind} AND name = ${name}`)
    if (row === undefined) return null
    this.#numbers.set(`${kind}\n${name}`, row.id)
    return row.id
  }

  /** Returns the name under which a use case is counted from now on. */
  readonly nameUseCase = (useCase: string): string => {
    if (this.find('use_case', useCase) !== null) return useCase
    this.#useCases ??= this.countUseCases()
    if (this.#useCases >= MOST_USE_CASES) return OTHER_USE_CASES
    this.#useCases += 1
    this.number('use_case', useCase)
    return useCase
  }

  /** Returns the name under which a use case was counted. */
  readonly nameKnownUseCase = (useCase: string): string =>
    this.find('use_case', useCase) === null ? OTHER_USE_CASES : useCase

  /** Returns how many use cases are counted under their own name. */
  countUseCases(): number {
    return this.row<{ n: number }>(sql`SELECT COUNT(id) AS n FROM usage_names WHERE kind = 'use_case'`).n
  }
}

/** Returns a value's number in a dimension, as the tables have it; null if it has none yet. */
export function numberOfValue(names: UsageNamesStore, dimension: Dimension, value: string | null): number | null {
  if (dimension === 'all') return 0
  if (dimension === 'ending') return findEnding(value ?? '')?.number ?? 0
  return value === null ? 0 : names.find(dimension, value)
}
