// The rules of a policy as the form asks for them. Members that are seldom set have no place here and are kept as the JSON has them.
import { SHAPES } from '../../../scanning/identifiers/identifier-shapes.ts'
import type { InjectionRuleId } from '../../../scanning/injection/rules.ts'
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'

type Base = { path: readonly string[]; label: string; hint?: string }

export type MemberAsked = Base &
  (
    | { kind: 'count' | 'eur'; least?: number }
    /** Texts, one a line. `isKeptEmpty`: an empty list says something. */
    | { kind: 'lines'; isKeptEmpty?: boolean }
    | { kind: 'numbers' }
    | { kind: 'yes' }
    | { kind: 'choice'; options: readonly (readonly [value: string | number, words: string])[] }
    /** A list of some of them. `absent`: what holds where the member is left out. */
    | { kind: 'some'; options: readonly string[]; absent: readonly string[] }
    /** What is done for each: a record with one action a name. */
    | { kind: 'actions'; names: readonly string[]; actions: readonly string[] }
    | { kind: 'cases' }
  )

export type RuleAsked = {
  id: keyof PolicyDocument
  title: string
  about: string
  /** What it says once it is switched on, before anything is filled in. */
  start: unknown
  members: readonly MemberAsked[]
}

const INJECTIONS: Readonly<Record<InjectionRuleId, true>> = {
  instruction_override: true,
  role_forgery: true,
  prompt_exfiltration: true,
  jailbreak_persona: true,
  embedded_instruction: true,
  image_exfiltration: true,
  encoded_instruction: true,
  hidden_text: true,
}

const KINDS = ['text', 'image', 'file', 'tools']

