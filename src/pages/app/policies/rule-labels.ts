// The labels and hints of the policy form. Types, bounds and choices come from the policy's schema. Rarely set members have no
// field and stay as the JSON has them.
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'

export type MemberLabels = {
  /** The name of the rule's member, or undefined if the rule itself is a list. */
  name?: string
  label: string
  hint?: string
  /** Labels of the choices. Undefined shows the choices themselves. */
  words?: readonly (readonly [choice: string | number, words: string])[]
  /** The choices in force if the member is missing, or undefined for all of them. */
  absent?: readonly string[]
  /** True if an empty list means something else than no list. */
  isKeptEmpty?: boolean
}

export type RuleLabels = {
  id: keyof PolicyDocument
  title: string
  about: string
  /** The value that a rule has when it is switched on. */
  start: unknown
  members: readonly MemberLabels[]
}

export const RULE_LABELS: readonly RuleLabels[] = [
  {
    id: 'model_allowlist',
    title: 'Models',
    about: 'Which models may be asked, of those that the tier and the enabled providers leave.',
    start: {},
    members: [{ name: 'models', label: 'Models for every call', hint: 'One a line. Empty: no list for every call.' }],
  },
  {
    id: 'content_type_guard',
    title: 'Kinds of content',
    about: 'What kinds of content a request may have, and how much of each.',
    start: {},
    members: [
      { name: 'allow', label: 'Allowed' },
      { name: 'max_body_bytes', label: 'Bytes of the body, at most' },
      { name: 'max_text_characters', label: 'Characters of text, at most' },
      { name: 'max_images', label: 'Images, at most' },
      { name: 'max_files', label: 'Files, at most' },
      { name: 'max_tools', label: 'Tools, at most' },
    ],
  },
  {
    id: 'use_case_guard',
    title: 'Use cases',
    about: 'What requests may be for, as their callers declare it in x-aqta-use-case. Nobody checks that it is true.',
    start: { required: true },
    members: [
      { name: 'required', label: 'Every request declares one' },
      { name: 'allow', label: 'What may be declared', hint: 'One a line. Empty: anything.' },
    ],
  },
  {
    id: 'pii_scan',
    title: 'Identifiers, accounts and tokens',
    about:
      'What is done where the text of a request holds the shape of one. Names and addresses of people have no shape and are not found.',
    start: { default: 'report' },
    members: [
      {
        name: 'default',
        label: 'Every shape that is not named below',
        words: [
          ['report', 'report: it is counted'],
          ['redact', 'redact: a placeholder is sent in its place'],
          ['block', 'block: nothing is sent'],
          ['ignore', 'ignore'],
        ],
      },
      { name: 'shapes', label: 'Shapes' },
    ],
  },
  {
    id: 'prompt_injection_guard',
    title: 'Prompt injection',
    about: 'What is done where the text of a request meets a common wording of it. It does not stop prompt injection.',
    start: { action: 'report' },
    members: [
      {
        name: 'action',
        label: 'Every rule that is not named below',
        words: [
          ['report', 'report: the entry of the decision names it'],
          ['block', 'block: nothing is sent'],
        ],
      },
      { name: 'roles', label: 'Roles to read', absent: ['user', 'tool'] },
      { name: 'rules', label: 'Rules' },
    ],
  },
  {
    id: 'loop_guard',
    title: 'Loops',
    about: 'What counts as a loop, in the place of the settings. Loops are looked for in any case.',
    start: {},
    members: [
      { name: 'repeats', label: 'The same request, times' },
      { name: 'window_seconds', label: 'within seconds' },
      { name: 'cycle_rounds', label: 'Requests in turn, rounds' },
      { name: 'cycle_window_seconds', label: 'within seconds, for rounds' },
    ],
  },
  {
    id: 'budget_guard',
    title: 'Budgets',
    about: 'The most that models may cost. Calls under way count at the most they can cost.',
    start: {},
    members: [
      { name: 'month_eur', label: 'Euro a month, all keys' },
      { name: 'day_eur', label: 'Euro a day, all keys' },
      { name: 'key_month_eur', label: 'Euro a month, each key' },
      { name: 'key_day_eur', label: 'Euro a day, each key' },
      { name: 'alert_percent', label: 'Notify at percent', hint: 'With commas: 50, 80, 100.' },
    ],
  },
  {
    id: 'rate_limit',
    title: 'Rates',
    about: 'Lower limits than those of the tier and of the keys. The lowest holds.',
    start: {},
    members: [
      { name: 'requests_per_minute', label: 'Requests a minute, all keys' },
      { name: 'key_requests_per_minute', label: 'Requests a minute, each key' },
      { name: 'key_requests_per_day', label: 'Requests a day, each key' },
    ],
  },
  {
    id: 'human_approval',
    title: 'Approval by people',
    about: 'Which requests people must approve before they run. Nobody approves what their own keys ask for.',
    start: { when: [{}] },
    members: [
      { name: 'when', label: 'Requests that need approval' },
      {
        name: 'approvals_required',
        label: 'How many people must approve',
        words: [
          [1, 'one'],
          [2, 'two'],
        ],
      },
      {
        name: 'expires_seconds',
        label: 'Seconds that it waits for them',
        hint: 'From 300 to 604800. Empty: a day.',
      },
    ],
  },
  {
    id: 'cache',
    title: 'Cache',
    about: 'Keeps answers, sealed, and gives them again to the same request of the same key, without asking a model.',
    start: { ttl_seconds: 3600 },
    members: [
      { name: 'ttl_seconds', label: 'Seconds that an answer is given again' },
      { name: 'with_temperature', label: 'Requests with a temperature above 0 too' },
      { name: 'with_stream_tools', label: 'Streams with tools too' },
    ],
  },
  {
    id: 'medical_use_cases',
    title: 'Medical use cases',
    about: 'The use cases whose calls leave medical receipts. Where this is off, all calls do.',
    start: [],
    members: [{ label: 'Medical use cases, one a line', isKeptEmpty: true }],
  },
  {
    id: 'high_risk_use_cases',
    title: 'High-risk use cases',
    about: 'Those that the organisation holds to be high-risk. The compliance score asks whether people approve them.',
    start: [],
    members: [{ label: 'High-risk use cases, one a line', isKeptEmpty: true }],
  },
  {
    id: 'bias',
    title: 'Cohorts',
    about:
      'Up to twelve coded labels that callers may send in x-aqta-cohort. A label can be special-category data: use codes, and only where you may.',
    start: { cohorts: [] },
    members: [{ name: 'cohorts', label: 'Labels, one a line', isKeptEmpty: true }],
  },
]
