// Lists what a verdict does not prove, so that nobody relies on it for more.
import type { Trust } from '../../evidence/records/verify-record.ts'
import { READING_PROFILE } from '../../evidence/records/reading-words.ts'
import type { ReportJson } from '../../evidence/verify/findings-report.ts'
import { furtherInputs, type VerifyForm } from './verifier-inputs.ts'

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
  const isAnchored = findings.every(({ kind, valid, code }) => kind !== 'anchor' || !valid || code === null)
  return [
    ...gapsOfTrust(form, trust),
    ...gapsOfDocument(form),
    ...gapsOfProfile,
    ...(isOfAudit(form) || isSelection ? [codes.has('facts_not_covered') ? NOT_COVERED : STATED_FACTS] : []),
    ...gapsOfAnswer(form, findings),
    ...(isSelection ? [OTHER_CALLS] : []),
    ...(kinds.has('coverage') ? [STATED_SOFTWARE] : []),
    ...(isAnchored ? [] : [NOT_ANCHORED]),
    ...(kinds.has('record') || isOfLines(form) ? [isValid ? `${WHETHER_RIGHT} ${WHAT_IS_SHOWN}` : WHETHER_RIGHT] : []),
  ]
}

const NOT_ANCHORED =
  'Whether the organisation’s log stays as it is here: the public log has no entry for its state, or only an older one.'

const WHETHER_RIGHT = 'Whether the decision was right, or the answer true.'

const WHAT_IS_SHOWN = 'A record shows what was decided, by which rules, and that nobody changed it since.'

const NOT_COVERED = 'The “facts” of decisions whose hash no entry of the log has: they are the service’s word.'

const STATED_SOFTWARE =
  'Whether the software that the log names is what ran: its entry shows what the service stated before.'

const OTHER_CALLS = 'Whether other calls match the filter.'

const STATED_FACTS = 'Whether the “facts” of a decision are true: its entry shows what the service stated then.'

const isOfAudit = ({ detected }: VerifyForm): boolean => detected.form === 'lines' && detected.of === 'audit_export'

const isOfLines = ({ detected }: VerifyForm): boolean => detected.form === 'lines'

function gapsOfAnswer({ detected, chosenKind, inputs }: VerifyForm, findings: ReportJson['findings']): string[] {
  if (findings.some(({ code }) => code === 'only_the_record')) return [ONLY_THE_RECORD]
  if (findings.some(({ kind, valid, code }) => kind === 'answer' && valid && code === null)) return [NOT_HASHED]
  const isBundle = (chosenKind ?? (detected.form === 'document' ? detected.kind : null)) === 'bundle'
  return isBundle && inputs.answer === undefined ? [NO_ANSWER] : []
}

const ONLY_THE_RECORD = 'Whether the text around the record is what was sent: its evidence file shows that.'

const NOT_HASHED =
  'The answer’s usage, citations, thinking and repeated request, or an error’s message: no hash covers them.'

const NO_ANSWER = 'What was answered: only the record is proven. Give the answer under “What to check it with”.'

function gapsOfTrust(form: VerifyForm, trust: Trust | null): string[] {
  if (trust === null || !('keys' in trust))
    return ['Who made it: no key was asked for. Anyone can make a record that is whole.']
  if (form.trust === 'published') return [WHOSE_PUBLISHED_KEYS]
  return [WHOSE_KEYS, ...(trust.list === undefined ? [ONE_BY_ONE] : [])]
}

const WHOSE_KEYS = 'Whose keys you gave: you know where you took them.'

const WHOSE_PUBLISHED_KEYS =
  'Whether this service tells everybody the same keys: you trust it for them. Keys that you kept earlier show more.'

const ONE_BY_ONE =
  'For which time each key counts: single keys count for any. A kept list says it, and what was revoked.'

function gapsOfDocument(form: VerifyForm): string[] {
  const { detected, inputs, chosenKind } = form
  const isReading = chosenKind === READING_PROFILE
  const fields = furtherInputs(form)
  const lacks = (field: (typeof fields)[number]): boolean => fields.includes(field) && inputs[field] === undefined
  const list: string[] = []
  if (lacks('request')) list.push('Whether the record is about a request that you have: give the request’s JSON body.')
  if (lacks('letter')) list.push('Whether a letter that you have is the one that was read: give it.')
  if (lacks('proof')) list.push(isReading ? NOT_IN_LOG : NOT_IN_A_LOG)
  if (lacks('subject')) list.push('Whether the decision is about a record that you have: give it.')
  if (detected.form === 'document' && detected.kind === 'head') {
    list.push('Whether the log only grew up to this head: that takes a proof between two heads.')
  }
  return list
}

const NOT_IN_A_LOG = 'Whether the record is in a log: give a proof of inclusion and the head of its tree.'

const NOT_IN_LOG =
  'Whether the log has the reading: give its entry, and the answer of /v1/referral/log/ with its position.'

function gapsOfCheckpoint({ inputs }: VerifyForm): string[] {
  const list: string[] = [WHOSE_KEYS]
  if (inputs.witnesses === undefined) list.push('Whether others have seen the same tree: no witness was given.')
  if (inputs.older === undefined) list.push('Whether the log only grew: no older checkpoint was given.')
  return list
}
