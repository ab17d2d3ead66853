// What a person may make a statement about. Pure.
import { PEOPLE_CONTROLS } from '../controls/people.ts'

/** The digits are those of the call's trace, and of its attestation. */
export const INCIDENT_SUBJECT = /^incident:tr_([0-9a-f]{32})$/

/** What is compared or watched is named as the answers of bias detection name it. */
const ANOMALY = /^anomaly:[a-z0-9_]{1,64}:[\x21-\x7e]{1,160}:\d{4}-\d{2}-\d{2}[\dTZ:.]*$/
const DISPARITY = /^disparity:(?:cohort|key|model|use_case):[a-z]{1,32}:[\x21-\x7e]{1,160}$/

const CONTROLS: ReadonlySet<string> = new Set(PEOPLE_CONTROLS.map(({ id }) => id))

export const SUBJECT_RULE =
  'a control that needs a person (X1 to X4), anomaly:KIND:SERIES:SINCE, disparity:BY:OUTCOME:GROUP or incident:tr_…'

export const isSubject = (text: string): boolean =>
  CONTROLS.has(text) || [ANOMALY, DISPARITY, INCIDENT_SUBJECT].some((form) => form.test(text))
