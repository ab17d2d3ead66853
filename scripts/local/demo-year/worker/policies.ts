// The policies of the invented hospital, and after which part of the year each was put in force.
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'

export const COHORTS = ['lang-en', 'lang-ga', 'lang-pl', 'lang-uk'] as const
export type Cohort = (typeof COHORTS)[number]

const USE_CASES = ['triage-notes', 'discharge-letters', 'patient-replies', 'appointment-texts', 'coding-support']

const MODELS = ['gpt-4.1-mini', 'gpt-5.6-luna', 'claude-haiku-4-5', 'claude-sonnet-5', 'gemini-3.5-flash-lite']

const FIRST: PolicyDocument = {
  use_case_guard: { required: true, allow: USE_CASES },
  budget_guard: { month_eur: 12, alert_percent: [50, 80, 100] },
}

const SCANNED: PolicyDocument = {
  ...FIRST,
  model_allowlist: { models: MODELS },
  pii_scan: { default: 'report', shapes: { pps_number: 'block', phone_number: 'redact' } },
  prompt_injection_guard: { action: 'block' },
}

const OVERSEEN: PolicyDocument = {
  ...SCANNED,
  loop_guard: { repeats: 5, window_seconds: 60 },
  budget_guard: { month_eur: 12, day_eur: 1.5, alert_percent: [50, 80, 100] },
  human_approval: { when: [{ use_cases: ['discharge-letters'] }], expires_seconds: 86_400, approvals_required: 1 },
  medical_use_cases: ['triage-notes', 'discharge-letters', 'patient-replies'],
  high_risk_use_cases: ['discharge-letters'],
}

export const POLICIES: readonly { after: number; document: PolicyDocument }[] = [
  { after: 0, document: FIRST },
  { after: 0.15, document: SCANNED },
  { after: 0.3, document: OVERSEEN },
  { after: 0.45, document: { ...OVERSEEN, bias: { cohorts: [...COHORTS] }, cache: { ttl_seconds: 3600 } } },
]
