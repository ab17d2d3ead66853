// The labels, hints and units of the policy form. Types, bounds and choices come from the policy's schema. Rarely set members have
// no field and stay as the JSON has them.
import { REGION_CHOICES } from '../../../platform/data-region.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'
import { ruleName } from './stop-names.ts'

const ACTIONS = [
  ['report', 'Count'],
  ['redact', 'Replace'],
  ['block', 'Block'],
  ['ignore', 'Ignore'],
] as const

export type MemberLabels = {
  /** The name of the rule's member, or undefined if the rule itself is a list. */
  name?: string
  label: string
  hint?: string
  /** The names that a list has, or that an object has lists of models for. */
  names?: 'models' | 'use cases' | 'labels' | 'models by use case' | 'models by key'
  /** The unit of a number: `time` and `size` are chosen, any other is a word. */
  unit?: string
  /** Labels of the choices. Undefined shows the choices themselves. */
  words?: readonly (readonly [choice: string | number, words: string])[]
  /** The noun for one of the names that have an action of their own, and the labels of the actions. */
  noun?: string
  actions?: readonly (readonly [action: string, words: string])[]
  /** The setting that holds while the member is missing. */
  setting?: keyof Settings
  /** The choices in force if the member is missing, or undefined for all of them. */
  absent?: readonly string[]
  /** True if an empty list means something else than no list. */
  isKeptEmpty?: boolean
}

export type RuleLabels = {
  id: keyof PolicyDocument
  about: string
  /** What people must not expect of the rule. */
  limit?: string
  /** What holds while the rule is not set, where that is more than nothing. */
  off?: string
  /** The value that a rule has when it is switched on. */
  start: unknown
  members: readonly MemberLabels[]
  /** True for names that calls are counted by: nothing is enforced. */
  isLabel?: boolean
}

