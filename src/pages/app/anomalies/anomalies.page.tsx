// The anomalies page (/app/anomalies): what changed and nobody has explained yet, the differences between groups of calls, and what is
// explained.
import { useState } from 'preact/hooks'
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { Note, Row, Stack } from '../../parts/layout.view.tsx'
import { FilterRow } from '../../parts/filter-row.view.tsx'
import { EmptyNotice } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Facts, Notice } from '../../parts/page-blocks.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { periodIn } from '../evidence/log-list.view.tsx'
import { PeriodMenu } from '../evidence/period-menu.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { useKeys, useNamesOrIds, type Keys, type NameOf } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { callApi, inOrganisation, useApi } from '../session.ts'
import { statementPath } from '../statements/statement-paths.ts'
import { StatementNote, useStatements, type Statements } from '../statements/statements.view.tsx'
import { AnomalyCard, AnomalyLine } from './anomaly-card.view.tsx'
import {
  anomalyKey,
  alarmSubject,
  anomalyTitle,
  callsPathOf,
  sinceText,
  type Alarm,
  type Anomaly,
  type KeyNameOf,
} from './anomaly-words.ts'
import { faultOfDays, knownParameters, MOST_DAYS } from './anomaly-address.ts'
import { AlsoSeen } from './bias-tables.view.tsx'
import { GroupComparison } from './group-comparison.view.tsx'

const LEAD = 'Each is a reason to look, not a fault.'

function Anomalies() {
  const [given] = useUrlParameters()
  const parameters = knownParameters(given)
  const fault = faultOfDays(parameters)
  return fault === null ? <Detected parameters={parameters} /> : <OtherDays parameters={parameters} fault={fault} />
}

type Parameters = { parameters: URLSearchParams }

const Days = ({ parameters }: Parameters) => (
  <Row isOffPaper>
    <FilterRow label="Filters">
      <PeriodMenu parameters={parameters} most={MOST_DAYS} />
    </FilterRow>
    <Note as="p">Opening this page is logged.</Note>
  </Row>
)

const OtherDays = ({ parameters, fault }: Parameters & { fault: string }) => (
  <>
    <PageHead lead="" />
    <Days parameters={parameters} />
    <Notice role="status" title={fault}>
      <p>
        <ParameterLink look="button" change={{ from: '', to: '' }}>
          The last 30 days
        </ParameterLink>
      </p>
    </Notice>
  </>
)

function Detected({ parameters }: Parameters) {
  const query = {
    ...periodIn(parameters),
    by: parameters.get('by'),
    outcome: parameters.get('outcome'),
    reference: parameters.get('reference'),
  }
  const [loaded, again] = useApi<BiasDetection>('/api/compliance/bias-detection', query)
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  const keys = useKeys()
  const keyName = (id: string): string => keys?.get(id)?.name ?? id
  const detection = loaded.state === 'answered' ? loaded.body : null
  const isLoading = loaded.state === 'loading' || keys === null || statements.loaded.state === 'loading'
  return (
    <>
      <Days parameters={parameters} />
      {isLoading && <Skeleton lines={30} />}
      {loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />}
      {statements.loaded.state === 'refused' && (
        <RefusalNotice problem={statements.loaded.problem} onRetry={statements.again} />
      )}
      {detection !== null && keys !== null && statements.loaded.state === 'answered' && (
        <Found {...{ parameters, detection, statements, nameOf, keys, keyName }} />
      )}
    </>
  )
}

type FoundProps = Parameters & {
  detection: BiasDetection
  statements: Statements
  nameOf: NameOf
  keys: Keys
  keyName: KeyNameOf
}

function Found({ parameters, detection, statements, nameOf, keys, keyName }: FoundProps) {
  const anomalies = detection.anomalies.toSorted((one, other) => other.since.localeCompare(one.since))
  /** Any alarm of an anomaly may be the one that is explained, since another may have stood for it then. */
  const explainedAlarms = (anomaly: Anomaly): Alarm[] =>
    (anomaly.alarms ?? [anomaly]).filter((alarm) => statements.about(alarmSubject(alarm)) !== null)
  const isExplained = (anomaly: Anomaly): boolean => explainedAlarms(anomaly).length > 0
  const [explained, fresh] = [anomalies.filter(isExplained), anomalies.filter((one) => !isExplained(one))]
  return (
    <>
      <PageHead
        lead={fresh.length === 0 ? 'No new anomalies were found.' : `${formatNumber(fresh.length)} new. ${LEAD}`}
      />
      <NewAnomalies {...{ fresh, statements, keys, keyName }} hasExplained={explained.length > 0} />
      <GroupComparison {...{ parameters, detection, statements, nameOf }} groupName={keyName} />
      {explained.length > 0 && (
        <Foldable
          look="card"
          summary={
            <>
              <h2>Explained</h2> <Badge>{formatNumber(explained.length)}</Badge>
            </>
          }
        >
          {() => (
            <Stack as="ul" gap={5}>
              {explained.map((anomaly) => (
                <Stack as="li" key={anomalyKey(anomaly)} gap={2}>
                  <h3>{anomalyTitle(anomaly, keyName)}</h3>
                  <Note as="p">
                    Since {sinceText(anomaly.since)}. <a href={inOrganisation(callsPathOf(anomaly))}>See the calls</a>
                  </Note>
                  <AlsoSeen {...{ anomaly, keyName }} />
                  {explainedAlarms(anomaly).map((alarm) => (
                    <StatementNote
                      key={anomalyKey(alarm)}
                      subject={alarmSubject(alarm)}
                      what={anomalyTitle(alarm, keyName)}
                      {...{ statements, nameOf }}
                    />
                  ))}
                </Stack>
              ))}
            </Stack>
          )}
        </Foldable>
      )}
    </>
  )
}

/** What each kind of figure needs before a change of it can be told (docs/compare-groups.md). */
const NEEDED = [
  ['How often calls fail, are blocked, suppressed or refused', 'needs 500 calls, on seven of the 28 days before'],
  ['Calls a day, their time and their cost', 'needs 50 calls on each of 14 days'],
] as const

type NewProps = Pick<FoundProps, 'statements' | 'keys' | 'keyName'> & {
  /** The newest is first. */
  fresh: readonly Anomaly[]
  hasExplained: boolean
}

/** The anomalies without an explanation. The newest is open, and each that a person opens. */
function NewAnomalies({ fresh, statements, keys, keyName, hasExplained }: NewProps) {
  const [opened, setOpened] = useState<readonly string[]>([])
  if (fresh.length === 0)
    return (
      <EmptyNotice
        title={hasExplained ? 'Nothing new in these days' : 'None was found in these days'}
        action={<Facts facts={NEEDED} />}
      >
        A change is shown here with what is usual, what it is now, and its calls. With fewer calls than it needs, none
        can be found:
      </EmptyNotice>
    )
  const explain = (anomaly: Anomaly): void => {
    statements.again()
    showToast(`Explained: ${anomalyTitle(anomaly, keyName)}.`, () => {
      void callApi('DELETE', statementPath(alarmSubject(anomaly))).then(statements.again)
    })
  }
  return (
    <>
      {fresh.map((anomaly, at) => {
        const key = anomalyKey(anomaly)
        const isOpened = opened.includes(key)
        return at === 0 || isOpened ? (
          <AnomalyCard key={key} {...{ anomaly, keys, keyName }} isFocused={isOpened} onDone={() => explain(anomaly)} />
        ) : (
          <AnomalyLine key={key} {...{ anomaly, keyName }} onOpen={() => setOpened([...opened, key])} />
        )
      })}
    </>
  )
}

await openPage('/app/anomalies', Anomalies)
