// The compliance page: how the controls came out, those that fail with one act each, reports and what people state; or one report if
// the URL names it.
import { useState } from 'preact/hooks'
import { useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { Button, submitHandler, Submit } from '../../parts/button.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { FieldsInRow } from '../../parts/field-group.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { file } from '../../parts/icons.ts'
import { Halves, Soft, Stack } from '../../parts/layout.view.tsx'
import { HeadedCard } from '../../parts/surfaces.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { lazy } from '../../parts/lazy.view.tsx'
import { useNamesOrIds, type NameOf } from '../key-and-person-names.view.tsx'
import { LackingPart } from '../frame/lacking.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, hasTierFeature, useApi } from '../session.ts'
import { DialogStatementForm, StatementNote, useStatements, type Statements } from '../statements/statements.view.tsx'
import { Sentences } from '../../parts/page-blocks.view.tsx'
import { formatDay } from '../../text/format.ts'
import { PageHead } from '../frame/page-head.view.tsx'
import {
  AllControls,
  FailingControls,
  ScoreTiles,
  listedFirst,
  type JudgedScore,
  type Score,
} from './checklist.view.tsx'
import { ControlDrawer, findingText } from './control-drawer.view.tsx'
import { shownState } from './control-words.ts'
import { inPageWords } from './page-words.ts'
import { MakeReport, Reports, latestScoreText, useReports } from './reports.view.tsx'

const ReportPage = lazy(40, async () => (await import('./compliance-report.view.tsx')).ReportPage)

function Compliance() {
  const [parameters] = useUrlParameters()
  const report = parameters.get('report') ?? ''
  return report === '' ? (
    <Checklist opened={parameters.get('control') ?? ''} state={parameters.get('state') ?? ''} />
  ) : (
    <ReportPage key={report} id={report} />
  )
}

const MAKE_HASH = '#report'

/** @param opened the id of the control that is open, or '' @param state that of the controls that are listed, or '' for all */
function Checklist({ opened, state }: { opened: string; state: string }) {
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  const answer = useApi<Score>('/api/compliance/score')
  const [isMaking, setMaking] = useState(location.hash === MAKE_HASH)
  const [made, setMade] = useState(0)
  const hasReports = hasTierFeature('pdf_report')
  const [loaded] = answer
  const kept = useReports(hasReports, made)
  const reports = hasReports ? (
    <Reports answer={kept} nameOf={nameOf} />
  ) : (
    <HeadedCard title="Reports">
      <LackingPart feature="pdf_report" />
    </HeadedCard>
  )
  return (
    <>
      <PageHead lead={loaded.state === 'answered' ? leadOf(loaded.body) : ''}>
        {hasReports && (
          <Button look="first" onClick={() => setMaking(true)}>
            <Icon of={file} />
            Make a report
          </Button>
        )}
      </PageHead>
      <Answered answer={answer} lines={40}>
        {({ controls, score, checklist, cannot_show: limits }) => (
          <>
            <ScoreTiles {...{ controls, score, state }} before={latestScoreText(kept, checklist)} />
            <Halves>
              <Stack gap={5}>
                <FailingControls {...{ controls, score }} />
                {isShort({ controls, score }) && reports}
              </Stack>
              <Stack gap={5}>
                <AllControls {...{ controls, score, state }} />
                {!isShort({ controls, score }) && reports}
              </Stack>
            </Halves>
            <OtherStatements hasCalls={score.calls > 0} {...{ statements, nameOf }} />
            <Foldable look="card" isOnPaper summary={<h2>What this cannot show</h2>}>
              {() => <Sentences isInColumns of={limits.map(inPageWords)} />}
            </Foldable>
            {controls
              .filter(({ id }) => id === opened)
              .map((control) => (
                <ControlDrawer
                  key={control.id}
                  shown={shownState(control, score.percent)}
                  {...{ control, statements, nameOf }}
                />
              ))}
          </>
        )}
      </Answered>
      {isMaking && <MakeReport onClose={() => setMaking(false)} onMade={() => setMade((before) => before + 1)} />}
    </>
  )
}

/** Up to so many failing controls are shorter than the grid of all controls beside them: they leave room for the reports. */
const SHORT = 3

const isShort = (judged: JudgedScore): boolean => listedFirst(judged).length <= SHORT

const leadOf = ({ controls, checklist, law_as_of: law }: Score): string =>
  `${controls.length} controls, last 30 days. Checklist ${checklist}, law as of ${formatDay(law)}. No legal advice.`

const CONTROL_ID = /^X\d$/

type StatementsProps = { statements: Statements; nameOf: NameOf; hasCalls: boolean }

/** Lists statements that are not about a control: about anomalies, differences and calls that are incidents. */
function OtherStatements({ statements, nameOf, hasCalls }: StatementsProps) {
  const { loaded, again } = statements
  return (
    <HeadedCard title="Explanations and incidents">
      {hasCalls && hasPermission('compliance:state') && <IncidentForm onDone={again} />}
      <Answered answer={[loaded, again]} lines={6}>
        {({ data }) =>
          data.every(({ subject }) => CONTROL_ID.test(subject)) ? (
            <Soft as="p">None yet. They do not change the score.</Soft>
          ) : (
            data
              .filter(({ subject }) => !CONTROL_ID.test(subject))
              .map(({ subject }) => (
                <Stack key={subject} gap={2}>
                  <h3>{findingText(subject, nameOf)}</h3>
                  <StatementNote what={findingText(subject, nameOf)} {...{ subject, statements, nameOf }} />
                </Stack>
              ))
          )
        }
      </Answered>
    </HeadedCard>
  )
}

const TRACE = /^tr_[0-9a-f]{32}$/

function IncidentForm({ onDone }: { onDone: () => void }) {
  const [trace, setTrace] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  return (
    <FieldsInRow
      onSubmit={submitHandler(() => {
        const isTrace = TRACE.test(trace.trim())
        setFault(isTrace ? null : 'A trace id is tr_ and 32 digits from 0 to f.')
        setOpen(isTrace)
      })}
    >
      <InputField
        label="Trace of a call that is an incident"
        fault={fault}
        autocomplete="off"
        spellcheck={false}
        value={trace}
        onValue={setTrace}
      />
      <p>
        <Submit label="Mark as incident" look="" />
      </p>
      {isOpen && (
        <DialogStatementForm
          subject={`incident:${trace.trim()}`}
          what={`the call ${trace.trim()}`}
          before={null}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            setTrace('')
            onDone()
          }}
        />
      )}
    </FieldsInRow>
  )
}

await openPage('/app/compliance', Compliance)