export const RULE_LABELS: readonly RuleLabels[] = [
  {
    id: 'model_allowlist',
    about: 'A call to any other model is blocked. The tier and the enabled providers may leave fewer.',
    off: 'every model of the tier and the enabled providers',
    start: {},
    members: [
      { name: 'models', label: 'Models for every call', hint: 'Leave empty to allow every model.', names: 'models' },
      { name: 'by_use_case', label: 'Use cases with models of their own', names: 'models by use case' },
      { name: 'by_key', label: 'Keys with models of their own', names: 'models by key' },
    ],
  },
  {
    id: 'data_region',
    about:
      'Where text may be routed to. A call without a route inside is blocked, and a failed call is never sent elsewhere. Keys and requests can narrow it.',
    limit: 'It chooses the provider’s endpoint. The service itself runs where a request arrives.',
    off: 'text may be routed anywhere',
    start: { within: 'eu' },
    members: [
      {
        name: 'within',
        label: 'Routed within',
        words: REGION_CHOICES,
      },
    ],
  },
  {
    id: 'content_type_guard',
    about: 'What a request may contain, and how much of each. Any other request is blocked.',
    start: {},
    members: [
      { name: 'allow', label: 'Allowed' },
      { name: 'max_body_bytes', label: 'Whole request at most', unit: 'size' },
      { name: 'max_text_characters', label: 'Text at most', unit: 'characters' },
      { name: 'max_images', label: 'Images at most', unit: 'images' },
      { name: 'max_files', label: 'Files at most', unit: 'files' },
      { name: 'max_tools', label: 'Tools at most', unit: 'tools' },
    ],
  },
  {
    id: 'use_case_guard',
    about: 'What requests may be for, as their callers declare it in x-aqta-use-case. Nobody checks that it is true.',
    start: { required: true },
    members: [
      { name: 'required', label: 'Every request declares one' },
      { name: 'allow', label: 'What may be declared', hint: 'Leave empty to allow anything.', names: 'use cases' },
    ],
  },
  {
    id: 'pii_scan',
    about: 'What happens where the text of a request has the form of one, such as a PPS number.',
    limit: 'Names and postal addresses of people are not found: they have no fixed form. Keep them out of requests.',
    off: 'nothing is looked for',
    start: { default: 'report' },
    members: [
      {
        name: 'default',
        label: 'Every identifier but the exceptions',
        words: [
          ['report', 'Count: it is sent and counted'],
          ['redact', 'Replace: a placeholder is sent in its place'],
          ['block', 'Block: nothing is sent'],
          ['ignore', 'Ignore: it is sent and not counted'],
        ],
      },
      { name: 'shapes', label: 'Exceptions', noun: 'Identifier', actions: ACTIONS },
    ],
  },
  {
    id: 'prompt_injection_guard',
    about: 'What happens where the text of a request has a common wording of it.',
    limit: 'Other wordings are not found: this rule does not stop prompt injection.',
    off: 'nothing is looked for',
    start: { action: 'report' },
    members: [
      {
        name: 'action',
        label: 'Every wording but the exceptions',
        words: [
          ['report', 'Count: it is sent, and the log names it'],
          ['block', 'Block: nothing is sent'],
        ],
      },
      { name: 'roles', label: 'Roles to read', absent: ['user', 'tool'] },
      { name: 'rules', label: 'Exceptions', noun: 'Wording', actions: ACTIONS },
    ],
  },
  {
    id: 'loop_guard',
    about: 'What counts as a loop, in the place of the settings. Loops are looked for in any case.',
    off: 'the settings say what a loop is',
    start: {},
    members: [
      { name: 'repeats', label: 'Same request', unit: 'times', setting: 'loop_repeats' },
      { name: 'window_seconds', label: 'Repeated within', unit: 'time', setting: 'loop_window_seconds' },
      { name: 'cycle_rounds', label: 'Requests in turn', unit: 'rounds', setting: 'loop_cycle_rounds' },
      { name: 'cycle_window_seconds', label: 'In turn within', unit: 'time', setting: 'loop_cycle_window_seconds' },
    ],
  },
  {
    id: 'budget_guard',
    about: 'The most that models may cost. Calls under way count at the most they can cost.',
    off: 'the budget of the settings, if there is one',
    start: {},
    members: [
      { name: 'month_eur', label: 'A month, all keys', unit: 'euro' },
      { name: 'day_eur', label: 'A day, all keys', unit: 'euro' },
      { name: 'key_month_eur', label: 'A month, each key', unit: 'euro' },
      { name: 'key_day_eur', label: 'A day, each key', unit: 'euro' },
      { name: 'alert_percent', label: 'Notify at', hint: 'Percent of the budget, with commas: 50, 80, 100.' },
    ],
  },
  {
    id: 'rate_limit',
    about: 'Lower limits than those of the tier and of the keys. The lowest one decides.',
    off: 'the limits of the tier and of the keys',
    start: {},
    members: [
      { name: 'requests_per_minute', label: 'A minute, all keys', unit: 'requests' },
      { name: 'key_requests_per_minute', label: 'A minute, each key', unit: 'requests' },
      { name: 'key_requests_per_day', label: 'A day, each key', unit: 'requests' },
    ],
  },
  {
    id: 'human_approval',
    about: 'A call that matches waits until a second person approves it. Nobody can approve their own.',
    off: 'no call waits',
    start: { when: [{}] },
    members: [
      { name: 'when', label: 'Calls that wait' },
      {
        name: 'approvals_required',
        label: 'People who must approve',
        words: [
          [1, '1 person'],
          [2, '2 people'],
        ],
      },
      {
        name: 'expires_seconds',
        label: 'A request expires after',
        hint: 'From 5 minutes to 7 days; 1 day if empty. After approval, the program has one hour to send it.',
        unit: 'time',
      },
    ],
  },
  {
    id: 'cache',
    about: 'Keeps answers, sealed, and gives them again to the same request of the same key, without asking a model.',
    off: 'no answer is kept',
    start: { ttl_seconds: 3600 },
    members: [
      { name: 'ttl_seconds', label: 'An answer is given again for', unit: 'time' },
      { name: 'with_temperature', label: 'Requests with a temperature above 0 too' },
      { name: 'with_stream_tools', label: 'Streams with tools too' },
    ],
  },
  {
    id: 'medical_use_cases',
    about:
      'The use cases whose calls leave medical receipts. Where this is off, all calls do. The tiers Healthcare and Enterprise have receipts.',
    off: 'every call counts as one',
    start: [],
    members: [{ label: 'Medical use cases', names: 'use cases', isKeptEmpty: true }],
    isLabel: true,
  },
  {
    id: 'high_risk_use_cases',
    about: 'Those that the organisation says are high-risk. The compliance score asks whether people approve them.',
    start: [],
    members: [{ label: 'High-risk use cases', names: 'use cases', isKeptEmpty: true }],
    isLabel: true,
  },
  {
    id: 'bias',
    about:
      'Up to twelve coded labels that callers may send in x-aqta-cohort. A label can be special-category data: use codes, and only where you may.',
    off: 'calls are not compared',
    start: { cohorts: [] },
    members: [{ name: 'cohorts', label: 'Labels', names: 'labels', isKeptEmpty: true }],
    isLabel: true,
  },
]

/** Returns the name of a rule, or its id if the form does not know it. */
export const titleOfRule = (id: string): string => (RULE_LABELS.some((rule) => rule.id === id) ? ruleName(id) : id)
