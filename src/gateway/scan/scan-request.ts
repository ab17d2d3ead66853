// A request's text is looked through here, before its decision, where the policy asks for it: the organisation is told what was
// found, by name, and never the text.
import type { Scan } from '../../organisation/admit/record-chat.ts'
import { needsScan, type VersionedPolicy } from '../../policies/document/policy-document.ts'
import { runSteps, type Steps } from '../../platform/steps.ts'
import { scanTextsInSteps } from './scan-texts.ts'
import { redactInSteps, type Redaction } from './redact-request.ts'
import { textsOf } from '../../scanning/texts/request-texts.ts'
import type { ChatRequest } from '../../providers/request.ts'
import { outlineInput, type CallInput } from '../call/prepare-call.ts'
import { restoringForm } from '../call/restoring-form.ts'

/** `input`: as it is to be sent to the provider and answered. `scan`: null where nothing was looked through. */
export type ScannedRequest = { readonly input: CallInput; readonly scan: Scan | null }

export const scanRequest = (input: CallInput, policy: VersionedPolicy | null): ScannedRequest =>
  runSteps(scanInSteps(input, policy))

export function* scanInSteps(input: CallInput, policy: VersionedPolicy | null): Steps<ScannedRequest> {
  if (policy === null || !needsScan(policy.document)) return { input, scan: null }
  const { pii_scan: pii, prompt_injection_guard: guard } = policy.document
  const texts = textsOf(input.request)
  const redaction = pii === undefined ? null : yield* redactInSteps(input.request, pii, texts)
  const injections = guard === undefined ? null : yield* scanTextsInSteps(texts, guard)
  const findings = {
    ...(redaction !== null && { pii_scan: redaction.counts, pii_fixed: redaction.fixed }),
    ...(injections !== null && { prompt_injection_guard: injections }),
  }
  const redacted = redaction?.redacted ?? 0
  // The steps after this go through the text once more.
  yield input.textBytes / 16
  return {
    input: redaction === null || redacted === 0 ? input : withoutValues(input, redaction),
    scan: { policy: policy.sha256, findings, redacted },
  }
}

/** What it can cost is that of what is sent. */
const withoutValues = (
  { outline, form, textBytes, dropped }: CallInput,
  { request, values }: Redaction,
): CallInput => ({
  request,
  textBytes,
  dropped,
  outline: { ...outline, ...outlineInput(request, outline.model) },
  form: restoringForm(form, values, isJsonWanted(request) ? 'json' : 'plain'),
})

const isJsonWanted = ({ responseFormat }: ChatRequest): boolean => (responseFormat?.type ?? 'text') !== 'text'
