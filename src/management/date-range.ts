// The `start` and `end` parameters of queries: UTC dates, both included, with 30 days as the default.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { utcDay } from '../platform/time.ts'
import { AppError } from '../platform/errors.ts'

/** The first and last day, each counted in whole UTC days since the epoch. */
export type DayRange = { readonly first: number; readonly last: number }

const DEFAULT_DAYS = 30

const date = once(() =>
  z.iso.date('expected a day that exists, as YYYY-MM-DD').meta({ format: 'date', example: '2026-11-01' }),
)

export const dateRangeMembers = once(() => ({
  start: date()
    .optional()
    .meta({
      description: `The first UTC day, included. Left out: such that there are ${DEFAULT_DAYS} days.`,
    }),
  end: date().optional().meta({ description: 'The last UTC day, included. Left out: today.' }),
}))

/** Returns the days. Throws `invalid_request` if they are not in order, or more than `most`. */
export function readDateRange(
  query: { start?: string | undefined; end?: string | undefined },
  now: number,
  most: number,
): DayRange {
  const last = query.end === undefined ? utcDay(now) : dayOf(query.end)
  const first = query.start === undefined ? last - DEFAULT_DAYS + 1 : dayOf(query.start)
  if (first > last)
    throw refuse(
      'start',
      'The start is later than the end (default: today). Send an earlier start or a later end.',
      'no later than end',
    )
  if (last - first + 1 > most)
    throw refuse('start', `The range has more than ${most} days. Ask for fewer days.`, `at most ${most} days`)
  return { first, last }
}

const dayOf = (text: string): number => utcDay(Date.parse(text))

const refuse = (param: string, message: string, rule: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })
