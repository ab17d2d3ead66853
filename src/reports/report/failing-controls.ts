// The words for each control that fails: who may decide, what is to be decided, and the risk with the figure that shows it. No text
// claims that a law is broken, and none has an id.
import type { EvidenceValues } from '../controls/control.ts'
import { HELD_OUTSIDE_DAYS, REPORT_WITHIN_DAYS } from '../controls/recent-evidence.policy.ts'
import type { Control, Decider } from './report.schema.ts'
import { count, euro, plural } from './drawing/report-formats.ts'
import { readEvidence, type ReadEvidence } from './read-evidence.ts'

type Words = (values: ReadEvidence) => string

/** `size`: the part that fails of what was looked at, from 0 to 1. A control without parts fails as a whole. */
type FailingControl = { who: readonly Decider[]; decide: Words; risk: Words; size?: (values: ReadEvidence) => number }

const OPERATOR = ['operator'] as const
const MANAGERS = ['owner', 'admin'] as const

const share = (part: number, whole: number): number => (whole === 0 ? 1 : Math.min(1, part / whole))
const was = (value: number): string => (value === 1 ? 'was' : 'were')
const has = (value: number): string => (value === 1 ? 'has' : 'have')

const recordedCalls = (values: ReadEvidence): number =>
  values.number('counted') + values.number('in_flight') + values.number('further_receipts')
/** Returns the days that details of new calls are kept, or of a call that was looked at, whichever are fewer. */
const daysKept = (values: ReadEvidence): number =>
  values.isMissing('least_of_calls')
    ? values.number('retention_days')
    : Math.min(values.number('retention_days'), values.number('least_of_calls'))

const entriesRead = (values: ReadEvidence): number => values.number('entries_read') + values.number('differing')

const LOG: Readonly<Record<string, FailingControl>> = {
  L1: {
    who: OPERATOR,
    decide: () => 'Find out why records and counted calls differ, and rebuild the usage.',
    risk: (values) =>
      `There are ${count(values.number('receipts'))} records for ${plural(recordedCalls(values), 'counted call', 'counted calls')}. A call without a record cannot be traced later.`,
    size: (values) =>
      share(
        Math.abs(values.number('receipts') - recordedCalls(values)),
        Math.max(values.number('receipts'), recordedCalls(values)),
      ),
  },
  L2: {
    who: OPERATOR,
    decide: () => 'Find out which log entries changed, and restore the log.',
    risk: (values) =>
      `${values.isFalse('root_matches') ? 'The stored log does not lead to its signed root.' : `${count(values.number('differing'))} of ${plural(entriesRead(values), 'entry', 'entries')} that ${was(entriesRead(values))} read differ from their hashes.`} Nobody can rely on changed entries as evidence.`,
    size: (values) => (values.isFalse('root_matches') ? 1 : share(values.number('differing'), entriesRead(values))),
  },
  L3: {
    who: OPERATOR,
    decide: () => 'Restore the delivery of records to the public log.',
    risk: (values) =>
      `The oldest record has waited for ${plural(values.number('oldest_waiting_seconds'), 'second', 'seconds')}; at most 60 are expected. Outsiders cannot yet notice a change of it.`,
  },
  L4: {
    who: MANAGERS,
    decide: () => `Choose who exports the log every ${HELD_OUTSIDE_DAYS} days, and where the copy is stored.`,
    risk: (values) =>
      `${values.isMissing('days_ago') ? 'No signed head of the log was ever exported.' : `The last signed head was exported ${plural(values.number('days_ago'), 'day', 'days')} ago.`} Without a copy elsewhere, nobody could notice that the whole log was replaced.`,
  },
  L5: {
    who: MANAGERS,
    decide: () => 'Choose a tier and a retention that keep details for six months.',
    risk: (values) =>
      `Details of some calls are kept for ${plural(daysKept(values), 'day', 'days')}; ${count(values.number('needed_days'))} are needed. Older calls could not be explained.`,
    size: (values) => 1 - share(daysKept(values), values.number('needed_days')),
  },
  L6: {
    who: OPERATOR,
    decide: () => 'Find out why log entries are missing, and restore them.',
    risk: (values) =>
      `${count(values.number('unreadable'))} of ${plural(values.number('entries_looked_for'), 'entry', 'entries')} that should be kept cannot be read. The details of those calls may be lost.`,
    size: (values) => share(values.number('unreadable'), values.number('entries_looked_for')),
  },
  L7: {
    who: OPERATOR,
    decide: () => 'Find out why calls are interrupted.',
    risk: (values) =>
      `${count(values.number('interrupted'))} of ${plural(values.number('passed'), 'call', 'calls')} ${was(values.number('interrupted'))} interrupted. Nobody knows what those callers received.`,
    size: (values) => share(values.number('interrupted'), values.number('passed')),
  },
  L8: {
    who: MANAGERS,
    decide: () => 'Choose models whose providers report tokens, or accept estimated costs.',
    risk: (values) =>
      `The cost of ${count(values.number('estimated'))} of ${plural(values.number('completed'), 'completed call', 'completed calls')} is an estimate. Providers may bill another amount.`,
    size: (values) => share(values.number('estimated'), values.number('completed')),
  },
}

