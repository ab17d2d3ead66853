// Controls M1 to M3 of the compliance report: people watch the service and respond to what they find. Controls X1 to X4: only a
// person can answer them, and they are never scored. Also checks the subject of a person's statement.
import { DAY_MS } from '../../platform/time.ts'
import { judged, notApplicable, someNames, type ControlDefinition, INCIDENT_SUBJECT } from './control.ts'

const REPORT_WITHIN_DAYS = 31

export const MONITORING_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'M1',
    title: 'The service is watched for drift',
    weight: 2,
    sources: ['AI Act 72', 'NIST AI RMF MEASURE 2'],
    query: `Bias detection was run within ${REPORT_WITHIN_DAYS} days, and its anomalies are explained.`,
    wouldPass: `Somebody runs GET /api/compliance/bias-detection at least every ${REPORT_WITHIN_DAYS} days and makes a statement about each anomaly. The tiers free, starter and pro have no bias detection and cannot pass.`,
    link: '/api/compliance/bias-detection',
    judge: ({ monitoring: { lastBiasReport: last, anomalies, stated }, tier, now }) => {
      if (anomalies === null) return judged(false, { in_tier: false, tier })
      const open = anomalies.filter(({ subject }) => !stated.has(subject)).map(({ subject }) => subject)
      const isRecent = last !== null && now - last.at <= REPORT_WITHIN_DAYS * DAY_MS
      const values = {
        in_tier: true,
        last_run: last && new Date(last.at).toISOString(),
        anomalies: anomalies.length,
        without_statement: someNames(open),
      }
      return judged(isRecent && open.length === 0, values, last === null ? [] : [last.position])
    },
  },
  {
    id: 'M2',
    title: 'Groups are compared, and differences explained',
    weight: 1,
    sources: ['AI Act 15', 'AI Act 26(5)'],
    query: 'The policy’s cohorts, and disparities between them without an explanation.',
    wouldPass:
      'A person makes a statement about each disparity between declared cohorts: what was looked at, and what was found.',
    link: '/api/compliance/bias-detection?by=cohort',
    judge: ({ monitoring: { cohorts, compared, disparities, stated } }) => {
      if (cohorts.length === 0) return notApplicable('The policy declares no cohorts.')
      if (disparities === null) return judged(false, { cohorts: [...cohorts], in_tier: false })
      const open = disparities.filter(({ subject }) => !stated.has(subject)).map(({ subject }) => subject)
      const values = {
        cohorts: [...cohorts],
        compared,
        disparities: disparities.length,
        without_statement: someNames(open),
      }
      if (compared === 0) return notApplicable('No two cohorts had enough calls in the period to be compared.', values)
      return judged(open.length === 0, values)
    },
  },
  {
    id: 'M3',
    title: 'Incidents can be found again',
    weight: 1,
    sources: ['AI Act 73'],
    query: 'Traces marked as incidents that lead to a receipt.',
    wouldPass: 'Every trace that was marked as an incident leads to a receipt.',
    link: '/api/compliance/statements',
    judge: ({ monitoring: { incidents } }) => {
      if (incidents.length === 0) return notApplicable('No trace is marked as an incident.')
      const found = incidents.flatMap(({ position }) => (position === null ? [] : [position]))
      const lost = incidents.filter(({ isFound }) => !isFound).map(({ subject }) => subject)
      return judged(lost.length === 0, { marked: incidents.length, without_receipt: someNames(lost) }, found)
    },
  },
]

const needsAPerson = (id: string, title: string, sources: readonly string[], reason: string): ControlDefinition => ({
  id,
  title,
  weight: 0,
  sources,
  query: 'Only a person’s explanation.',
  wouldPass: 'It is never scored. A person may make a dated statement: PUT /api/compliance/statements/{subject}.',
  link: '/api/compliance/statements',
  judge: () => ({ state: 'needs_a_person', values: null, reason }),
})

export const PEOPLE_CONTROLS: readonly ControlDefinition[] = [
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
const DISPARITY = /^disparity:(?:cohort|key|model|use_case):[a-z]{1,32}:[\x21-\x7e]{1,160}$/

const CONTROLS: ReadonlySet<string> = new Set(PEOPLE_CONTROLS.map(({ id }) => id))

export const STATEMENT_SUBJECT_RULE =
  'a control that needs a person (X1 to X4), anomaly:KIND:SERIES:SINCE, disparity:BY:OUTCOME:GROUP or incident:tr_…'

export const isStatementSubject = (text: string): boolean =>
  CONTROLS.has(text) || [ANOMALY, DISPARITY, INCIDENT_SUBJECT].some((form) => form.test(text))