export const RULES: readonly RuleAsked[] = [
  {
    id: 'model_allowlist',
    title: 'Models',
    about: 'Which models may be asked, of those that the tier and the enabled providers leave.',
    start: {},
    members: [
      {
        kind: 'lines',
        path: ['models'],
        label: 'Models for every call',
        hint: 'One a line. Empty: no list for every call.',
      },
    ],
  },
  {
    id: 'content_type_guard',
    title: 'Kinds of content',
    about: 'What kinds of content a request may have, and how much of each.',
    start: {},
    members: [
      { kind: 'some', path: ['allow'], label: 'Allowed', options: KINDS, absent: KINDS },
      { kind: 'count', path: ['max_body_bytes'], label: 'Bytes of the body, at most' },
      { kind: 'count', path: ['max_text_characters'], label: 'Characters of text, at most' },
      { kind: 'count', path: ['max_images'], label: 'Images, at most' },
      { kind: 'count', path: ['max_files'], label: 'Files, at most' },
      { kind: 'count', path: ['max_tools'], label: 'Tools, at most' },
    ],
  },
  {
    id: 'use_case_guard',
    title: 'Use cases',
    about: 'What requests may be for, as their callers declare it in x-aqta-use-case. Nobody checks that it is true.',
    start: { required: true },
    members: [
      { kind: 'yes', path: ['required'], label: 'Every request declares one' },
      { kind: 'lines', path: ['allow'], label: 'What may be declared', hint: 'One a line. Empty: anything.' },
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
        kind: 'choice',
        path: ['default'],
        label: 'Every shape that is not named below',
        options: [
          ['report', 'report: it is counted'],
          ['redact', 'redact: a placeholder is sent in its place'],
          ['block', 'block: nothing is sent'],
          ['ignore', 'ignore'],
        ],
      },
      {
        kind: 'actions',
        path: ['shapes'],
        label: 'Shapes',
        names: SHAPES,
        actions: ['report', 'redact', 'block', 'ignore'],
      },
    ],
  },
  {
    id: 'prompt_injection_guard',
    title: 'Prompt injection',
    about: 'What is done where the text of a request meets a common wording of it. It does not stop prompt injection.',
    start: { action: 'report' },
    members: [
      {
        kind: 'choice',
        path: ['action'],
        label: 'Every rule that is not named below',
        options: [
          ['report', 'report: the entry of the decision names it'],
          ['block', 'block: nothing is sent'],
        ],
      },
      {
        kind: 'some',
        path: ['roles'],
        label: 'Roles to read',
        options: ['system', 'developer', 'user', 'assistant', 'tool'],
        absent: ['user', 'tool'],
      },
      {
        kind: 'actions',
        path: ['rules'],
        label: 'Rules',
        names: Object.keys(INJECTIONS),
        actions: ['report', 'block', 'ignore'],
      },
    ],
  },
  {
    id: 'loop_guard',
    title: 'Loops',
    about: 'What counts as a loop, in the place of the settings. Loops are looked for in any case.',
    start: {},
    members: [
      { kind: 'count', path: ['repeats'], label: 'The same request, times', least: 2 },
      { kind: 'count', path: ['window_seconds'], label: 'within seconds', least: 10 },
      { kind: 'count', path: ['cycle_rounds'], label: 'Requests in turn, rounds', least: 2 },
      { kind: 'count', path: ['cycle_window_seconds'], label: 'within seconds, for rounds', least: 10 },
    ],
  },
  {
    id: 'budget_guard',
    title: 'Budgets',
    about: 'The most that models may cost. Calls under way count at the most they can cost.',
    start: {},
    members: [
      { kind: 'eur', path: ['month_eur'], label: 'Euro a month, all keys' },
      { kind: 'eur', path: ['day_eur'], label: 'Euro a day, all keys' },
      { kind: 'eur', path: ['key_month_eur'], label: 'Euro a month, each key' },
      { kind: 'eur', path: ['key_day_eur'], label: 'Euro a day, each key' },
      {
        kind: 'numbers',
        path: ['alert_percent'],
        label: 'Notify at percent',
        hint: 'With commas: 50, 80, 100.',
      },
    ],
  },
  {
    id: 'rate_limit',
    title: 'Rates',
    about: 'Lower limits than those of the tier and of the keys. The lowest holds.',
    start: {},
    members: [
      { kind: 'count', path: ['requests_per_minute'], label: 'Requests a minute, all keys' },
      { kind: 'count', path: ['key_requests_per_minute'], label: 'Requests a minute, each key' },
      { kind: 'count', path: ['key_requests_per_day'], label: 'Requests a day, each key' },
    ],
  },
  {
    id: 'human_approval',
    title: 'Approval by people',
    about: 'Which requests people must approve before they run. Nobody approves what their own keys ask for.',
    start: { when: [{}] },
    members: [
      { kind: 'cases', path: ['when'], label: 'Requests that need approval' },
      {
        kind: 'choice',
        path: ['approvals_required'],
        label: 'How many people must approve',
        options: [
          [1, 'one'],
          [2, 'two'],
        ],
      },
      {
        kind: 'count',
        path: ['expires_seconds'],
        label: 'Seconds that it waits for them',
        hint: 'From 300 to 604800. Empty: a day.',
        least: 300,
      },
    ],
  },
  {
    id: 'cache',
    title: 'Cache',
    about: 'Keeps answers, sealed, and gives them again to the same request of the same key, without asking a model.',
    start: { ttl_seconds: 3600 },
    members: [
      { kind: 'count', path: ['ttl_seconds'], label: 'Seconds that an answer is given again', least: 1 },
      { kind: 'yes', path: ['with_temperature'], label: 'Requests with a temperature above 0 too' },
      { kind: 'yes', path: ['with_stream_tools'], label: 'Streams with tools too' },
    ],
  },
  {
    id: 'medical_use_cases',
    title: 'Medical use cases',
    about: 'The use cases whose calls leave medical receipts. Where this is off, all calls do.',
    start: [],
    members: [{ kind: 'lines', path: [], label: 'Medical use cases, one a line', isKeptEmpty: true }],
  },
  {
    id: 'high_risk_use_cases',
    title: 'High-risk use cases',
    about: 'Those that the organisation holds to be high-risk. The compliance score asks whether people approve them.',
    start: [],
    members: [{ kind: 'lines', path: [], label: 'High-risk use cases, one a line', isKeptEmpty: true }],
  },
  {
    id: 'bias',
    title: 'Cohorts',
    about:
      'Up to twelve coded labels that callers may send in x-aqta-cohort. A label can be special-category data: use codes, and only where you may.',
    start: { cohorts: [] },
    members: [{ kind: 'lines', path: ['cohorts'], label: 'Labels, one a line', isKeptEmpty: true }],
  },
]