const KEYS: Readonly<Record<string, FailingControl>> = {
  K1: {
    who: OPERATOR,
    decide: () => 'Put a production signing key in force, and revoke keys that may be known to others.',
    risk: (values) => `${signingFault(values)} Somebody else could have signed false records.`,
    size: (values) =>
      values.length('keys_outside_their_time') > 0
        ? share(values.length('keys_outside_their_time'), values.number('keys_of_sample'))
        : 1,
  },
  K2: {
    who: MANAGERS,
    decide: () => 'Choose an end for each API key, and revoke the keys that nobody uses.',
    risk: (values) =>
      `Of ${plural(values.number('keys'), 'API key', 'API keys')}, ${count(values.number('endless'))} ${values.number('endless') === 1 ? 'does' : 'do'} not end within a year and ${count(values.number('idle'))} ${was(values.number('idle'))} not used for 90 days. A leaked key could be used unnoticed.`,
    size: (values) => share(Math.max(values.number('endless'), values.number('idle')), values.number('keys')),
  },
  K3: {
    who: MANAGERS,
    decide: () => 'Create separate API keys for calls and for management.',
    risk: (values) =>
      `${count(values.number('with_both'))} of ${plural(values.number('keys'), 'API key', 'API keys')} can both call models and manage the organisation. A leaked one could change the policy.`,
    size: (values) => share(values.number('with_both'), values.number('keys')),
  },
  K4: {
    who: MANAGERS,
    decide: () => 'Require a second factor, and have every member set one up.',
    risk: (values) => {
      const [none, members] = [values.number('none'), values.number('members')]
      return none === 0
        ? 'Every member has a second factor, and nothing requires it. A member who removes it, or joins without one, has a password alone.'
        : `${count(none)} of ${plural(members, 'member', 'members')} ${has(none)} no second factor. A stolen password would be enough to act for them.`
    },
    size: (values) => share(values.number('none'), values.number('members')),
  },
}

function signingFault(values: ReadEvidence): string {
  if (values.isTrue('made_for_development')) return 'A key made for development signs the records.'
  const outside = values.length('keys_outside_their_time')
  return outside > 0
    ? `${count(outside)} of ${plural(values.number('keys_of_sample'), 'signing key', 'signing keys')} signed outside ${outside === 1 ? 'its' : 'their'} time.`
    : 'The key that signs is not in force.'
}

