// Compares a report with the last stored one before it. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { ControlState } from '../controls/control.ts'
import type { ComplianceReport } from './report.schema.ts'

/** Only what the comparison needs: an earlier version of the service may have stored other members. */
export const EarlierReportSchema = once(() =>
  z.object({
    id: z.string(),
    created_at: z.iso.datetime(),
    start: z.iso.date(),
    end: z.iso.date(),
    checklist: z.string(),
    score: z.object({ percent: z.number().nullable() }),
    controls: z.array(z.object({ id: z.string(), state: z.string() })),
  }),
)

export type EarlierReport = Infer<typeof EarlierReportSchema>

type Compared = Pick<ComplianceReport, 'checklist' | 'score' | 'controls'>

/** Compares scores and verdicts only if both reports have the same checklist. */
export function trendOf(now: Compared, earlier: EarlierReport | null): ComplianceReport['trend'] {
  if (earlier === null) return null
  const isSame = now.checklist === earlier.checklist
  const before = new Map(earlier.controls.map(({ id, state }) => [id, state]))
  const newlyIn = (state: ControlState): string[] =>
    isSame ? now.controls.filter((one) => one.state === state && before.get(one.id) !== state).map(({ id }) => id) : []
  return {
    report_id: earlier.id,
    created_at: earlier.created_at,
    start: earlier.start,
    end: earlier.end,
    same_checklist: isSame,
    percent_before: isSame ? earlier.score.percent : null,
    percent_now: isSame ? now.score.percent : null,
    now_passing: newlyIn('pass'),
    now_failing: newlyIn('fail'),
  }
}
