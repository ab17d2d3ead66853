// Lists what a verdict does not prove, so that nobody relies on it for more.
import type { Trust } from '../../evidence/records/verify-record.ts'
import { READING_PROFILE } from '../../evidence/records/reading-words.ts'
import type { ReportJson } from '../../evidence/verify/findings-report.ts'
import { furtherInputs, kindOf, type InputName, type VerifyForm } from './verifier-inputs.ts'

/** Returns the sentences. The list is empty if nothing was checked at all. */
export function listNotProven(
  form: VerifyForm,
  trust: Trust | null,
  { valid: isValid, checked, findings }: ReportJson,
  gapsOfProfile: readonly string[],
): string[] {
  if (checked === 0) return []
  if (form.detected.form === 'checkpoint') return gapsOfCheckpoint(form)
  const kinds = new Set(findings.map(({ kind }) => kind))
  const isSelection = kinds.has('selection')
  const codes = new Set(findings.map(({ code }) => code))
  const { detected } = form
  const isOfAudit = detected.form === 'lines' && detected.of === 'audit_export'
  return [
    ...gapsOfTrust(form, trust),
    ...gapsOfDocument(form),
    ...gapsOfProfile,
    ...gapsIf(isOfAudit || isSelection, codes.has('facts_not_covered') ? NOT_COVERED : STATED_FACTS),
    ...gapsOfAnswer(form, findings),
    ...gapsIf(isSelection, 'Whether other calls match the filter.'),
    ...gapsIf(kinds.has('coverage'), STATED_SOFTWARE),
    ...gapsIf(isOfAudit, NOT_RECOUNTED),
    ...gapsIf(codes.has('not_anchored'), NOT_ANCHORED),
    ...gapsIf(codes.has('not_anchored_yet'), NEWEST_NOT_ANCHORED),
    ...gapsIf(
      kinds.has('record') || detected.form === 'lines',
      isValid ? `${WHETHER_RIGHT} ${WHAT_IS_SHOWN}` : WHETHER_RIGHT,
    ),
  ]
}

/** Returns the sentence if the condition is true, otherwise none. */
const gapsIf = (isThere: boolean, sentence: string): readonly string[] => (isThere ? [sentence] : [])

const NOT_ANCHORED = 'Whether the organisation’s log stays as it is here: the public log has no entry for its state.'
const NEWEST_NOT_ANCHORED = 'Whether the newest entries stay as they are here: the public log has only an older state.'
const NOT_RECOUNTED = 'Whether closed days have the counts of their calls: the command countersign-verify counts again.'
const WHETHER_RIGHT = 'Whether the decision was right, or the answer true.'
const WHAT_IS_SHOWN = 'A record shows what was decided, by which rules, and that nobody changed it since.'
const NOT_COVERED = 'Whether the “facts” of decisions are true: the log has no hash of them.'
const STATED_SOFTWARE =
  'Whether the software that the log names is what ran: its entry shows what the service stated before.'
const STATED_FACTS = 'Whether the “facts” of a decision are true: its entry shows what the service stated then.'

function gapsOfAnswer(form: VerifyForm, findings: ReportJson['findings']): readonly string[] {
  if (findings.some(({ code }) => code === 'only_the_record'))
    return ['Whether the text around the record is what was sent: its evidence file shows that.']
  if (findings.some(({ kind, valid, code }) => kind === 'answer' && valid && code === null))
    return [
      'The answer’s usage, citations, searches, thinking and repeated request, or an error’s message: no hash covers them.',
    ]
  return gapsIf(
    kindOf(form) === 'bundle' && form.trust !== 'none' && form.inputs.answer === undefined,
    'What was answered: only the record is proven. Give the answer under “Compare with”.',
  )
}

export const WHOSE_KEYS = 'Whose keys you gave: you know where you took them.'

function gapsOfTrust(form: VerifyForm, trust: Trust | null): readonly string[] {
  if (trust === null || !('keys' in trust))
    return ['Who made it: anyone can make such a record. Give a key that you trust.']
  if (form.trust === 'published')
    return [
      'Whether this service tells everybody the same keys: you trust it for them. Keys that you kept earlier show more.',
    ]
  const isSingle = trust.list === undefined
  return [
    WHOSE_KEYS,
    ...gapsIf(
      isSingle,
      'For which time each key counts: single keys count for any. A kept list says it, and what was revoked.',
    ),
  ]
}

function gapsOfDocument(form: VerifyForm): readonly string[] {
  const { detected, inputs, chosenKind } = form
  const fields = furtherInputs(form)
  const gapWithout = (field: InputName, sentence: string): readonly string[] =>
    gapsIf(fields.includes(field) && inputs[field] === undefined, sentence)
  return [
    ...gapWithout('request', 'Whether the record is about a request that you have: give the request’s JSON body.'),
    ...gapWithout('letter', 'Whether a letter that you have is the one that was read: give it.'),
    ...gapWithout('proof', chosenKind === READING_PROFILE ? NOT_IN_LOG : NOT_IN_A_LOG),
    ...gapWithout('subject', 'Whether the decision is about a record that you have: give it.'),
    ...gapsIf(
      detected.form === 'document' && detected.kind === 'head',
      'Whether the log only grew up to this head: that takes a proof between two heads.',
    ),
  ]
}

const NOT_IN_A_LOG = 'Whether the record is in a log: give a proof of inclusion and the head of its tree.'
const NOT_IN_LOG =
  'Whether the log has the reading: give its entry, and the answer of /v1/referral/log/ with its position.'

const gapsOfCheckpoint = ({ inputs }: VerifyForm): string[] => [
  WHOSE_KEYS,
  ...gapsIf(inputs.witnesses === undefined, 'Whether others have seen the same tree: no witness was given.'),
  ...gapsIf(inputs.older === undefined, 'Whether the log only grew: no older checkpoint was given.'),
]