const POLICY: Readonly<Record<string, FailingControl>> = {
  P1: {
    who: MANAGERS,
    decide: () => 'Sign in and put a policy in force whose rules limit the calls.',
    risk: (values) => {
      if (values.number('policy_version') === 0)
        return 'No policy is in force. A key may use any model for any purpose.'
      const rules = values.length('rules')
      if (values.length('limiting_rules') > 0 && cameBefore(values))
        return `${fewCalls(values)} The others had no limits.`
      return values.length('limiting_rules') === 0
        ? `None of ${plural(rules, 'rule', 'rules')} limits the calls that came. A key may use models for any purpose.`
        : `The policy, with ${plural(rules, 'rule', 'rules')}, was not set by a person who signed in. A program may have changed it.`
    },
  },
  P2: {
    who: MANAGERS,
    decide: () => 'Choose the models that calls may use.',
    risk: (values) =>
      `${isShort(values) && cameBefore(values) ? fewCalls(values) : values.isMissing('models_allowed') ? `All ${count(values.number('models_offered'))} models are allowed.` : `${count(values.number('models_allowed'))} of ${count(values.number('models_offered'))} models are allowed, ${count(values.length('allowed_and_unused'))} of them without a call.`} Data may reach a model that nobody has assessed.`,
    size: (values) =>
      values.isMissing('models_allowed')
        ? 1
        : share(values.length('allowed_and_unused'), values.number('models_allowed')),
  },
  P3: {
    who: MANAGERS,
    decide: () => 'Decide if every call must declare a use case.',
    risk: (values) => {
      const [requests, declared] = [values.number('requests'), values.number('with_use_case')]
      return `${count(requests - declared)} of ${plural(requests, 'call', 'calls')} declared no use case. Nobody can tell their purpose, and rules for a use case miss them.`
    },
    size: (values) => share(values.number('requests') - values.number('with_use_case'), values.number('requests')),
  },
  P4: {
    who: MANAGERS,
    decide: () => 'Choose the personal data and the files that the scan must cover.',
    risk: (values) => `${scanFault(values)} Personal data may reach a provider unnoticed.`,
  },
  P5: {
    who: MANAGERS,
    decide: () => 'Set a loop guard and a monthly budget near what is spent.',
    risk: (values) => `${budgetFault(values)} A faulty program could spend much more than planned.`,
  },
  P6: {
    who: MANAGERS,
    decide: () => 'Choose the personal data that answers are searched for.',
    risk: (values) => `${answersFault(values)} Personal data in an answer may be passed on unnoticed.`,
  },
}

/** Returns true if most of the calls came before such a rule was in force. */
const cameBefore = (values: ReadEvidence): boolean =>
  values.number('calls_under_it') * 2 < values.number('calls_looked_at')

const fewCalls = (values: ReadEvidence): string =>
  `Only ${count(values.number('calls_under_it'))} of ${plural(values.number('calls_looked_at'), 'call', 'calls')} that were looked at came under such a rule.`

/** Returns true if the list of models is short, and all but one of them are used. */
const isShort = (values: ReadEvidence): boolean =>
  !values.isMissing('models_allowed') &&
  values.length('allowed_and_unused') <= 1 &&
  values.number('models_allowed') * 2 <= values.number('models_offered')

function scanFault(values: ReadEvidence): string {
  if (values.isFalse('pii_scan')) return 'No call is scanned for personal data.'
  const [ignored, unscanned] = [values.length('ignored_shapes'), values.length('kinds_not_looked_into')]
  if (ignored > 0) return `The scan ignores ${plural(ignored, 'kind', 'kinds')} of personal data.`
  if (unscanned > 0) return `${plural(unscanned, 'kind', 'kinds')} of content is sent without a scan.`
  return cameBefore(values)
    ? fewCalls(values)
    : `The scan reports ${plural(values.length('reported_shapes'), 'kind', 'kinds')} of personal data and sends them.`
}

function answersFault(values: ReadEvidence): string {
  if (values.isFalse('answers_searched')) return 'Answers of models are not searched.'
  const ignored = values.length('ignored_shapes')
  return ignored > 0
    ? `The search of answers ignores ${plural(ignored, 'kind', 'kinds')} of personal data.`
    : fewCalls(values)
}

function budgetFault(values: ReadEvidence): string {
  const spent = `a month costs about ${euro(values.number('spent_a_month_eur'))}.`
  if (values.isFalse('loop_guard')) return `No rule stops loops, and ${spent}`
  if (values.isMissing('lowest_monthly_budget_eur')) return `No budget is set, and ${spent}`
  const shutOut = values.number('days_shut_out')
  if (shutOut * 2 > values.number('days_with_calls')) {
    return `Budgets refused more calls than ran on ${count(shutOut)} of ${plural(values.number('days_with_calls'), 'day', 'days')}.`
  }
  return cameBefore(values)
    ? fewCalls(values)
    : `The lowest budget is ${euro(values.number('lowest_monthly_budget_eur'))} a month, and ${spent}`
}

