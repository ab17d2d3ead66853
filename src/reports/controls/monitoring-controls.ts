// Controls M1 to M3 of the compliance report: people watch the service and respond to what they find. Controls X1 to X4: only a
// person can answer them, and they are never scored. Also checks the subject of a person's statement.
import { GROUPINGS } from '../../platform/groupings.ts'
import { DAY_MS } from '../../platform/time.ts'
import {
  control,
  type ControlDefinition,
  INCIDENT_SUBJECT,
  isStated,
  NO_CALLS,
  noData,
  passIf,
  someNames,
  type Facts,
  type OpenFinding,
  type PeopleControl,
  type Verdict,
} from './control.ts'
import { REPORT_WITHIN_DAYS } from './recent-evidence.policy.ts'

export const MONITORING_CONTROLS: readonly ControlDefinition[] = [
  control({
    id: 'M1',
    title: 'The service is watched for drift',
    weight: 2,
    earns: false,
    sources: ['AI Act 26(5)', 'AI Act 72', 'NIST AI RMF MEASURE 2'],
    query: `Bias detection was run within ${REPORT_WITHIN_DAYS} days, and its anomalies are explained.`,
    wouldPass: `Somebody runs GET /api/compliance/bias-detection at least every ${REPORT_WITHIN_DAYS} days and no anomaly is found. One that a person explains is “stated”, which does not pass. The tiers free, starter and pro have no bias detection and cannot pass.`,
    link: '/api/compliance/bias-detection',
    linkFeature: 'bias_detection',
    measure: (facts) => {
      const { calls, tier, now, monitoring } = facts
      const { lastBiasReport: last, anomalies } = monitoring
      if (calls.requests === 0) return noData(NO_CALLS)
      const daysAgo = last && Math.floor((now - last.at) / DAY_MS)
      return {
        values: { tier, in_tier: anomalies !== null, days_ago: daysAgo, ...findingValues(facts, anomalies) },
        positions: last === null ? [] : [last.position],
        subjects: subjectsOf(anomalies),
      }
    },
    judge: (values) => {
      const isRecent = values.days_ago !== null && values.days_ago <= REPORT_WITHIN_DAYS
      return values.in_tier && isRecent ? judgeFindings(values) : 'fail'
    },
  }),
  control({
    id: 'M2',
    title: 'Groups are compared, and differences explained',
    weight: 1,
    earns: false,
    sources: ['AI Act 10(2)(f)–(g)'],
    query: 'The policy’s cohorts, and disparities between them without an explanation.',
    wouldPass:
      'No disparity is found between declared cohorts. One that a person explains is “stated”, which does not pass.',
    link: '/api/compliance/bias-detection?by=cohort',
    linkFeature: 'bias_detection',
    measure: (facts) => {
      const { cohorts, compared, disparities } = facts.monitoring
      if (cohorts.length === 0) return noData('The policy declares no cohorts.')
      const values = {
        cohorts: [...cohorts],
        in_tier: disparities !== null,
        compared,
        ...findingValues(facts, disparities),
      }
      if (disparities !== null && compared === 0) {
        return noData('No two cohorts had enough calls in the period to be compared.', values)
      }
      return { values, subjects: subjectsOf(disparities) }
    },
    judge: (values) => (values.in_tier ? judgeFindings(values) : 'fail'),
  }),
  control({
    id: 'M3',
    title: 'Incidents can be found again',
    weight: 1,
    earns: false,
    sources: ['AI Act 26(5)', 'AI Act 73'],
    query: 'Traces marked as incidents that lead to a receipt.',
    wouldPass: 'Every trace that was marked as an incident leads to a receipt.',
    link: '/api/compliance/statements',
    measure: ({ monitoring: { incidents } }) => {
      if (incidents.length === 0) return noData('No trace is marked as an incident.')
      const lost = incidents.filter(({ isFound }) => !isFound).map(({ subject }) => subject)
      return {
        values: { marked: incidents.length, without_receipt: someNames(lost) },
        positions: incidents.flatMap(({ position }) => (position === null ? [] : [position])),
      }
    },
    judge: ({ without_receipt: lost }) => passIf(lost.length === 0),
  }),
]

const subjectsOf = (findings: readonly OpenFinding[] | null): string[] =>
  (findings ?? []).flatMap(({ subject, alarms = [subject] }) => alarms)

/** Counts the findings, and names those without a statement. @param findings null if the tier has no such analysis */
function findingValues(facts: Facts, findings: readonly OpenFinding[] | null) {
  const open = (findings ?? []).filter((one) => !subjectsOf([one]).some((subject) => isStated(facts, subject)))
  const names = open.map(({ subject }) => subject)
  return { found: findings?.length ?? 0, unexplained: open.length, without_statement: someNames(names) }
}

/** A finding that every statement explains is still a finding, so it does not pass. */
const judgeFindings = ({
  found,
  unexplained,
}: Pick<ReturnType<typeof findingValues>, 'found' | 'unexplained'>): Verdict =>
  unexplained > 0 ? 'fail' : found > 0 ? 'stated' : 'pass'

const needsAPerson = (id: string, title: string, sources: PeopleControl['sources'], reason: string): PeopleControl => ({
  id,
  title,
  weight: 0,
  earns: false,
  sources,
  query: 'Only a person’s explanation.',
  wouldPass: 'It is never scored. A person may make a dated statement: PUT /api/compliance/statements/{subject}.',
  link: '/api/compliance/statements',
  reason,
})

export const PEOPLE_CONTROLS: readonly PeopleControl[] = [
  needsAPerson(
    'X1',
    'People know the system: literacy, instructions for use, training',
    ['AI Act 4', 'AI Act 13', 'AI Act 26'],
    'Only people can say who was trained, in what, and which instructions they have.',
  ),
  needsAPerson(
    'X2',
    'The impact on data protection is assessed',
    ['GDPR 35'],
    'The assessment is a document of the organisation’s own.',
  ),
  needsAPerson(
    'X3',
    'The impact on fundamental rights is assessed',
    ['AI Act 27'],
    'The assessment is a document of the organisation’s own.',
  ),
  needsAPerson(
    'X4',
    'A risk file is kept',
    ['ISO 14971', 'IEC 62304'],
    'The risk file, and the software of which models are a part, are outside this service.',
  ),
]

/** The subjects that bias detection also names in its responses. */
const ANOMALY = /^anomaly:[a-z0-9_]{1,64}:[\x21-\x7e]{1,160}:\d{4}-\d{2}-\d{2}[\dTZ:.]*$/
const DISPARITY = new RegExp(`^disparity:(?:${GROUPINGS.join('|')}):[a-z]{1,32}:[\\x21-\\x7e]{1,160}$`)

const CONTROLS: ReadonlySet<string> = new Set(PEOPLE_CONTROLS.map(({ id }) => id))

export const STATEMENT_SUBJECT_RULE =
  'a control that needs a person (X1 to X4), anomaly:KIND:SERIES:SINCE, disparity:BY:OUTCOME:GROUP or incident:tr_…'

export const isStatementSubject = (text: string): boolean =>
  CONTROLS.has(text) || [ANOMALY, DISPARITY, INCIDENT_SUBJECT].some((form) => form.test(text))
