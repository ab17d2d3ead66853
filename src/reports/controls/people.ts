// Controls that only a person can answer, and the subjects that a person can make a dated statement about. Statements never count.
import type { ControlDefinition } from './control.ts'

const needsAPerson = (id: string, title: string, sources: readonly string[], reason: string): ControlDefinition => ({
  id,
  title,
  weight: 0,
  sources,
  query: 'Nothing in this service tells. A statement of a person, where there is one, is listed beside the checklist.',
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

/** The digits of the call's trace and of its attestation. */
export const INCIDENT_SUBJECT = /^incident:tr_([0-9a-f]{32})$/

/** Bias detection uses the same names in its answers. */
const ANOMALY = /^anomaly:[a-z0-9_]{1,64}:[\x21-\x7e]{1,160}:\d{4}-\d{2}-\d{2}[\dTZ:.]*$/
const DISPARITY = /^disparity:(?:cohort|key|model|use_case):[a-z]{1,32}:[\x21-\x7e]{1,160}$/

const CONTROLS: ReadonlySet<string> = new Set(PEOPLE_CONTROLS.map(({ id }) => id))

export const SUBJECT_RULE =
  'a control that needs a person (X1 to X4), anomaly:KIND:SERIES:SINCE, disparity:BY:OUTCOME:GROUP or incident:tr_…'

export const isSubject = (text: string): boolean =>
  CONTROLS.has(text) || [ANOMALY, DISPARITY, INCIDENT_SUBJECT].some((form) => form.test(text))
