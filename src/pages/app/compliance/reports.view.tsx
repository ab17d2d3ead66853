// Compliance page: the reports that are kept, each with what it found, so that the trend shows; and the dialog that makes one.
import { useState } from 'preact/hooks'
import type * as z from 'zod'
import type { KeptReportSchema, MadeReportSchema } from '../../../management/compliance/compliance.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { Answered, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button, Submit, submitHandler } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { faultsIn } from '../../parts/form.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { file } from '../../parts/icons.ts'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatDay } from '../../text/format.ts'
import { PERIOD_NOTE } from '../evidence/log-list.view.tsx'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { callApi, fetchFile, hasPermission } from '../session.ts'
import type { Score } from './checklist.view.tsx'

type KeptReport = z.infer<typeof KeptReportSchema>

/** `percent`: what the report found; null if no control applied, or it was not asked for. */
type ReportLine = { report: KeptReport; percent: number | null }

/** Of so many reports the score is asked for. */
const MOST_SCORES = 6
const MOST_REPORTS = 50

async function loadReports(signal: AbortSignal): Promise<Answer<readonly ReportLine[]>> {
  const kept = await callApi<List<KeptReport>>('GET', '/api/compliance/reports', {
    query: { limit: MOST_REPORTS },
    signal,
  })
  if (kept.outcome === 'refused') return kept
  const { data } = kept.body
  const scores = await Promise.all(
    data
      .slice(0, MOST_SCORES)
      .map(({ created_at: at }) => callApi<Score>('GET', '/api/compliance/score', { query: { at }, signal })),
  )
  return answered(data.map((report, at) => ({ report, percent: percentOf(report, scores[at]) })))
}

/** What the report found, if the answer is of it. */
const percentOf = ({ id }: KeptReport, score: Answer<Score> | undefined): number | null =>
  score?.outcome === 'answered' && score.body.report_id === id ? score.body.score.percent : null

type Props = {
  /** What the checklist finds now. */
  percent: number | null
  nameOf: NameOf
  /** Loads the list again when it changes. */
  on: unknown
}

export function Reports({ percent, nameOf, on }: Props) {
  const answer = useAnswer(loadReports, [on])
  return (
    <section class="card parts" aria-labelledby="reports">
      <div class="head">
        <h2 id="reports">Reports</h2>
      </div>
      <Answered answer={answer} lines={4}>
        {(reports) => (
          <>
            {reports.length === 0 ? (
              <p class="body soft">
                None yet. A report says how each control came out in a period, and what was found.
              </p>
            ) : (
              <ul class="list reports">
                {reports.map((line) => (
                  <ReportItem key={line.report.id} of={line} nameOf={nameOf} />
                ))}
              </ul>
            )}
            {reports[0] !== undefined && <Trend latest={reports[0]} percent={percent} />}
          </>
        )}
      </Answered>
    </section>
  )
}

type ItemProps = { of: ReportLine; nameOf: NameOf }

const ReportItem = ({ of: { report, percent }, nameOf }: ItemProps) => (
  <li>
    <Icon of={file} />
    <span>
      <ParameterLink change={{ report: report.id }}>
        {formatDay(report.start)} to {formatDay(report.end)}
      </ParameterLink>
      <small>
        Made by {nameOf(report.created_by)}, {formatDay(report.created_at.slice(0, 'YYYY-MM-DD'.length))}
      </small>
    </span>
    {percent !== null && <b class="number">{percent}%</b>}
  </li>
)

/** What has changed since the latest report. */
function Trend({ latest, percent }: { latest: ReportLine; percent: number | null }) {
  if (latest.percent === null || percent === null) return null
  const change = percent - latest.percent
  const words =
    change === 0
      ? 'as in the latest report'
      : `${Math.abs(change)} points ${change > 0 ? 'more' : 'less'} than in the latest report`
  return (
    <p class="foot-line">
      Now {percent}%, {words}. By weight, of the last 30 days.
    </p>
  )
}

type MadeReport = z.infer<typeof MadeReportSchema>

/** The dialog that makes a report of a period and opens it, or saves it as a PDF at once. */
export function MakeReport({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [period, setPeriod] = useState({ start: '', end: '' })
  const body = Object.fromEntries(Object.entries(period).filter(([, day]) => day !== ''))
  const { ask, isAsking, problem } = useButtonRequest(
    () => callApi<MadeReport>('POST', '/api/compliance/report', { body }),
    ({ id }) => {
      onClose()
      changeUrlParameters({ report: id })
    },
  )
  if (!hasPermission('audit:read')) return null
  return (
    <Dialog title="Make a report" onClose={onClose} isLocked={isAsking}>
      <form class="stack" onSubmit={submitHandler(ask)}>
        <p>
          It tells of a period how each control came out, what was asked and found for it, how calls ended and what they
          cost. Its hash goes into your log, and the same report gives the same PDF, byte for byte.
        </p>
        <div class="pair">
          {(['start', 'end'] as const).map((name) => (
            <InputField
              key={name}
              label={name === 'start' ? 'From' : 'To'}
              fault={faultsIn(problem)(name)}
              type="date"
              value={period[name]}
              onValue={(value) => setPeriod({ ...period, [name]: value })}
            />
          ))}
        </div>
        <p class="hint">{PERIOD_NOTE} One at a time, and 20 in 24 hours. Your log says that it was made.</p>
        <p role="status">{isAsking && 'It is being made from the log of these days. It opens when it is there.'}</p>
        {problem !== null && <RefusalNotice problem={problem} />}
        <p class="row">
          <Submit label="Make it and open it" isDisabled={isAsking} />
          <Button onClick={onClose} isDisabled={isAsking}>
            Cancel
          </Button>
        </p>
        <SaveButton
          label="Make it and save it as PDF"
          ask={(onBytes) => fetchFile('POST', '/api/compliance/export', { body }, onBytes)}
          tell={() => {
            onMade()
            return Promise.resolve('The report is in the list, too.')
          }}
        />
      </form>
    </Dialog>
  )
}
