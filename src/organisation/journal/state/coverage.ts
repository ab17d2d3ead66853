// Knows which coverage entries the log has: what each build of the software writes. A decision names the entry that it is under.
import * as z from 'zod'
import { once } from '../../../platform/once.ts'
import type { StateEvent } from './state-event.ts'

/** Builds that have an entry, the latest last: their key (`coverageKey`), the entry's position and until when it is kept. */
export type Coverage = Map<string, { position: number; until: number }>

/** Two builds take turns in a gradual deployment. Older ones than these get another entry if they come back. */
const MOST_BUILDS = 8

export const createCoverage = (): Coverage => new Map()

export function applyCoverage({ coverage }: { coverage: Coverage }, event: StateEvent): void {
  if (event.kind !== 'coverage') return
  coverage.delete(event.key)
  coverage.set(event.key, { position: event.position, until: event.until })
  const [oldest] = coverage.keys()
  if (coverage.size > MOST_BUILDS && oldest !== undefined) coverage.delete(oldest)
}

/** Returns what the row of an entry has in its column `outcome`, so that a start reads no entry: its key and its days. */
export const coverageColumn = (key: string, retentionDays: unknown): string => `${key} ${String(retentionDays)}`

/** Reads the column. Null if it has another form, as of a newer version before a rollback. */
export function readCoverageColumn(column: string | null): { key: string; retentionDays: number } | null {
  const [, key, days] = /^([0-9a-f]{32}) ([1-9][0-9]*)$/.exec(column ?? '') ?? []
  return key === undefined ? null : { key, retentionDays: Number(days) }
}

/** Each build: key, position, kept until. */
export const CoverageSchema = once(() => z.array(z.tuple([z.string(), z.int().min(0), z.int()])))

export const presentCoverage = (coverage: Coverage): [string, number, number][] =>
  Array.from(coverage, ([key, { position, until }]) => [key, position, until])

export const readCoverage = (builds: readonly [string, number, number][]): Coverage =>
  new Map(builds.map(([key, position, until]) => [key, { position, until }]))
