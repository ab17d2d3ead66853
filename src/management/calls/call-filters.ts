// Reads the filters of a list of calls, as every route with such a list takes them.
import type { TrailQuery } from '../../organisation/audit/audit-trail.ts'
import { ENDING_NAMES } from '../../evidence/records/call-endings.ts'
import type * as z from 'zod'
import { LONGEST_RETENTION_DAYS } from '../../policies/tier.policy.ts'
import type { callFilterMembers } from '../audit/audit-trail.schema.ts'
import { readDateRange } from '../date-range.ts'

export type CallFilters = z.infer<z.ZodObject<ReturnType<typeof callFilterMembers>>>

/** Throws `invalid_request` if the days are not a range. */
export function readCallFilters(
  { outcome, ending, rule, reason, model, key_id, use_case, q, cursor, limit, ...dates }: CallFilters,
  now: number,
): TrailQuery {
  const named = ending?.split(',')
  return {
    days: readDateRange(dates, now, LONGEST_RETENTION_DAYS),
    filter: {
      outcome: outcome ?? null,
      endings: named === undefined ? null : ENDING_NAMES.filter((one) => named.includes(one)),
      rule: rule ?? null,
      reason: reason ?? null,
      model: model ?? null,
      keyId: key_id ?? null,
      useCase: use_case ?? null,
      text: q ?? null,
    },
    before: cursor === undefined ? null : Number(cursor),
    limit,
  }
}
