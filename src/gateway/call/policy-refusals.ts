// The errors for requests that a rule of the organisation's policy refuses.
import { AppError } from '../../platform/errors.ts'
import { NOT_REDACTABLE } from '../../policies/document/pii-scan.policy.ts'
import type { PolicyId, PolicyRefusal } from '../../policies/document/rule.ts'
import type { Aqta } from './aqta.schema.ts'
import { USE_CASE_HEADER } from './call-headers.ts'
import { withAqta } from './model-refusals.ts'

/** The program goes by `policy` and `reason`, which are in the record's entry too. */
export function policyBlocked({ policy, reason }: PolicyRefusal, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const details = { param: PARAMS[policy] ?? null, members: { ...members, policy, reason }, beside }
  const message = `${SENTENCES[reason.split(':', 1)[0] ?? reason] ?? RULES[policy] ?? REFUSED} No provider saw the request.`
  return new AppError('policy_blocked', `${message} The rule is ${policy}: ${reason}.`, details)
}

const PARAMS: Partial<Record<PolicyId, string>> = { model_allowlist: 'model', use_case_guard: USE_CASE_HEADER }

const REFUSED = 'Your organisation’s policy does not let this request be sent.'

const SENTENCES: Readonly<Record<string, string>> = {
  [NOT_REDACTABLE]:
    'Your organisation’s policy redacts values of these shapes, and the request has one where a placeholder cannot stand: in an address, in the name of a function, or in a name or number of a schema. Take it out there.',
  use_case_required: `Your organisation’s policy asks every request to declare what it is for: send ${USE_CASE_HEADER}.`,
}

const RULES: Partial<Record<PolicyId, string>> = {
  model_allowlist: 'Your organisation’s policy does not let this model be asked here. Choose another.',
  content_type_guard: 'Your organisation’s policy does not let a request have this content, or so much of it.',
  use_case_guard: 'Your organisation’s policy does not let requests be sent for this use case.',
  pii_scan:
    'The text of the request holds what your organisation’s policy does not let be sent. Take out what has these shapes.',
  prompt_injection_guard:
    'The text of the request looks like an attempt to give the model other instructions, which your organisation’s policy does not let be sent.',
}