const PEOPLE: Readonly<Record<string, FailingControl>> = {
  H1: {
    who: MANAGERS,
    decide: () => 'Choose who approves high-risk calls, and require approval for each.',
    risk: (values) => {
      const ran = values.number('ran_without_approval')
      return ran > 0
        ? `${count(ran)} of ${plural(values.number('calls'), 'high-risk call', 'high-risk calls')} that were looked at ran without approval. No person had looked at them.`
        : `People decided ${plural(values.number('decided'), 'approval', 'approvals')} of high-risk calls, and ${count(values.number('undecided'))} ended undecided. High-risk work stops if nobody decides.`
    },
    size: (values) =>
      values.number('ran_without_approval') > 0
        ? share(values.number('ran_without_approval'), values.number('calls'))
        : share(values.number('undecided'), values.number('undecided') + values.number('decided')),
  },
  H2: {
    who: ['operator', 'owner'],
    decide: () => 'Review the approvals that people gave to their own keys, and find out how.',
    risk: (values) =>
      `${count(values.number('own_approved'))} of ${plural(values.number('decisions'), 'decision', 'decisions')} approved a request of the approver’s own key. No second person looked at it.`,
    size: (values) => share(values.number('own_approved'), values.number('decisions')),
  },
  H3: {
    who: OPERATOR,
    decide: () => 'Find out why decisions have no signed acceptance.',
    risk: (values) =>
      `${count(values.number('without_record'))} of ${plural(values.number('looked_at'), 'decision', 'decisions')} ${has(values.number('without_record'))} no signed acceptance. It cannot be shown that a person decided.`,
    size: (values) => share(values.number('without_record'), values.number('looked_at')),
  },
  H4: {
    who: ['owner', 'admin', 'clinician'],
    decide: () => 'Agree on who decides approvals, and how fast.',
    risk: (values) =>
      `${plural(values.number('undecided'), 'approval', 'approvals')} ended undecided, and ${count(values.number('decided'))} ${was(values.number('decided'))} decided. Calls that people needed did not run.`,
    size: (values) => share(values.number('undecided'), values.number('undecided') + values.number('decided')),
  },
}

const endTheCause = (findings: string): string => `End the cause of ${findings}. An explanation does not make it pass.`

const MONITORING: Readonly<Record<string, FailingControl>> = {
  M1: {
    who: MANAGERS,
    decide: (values) => {
      if (values.isFalse('in_tier'))
        return 'Choose a tier with bias detection, or accept that nobody looks for anomalies.'
      const open = values.number('unexplained')
      return open > 0
        ? endTheCause(plural(open, 'anomaly', 'anomalies'))
        : `Choose who runs bias detection every ${REPORT_WITHIN_DAYS} days.`
    },
    risk: (values) => {
      if (values.isFalse('in_tier'))
        return 'The tier has no bias detection, so 0 anomalies were looked for. A change in how calls end may go unnoticed.'
      const open = values.number('unexplained')
      if (open > 0)
        return `${count(open)} of ${plural(values.number('found'), 'anomaly', 'anomalies')} ${has(open)} no explanation. A fault may still be going on.`
      return `${values.isMissing('days_ago') ? 'Bias detection was never run.' : `Bias detection was last run ${plural(values.number('days_ago'), 'day', 'days')} ago.`} A change in how calls end may go unnoticed.`
    },
    size: openShare,
  },
  M2: {
    who: MANAGERS,
    decide: (values) => {
      const open = values.number('unexplained')
      return open > 0
        ? endTheCause(`${plural(open, 'difference', 'differences')} between groups`)
        : 'Choose a tier that compares the declared groups.'
    },
    risk: (values) => {
      const open = values.number('unexplained')
      return open > 0
        ? `${count(open)} of ${plural(values.number('found'), 'difference', 'differences')} between groups ${has(open)} no explanation. Some callers may be served worse than others.`
        : `${plural(values.length('cohorts'), 'declared group is', 'declared groups are')} not compared. A difference between them would go unnoticed.`
    },
    size: openShare,
  },
  M3: {
    who: MANAGERS,
    decide: () => 'Correct the incidents that lead to no record, or ask the operator for them.',
    risk: (values) => {
      const lost = values.length('without_receipt')
      return `${count(lost)} of ${plural(values.number('marked'), 'incident', 'incidents')} ${lost === 1 ? 'leads' : 'lead'} to no record. Their calls cannot be examined.`
    },
    size: (values) => share(values.length('without_receipt'), values.number('marked')),
  },
}

