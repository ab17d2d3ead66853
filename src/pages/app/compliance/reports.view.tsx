// Compliance page: the reports that are kept, each with what it found, so that the trend shows; and the dialog that makes one.
import { useMemo, useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/report'
import type { Infer } from '../../../platform/once.ts'
import type { KeptReportSchema, MadeReportSchema } from '../../../management/compliance/compliance.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, refusalOf, type Answer, type ReceivedFile } from '../../api/send-request.ts'
import { useAnswer, type LoadedAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Radio } from '../../parts/fields.view.tsx'
import { FormFields, useForm } from '../../parts/schema-form.view.tsx'
import { columnsOf, type Column } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Note, Pair } from '../../parts/layout.view.tsx'
import { CardBody, HeadedCard } from '../../parts/surfaces.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { exactTime } from '../../parts/times.view.tsx'
import { formatDay } from '../../text/format.ts'
import { personOf, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi, fetchFile, hasPermission } from '../session.ts'
import { useView } from '../use-view.ts'
import type { Score } from './checklist.view.tsx'
import { dayFromToday } from '../../text/day.ts'

type KeptReport = Infer<typeof KeptReportSchema>

/** `score`: what the report found; null if it was not asked for. */
type ReportLine = { report: KeptReport; score: Score | null }

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
  return answered(data.map((report, at) => ({ report, score: scoreIn(report, scores[at]) })))
}

/** What the report found, if the answer is of it. */
const scoreIn = ({ id }: KeptReport, score: Answer<Score> | undefined): Score | null =>
  score?.outcome === 'answered' && score.body.report_id === id ? score.body : null

type LoadedReports = LoadedAnswer<readonly ReportLine[]>

/** @param on loads the list again when it changes */
export const useReports = (isAsked: boolean, on: unknown): LoadedReports =>
  useAnswer(async (signal) => (isAsked ? loadReports(signal) : answered([])), [on])

/** Returns “58% in the report of 20 Nov 2026, 12:00 UTC, by another checklist”, or null without a score of the latest report. */
export function latestScoreText([loaded]: LoadedReports, checklist: string): string | null {
  const latest = loaded.state === 'answered' ? loaded.body[0] : undefined
  const percent = latest?.score?.score.percent ?? null
  if (latest === undefined || percent === null) return null
  const other = latest.score?.checklist === checklist ? '' : ', by another checklist'
  return `${percent}% in the report of ${exactTime(latest.report.created_at)}${other}`
}

export function Reports({ answer, nameOf }: { answer: LoadedReports; nameOf: NameOf }) {
  const view = useView()
  const columns = useMemo(() => columnsFor(nameOf), [nameOf])
  return (
    <HeadedCard title="Reports" isList>
      <Answered answer={answer} lines={4}>
        {(reports) => (
          <DataGrid
            label="Reports, newest first"
            noun="report"
            columns={columns}
            rows={reports}
            keyOf={({ report }) => report.id}
            view={view}
            link={({ report }, content) => (
              <ParameterLink look="cover" change={{ report: report.id }}>
                {content}
              </ParameterLink>
            )}
            empty={
              <CardBody as="p" tone="soft">
                None yet. A report says how each control came out in a period, and what was found.
              </CardBody>
            }
          />
        )}
      </Answered>
    </HeadedCard>
  )
}

const line = columnsOf<ReportLine>()

const columnsFor = (nameOf: NameOf): readonly Column<ReportLine>[] => [
  line.own({
    id: 'made',
    head: 'Made',
    kind: 'name',
    cell: ({ report }) => (
      <>
        {exactTime(report.created_at)}
        <Note>
          {formatDay(report.start)} to {formatDay(report.end)}, made by {personOf(nameOf, report.created_by)}
        </Note>
      </>
    ),
    plain: ({ report }) => report.created_at,
  }),
  line.number({
    id: 'score',
    head: 'Score',
    phone: 'title-end',
    of: ({ score }) => score?.score.percent ?? null,
    format: (percent) => `${percent}%`,
  }),
]

type MadeReport = Infer<typeof MadeReportSchema>

/** A report is of the last 30 days, where nobody names others. */
const PERIOD_DAYS = 30

/** The dialog that makes a report of a period and opens it, or saves it as a PDF at once. */
export function MakeReport({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const form = useForm({
    schema: SCHEMA,
    words: { start: { label: 'From' }, end: { label: 'To' } },
    start: { start: dayFromToday(1 - PERIOD_DAYS), end: dayFromToday(0) },
  })
  const [isPdf, setPdf] = useState(false)
  const { body } = form
  const finish = (made: MadeReport | ReceivedFile): void => {
    onClose()
    if ('id' in made) return changeUrlParameters({ report: made.id })
    saveFile(made)
    showToast(`Saved: ${made.name}. The report is in the list, too.`)
    onMade()
  }
  const make = () =>
    isPdf
      ? refusalOf(fetchFile('POST', '/api/compliance/export', { body }), finish)
      : refusalOf(callApi<MadeReport>('POST', '/api/compliance/report', { body }), finish)
  if (!hasPermission('audit:read')) return null
  return (
    <DialogForm
      title="Make a report"
      button="Make the report"
      ask={make}
      waiting="It is being made from the log of these days."
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <p>How each control did in this period, with the evidence.</p>
          <Pair>
            <FormFields of={form} faultOf={faultOf} />
          </Pair>
          <FieldGroup legend="Then">
            <Radio name="then" isChosen={!isPdf} onChoose={() => setPdf(false)}>
              Open it here
            </Radio>
            <Radio name="then" isChosen={isPdf} onChoose={() => setPdf(true)}>
              Save it as PDF
            </Radio>
          </FieldGroup>
          <Note as="p">Whole days in UTC, both included. At most 20 in 24 hours. Each is an entry of your log.</Note>
        </>
      )}
    </DialogForm>
  )
}
