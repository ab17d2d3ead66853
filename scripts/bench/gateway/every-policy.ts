// This gateway for organisations that have every policy, beside the same for organisations that have none. Every rule is applied to
// every call, and lets it pass.
import { join } from 'node:path'
import type { PolicyDocument } from '../../../src/policies/document/policy-document.ts'
import type { Server } from '../workerd/server.ts'
import { gatewaySystem, startGateway, type StartOptions, type System } from './systems.ts'

const PLENTY = 1_000_000

export const EVERY_POLICY: PolicyDocument = {
  model_allowlist: {
    models: ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.7-flash', 'sonar-pro'],
    by_use_case: { 'triage-notes': ['sonar-pro'] },
  },
  content_type_guard: { allow: ['text', 'tools'], max_body_bytes: PLENTY, max_text_characters: PLENTY, max_tools: 16 },
  use_case_guard: { allow: ['triage-notes', 'discharge-letters'] },
  pii_scan: { default: 'redact' },
  prompt_injection_guard: { action: 'block' },
  human_approval: { when: [{ use_cases: ['discharge-letters'] }], expires_seconds: 3600, approvals_required: 1 },
  budget_guard: { month_eur: PLENTY, day_eur: PLENTY, key_month_eur: PLENTY, key_day_eur: PLENTY },
  rate_limit: { requests_per_minute: PLENTY, key_requests_per_minute: PLENTY, key_requests_per_day: PLENTY },
  loop_guard: { repeats: 4, window_seconds: 120, cycle_rounds: 4 },
}

/** Each server is handed to `started` as soon as it runs. */
export async function startWithPolicies(options: StartOptions, started: (server: Server) => void): Promise<System[]> {
  const without = await startGateway({ ...options, folder: join(options.folder, 'without') })
  started(without.server)
  const every = await startGateway(options, { policy: EVERY_POLICY })
  started(every.server)
  return [gatewaySystem(every), { ...gatewaySystem(without), name: 'no policy' as const }]
}