function openShare(values: ReadEvidence): number {
  const open = values.number('unexplained')
  return open > 0 ? share(open, values.number('found')) : 1
}

const countRouted = (values: ReadEvidence): number =>
  values.number('routed_eu') + values.number('routed_eea_ch') + values.number('routed_elsewhere')

const DATA: Readonly<Record<string, FailingControl>> = {
  D1: {
    who: MANAGERS,
    decide: () => 'Decide whether text may leave Europe, and limit the data region in the policy.',
    risk: (values) => {
      const outside = values.number('routed_elsewhere')
      if (outside > 0) {
        return `${count(outside)} of ${plural(countRouted(values), 'call', 'calls')} ${outside === 1 ? 'was' : 'were'} routed outside Europe, or to a place that nobody promises. Personal data may have left it.`
      }
      return values.text('jurisdiction') === 'eu'
        ? `The policy limits the data region to “${values.text('data_region')}”. A later call may be routed outside.`
        : `The data of the organisation has the jurisdiction “${values.text('jurisdiction')}”. Personal data may leave the European Union.`
    },
    size: (values) =>
      values.number('routed_elsewhere') > 0 ? share(values.number('routed_elsewhere'), countRouted(values)) : 1,
  },
  D2: {
    who: MANAGERS,
    decide: () => 'Shorten the time for which prompts and answers are kept.',
    risk: (values) =>
      `Prompts and answers are kept for ${plural(values.number('content_days'), 'day', 'days')}, and details for ${count(values.number('details_days'))}. A leak would reveal text that nobody needs.`,
  },
  D3: {
    who: OPERATOR,
    decide: () => 'Find out which keys of sealed data are missing, and restore them.',
    risk: (values) =>
      `${count(values.number('without_key'))} of ${plural(values.number('sealed_objects'), 'sealed object', 'sealed objects')} ${has(values.number('without_key'))} no key. What is in them cannot be read.`,
    size: (values) => share(values.number('without_key'), values.number('sealed_objects')),
  },
  D4: {
    who: OPERATOR,
    decide: () => 'Complete the erasures that are overdue.',
    risk: (values) =>
      `${count(values.number('overdue'))} of ${plural(values.number('asked'), 'request', 'requests')} to be erased ${values.number('overdue') === 1 ? 'is' : 'are'} overdue. Personal data is kept for longer than announced.`,
    size: (values) => share(values.number('overdue'), values.number('asked')),
  },
  D5: {
    who: MANAGERS,
    decide: () => 'Have calls declare use cases, so that their purposes are known.',
    risk: (values) =>
      `${plural(values.number('purposes'), 'purpose', 'purposes')} and ${plural(values.length('recipients'), 'recipient', 'recipients')} are known. A record of processing would be incomplete.`,
  },
}

const FAILING_CONTROLS: Readonly<Record<string, FailingControl>> = {
  ...LOG,
  ...KEYS,
  ...POLICY,
  ...PEOPLE,
  ...MONITORING,
  ...DATA,
}

/** Returns the words for a control that fails. Null for a control that cannot fail. */
function describeFailing(id: string, found: EvidenceValues | null) {
  const words = FAILING_CONTROLS[id]
  if (words === undefined) return null
  const values = readEvidence(found ?? {})
  return {
    who: [...words.who],
    decide: words.decide(values),
    risk: words.risk(values),
    size: words.size?.(values) ?? 1,
  }
}

export const failingControls = (controls: readonly Control[]) =>
  controls
    .filter(({ state }) => state === 'fail')
    .flatMap((control) => {
      const words = describeFailing(control.id, control.evidence.values)
      return words === null ? [] : [{ id: control.id, weight: control.weight, ...words }]
    })
