// The comparison with the report before: only of reports that are of the same checklist.
import { describe, expect, it } from 'vitest'
import { EarlierReportSchema, trendOf, type EarlierReport } from '../../../../src/reports/report/trend.ts'
import { sampleReport } from '../../../support/pdf/sample-reports.ts'

const now = sampleReport()
const earlier = (changes: Partial<EarlierReport> = {}): EarlierReport => ({
  ...EarlierReportSchema().parse(sampleReport()),
  score: { percent: 70 },
  controls: now.controls.map(({ id, state }) => ({ id, state: id === 'D1' ? 'pass' : id === 'P2' ? 'fail' : state })),
  ...changes,
})

describe('the trend', () => {
  it('has both scores, and the controls that newly pass and newly fail', () => {
    expect(trendOf(now, earlier())).toMatchObject({
      report_id: now.id,
      same_checklist: true,
      percent_before: 70,
      percent_now: now.score.percent,
      now_passing: ['P2'],
      now_failing: ['D1'],
    })
  })

  it('compares nothing but the day with a report of another checklist', () => {
    expect(trendOf(now, earlier({ checklist: '2026-01-01' }))).toMatchObject({
      created_at: now.created_at,
      same_checklist: false,
      percent_before: null,
      percent_now: null,
      now_passing: [],
      now_failing: [],
    })
  })

  it('is null without a report before', () => expect(trendOf(now, null)).toBe(null))

  it('reads an earlier report that has other members', () => {
    const { decisions: _, trend: __, risks: ___, names: ____, ...stored } = sampleReport()
    expect(EarlierReportSchema().safeParse({ ...stored, another: 1 }).success).toBe(true)
  })
})
