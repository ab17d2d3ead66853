// Keys page: the rules of the policy in force that apply to a key, each with the calls of the key that it stopped.
import type { ComponentChildren } from 'preact'
import type { Key } from '../../../keys/key.schema.ts'
import type { PolicyDocument } from '../../../policies/document/policy-document.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { shield } from '../../parts/icons.ts'
import { formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { listed } from '../../text/reword-text.ts'
import { shapeName } from '../../text/shape-names.ts'
import { ruleName } from '../policies/stop-names.ts'
import { listOf } from './allowed-call.ts'
import { nameOfRegion } from '../../../platform/data-region.ts'
import { modelsInRegion, regionOfKey, type KeyFigures, type Ruling } from './load-keys.ts'

type Subject = Pick<Key, 'id' | 'requests_per_minute' | 'requests_per_day' | 'data_region'>

type Described = { id: string; text: ComponentChildren }

/** A key that is not made yet, which no rule names. */
const NEW_KEY: Subject = { id: '', requests_per_minute: null, requests_per_day: null, data_region: null }

type Props = { ruling: Ruling; subject?: Subject; figures?: KeyFigures | null }

/** @param figures what stopped the key's calls; absent: nothing is counted */
export function RulesForKey({ ruling, subject = NEW_KEY, figures = null }: Props) {
  const { policy } = ruling
  const rules = describeRules(ruling, subject)
  const stops = stopsByRule(figures)
  return (
    <section class="card parts" aria-label="Rules for this key">
      <div class="head">
        <h2>Rules for this key</h2>
        <span class="soft small">
          {policy.version === 0 ? 'No policy yet' : `Policy version ${formatNumber(policy.version)}`}
        </span>
      </div>
      <ul class="plain rule-list">
        {rules.map(({ id, text }) => (
          <li key={id}>
            <a href={inOrganisation(`/app/policies#${id}`)}>
              <Icon of={shield} />
              <span>
                <b>{ruleName(id)}</b>
                <span class="soft small">{text}</span>
              </span>
              <Stopped by={id} count={stops.get(id) ?? 0} />
            </a>
          </li>
        ))}
      </ul>
      {stops.size > 0 && <div class="foot-line">Calls of the last 30 days.</div>}
    </section>
  )
}

function Stopped({ by, count }: { by: string; count: number }) {
  if (count === 0) return null
  return (
    <span class={`badge ${by === 'human_approval' ? 'warn' : 'bad'}`}>
      {formatNumber(count)} {by === 'human_approval' ? 'held' : 'stopped'}
    </span>
  )
}

function stopsByRule(figures: KeyFigures | null): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { rule, requests } of figures?.stops ?? []) {
    if (rule !== null) counts.set(rule, (counts.get(rule) ?? 0) + requests)
  }
  return counts
}

const describeRules = (ruling: Ruling, subject: Subject): readonly Described[] => {
  const {
    policy: { document },
    settings,
  } = ruling
  const region = regionOfKey(ruling, subject)
  return [
    { id: 'model_allowlist', text: <Models of={modelsFor(document, modelsInRegion(ruling, subject), subject)} /> },
    ...described('data_region', region === 'any' ? '' : `Routed within ${nameOfRegion(region)}`),
    ...described('use_case_guard', useCasesText(document)),
    ...described('human_approval', approvalText(document, subject)),
    ...described('pii_scan', identifiersText(document)),
    ...described('prompt_injection_guard', injectionText(document)),
    ...described('content_type_guard', contentText(document)),
    { id: 'loop_guard', text: loopsText(document, settings) },
    ...described('budget_guard', budgetsText(document, settings, subject)),
    ...described('rate_limit', ratesText(document, subject)),
  ]
}

const described = (id: string, text: string): Described[] => (text === '' ? [] : [{ id, text }])

/** The models that every list of the policy lets the key call. A use case can allow fewer. */
function modelsFor({ model_allowlist: list = {} }: PolicyDocument, models: readonly string[], { id }: Subject) {
  const lists = [list.models, listOf(list.by_key, id)]
  return models.filter((model) => lists.every((names) => names?.includes(model) !== false))
}

const NAMED = 3

function Models({ of }: { of: readonly string[] }) {
  const rest = of.length - NAMED
  if (of.length === 0) return <>None. No provider is enabled, or a list leaves none.</>
  return (
    <>
      {of.slice(0, NAMED).map((model, at) => (
        <>
          {at > 0 && ', '}
          <span class="nowrap">{model}</span>
        </>
      ))}
      {rest > 0 && ` and ${formatNumber(rest)} more`}
    </>
  )
}

function useCasesText({ use_case_guard: guard }: PolicyDocument): string {
  if (guard === undefined) return ''
  const need = guard.required === true ? 'A use case is required.' : 'A use case may be left out.'
  if (guard.allow === undefined) return `${need} Any may be declared.`
  return guard.allow.length === 1
    ? `${need} ${guard.allow.join('')} only.`
    : `${need} ${formatNumber(guard.allow.length)} are listed.`
}

function approvalText({ human_approval: rule }: PolicyDocument, { id }: Subject): string {
  const cases = (rule?.when ?? []).filter(({ keys }) => keys?.includes(id) !== false)
  if (rule === undefined || cases.length === 0) return ''
  const people = rule.approvals_required === 2 ? '2 people' : '1 person'
  const isEvery = cases.some((one) => Object.keys(one).every((name) => name === 'keys'))
  if (isEvery) return `Every call waits for ${people}.`
  const useCases = [...new Set(cases.flatMap((one) => one.use_cases ?? []))]
  const isByUseCase = cases.every((one) => one.use_cases !== undefined)
  const which = isByUseCase && useCases.length <= NAMED ? useCases.join(', ') : 'Some'
  return isByUseCase && useCases.length <= NAMED
    ? `Calls for ${which} wait for ${people}.`
    : `${which} calls wait for ${people}.`
}

function identifiersText({ pii_scan: scan }: PolicyDocument): string {
  if (scan === undefined) return ''
  const blocked = Object.entries(scan.shapes ?? {}).flatMap(([shape, action]) => (action === 'block' ? [shape] : []))
  const others = { block: 'block a call', redact: 'are replaced', report: 'are counted', ignore: 'are let through' }
  if (blocked.length === 0) return `They ${others[scan.default]}.`
  const names = blocked.slice(0, NAMED).map(shapeName)
  const rest = blocked.length - NAMED
  return `Blocked: ${rest > 0 ? `${names.join(', ')} and ${rest} more` : listed(names)}. Others ${others[scan.default]}.`
}

function injectionText({ prompt_injection_guard: guard }: PolicyDocument): string {
  if (guard === undefined) return ''
  return guard.action === 'block' ? 'Its common wordings block a call.' : 'Its common wordings are reported.'
}

const contentText = ({ content_type_guard: guard }: PolicyDocument): string =>
  guard === undefined ? '' : guard.allow === undefined ? 'How much a call may have.' : `${guard.allow.join(', ')} only.`

/** Loops are looked for in any case: by the rule, else by the settings. */
function loopsText({ loop_guard: guard = {} }: PolicyDocument, settings: Settings): string {
  const { repeats = settings.loop_repeats, window_seconds: seconds = settings.loop_window_seconds } = guard
  const window = seconds % 60 === 0 ? plural(seconds / 60, 'minute') : plural(seconds, 'second')
  return `Same request ${formatNumber(repeats)} times in ${window}.`
}

/** The budget of the key for a month, by the policy; null if it has none of its own. */
export function monthBudgetOf({ budget_guard: guard }: PolicyDocument, id: string): number | null {
  const budgets = [guard?.key_month_eur, listOf(guard?.keys, id)?.month_eur].filter((one) => one !== undefined)
  return budgets.length === 0 ? null : Math.min(...budgets)
}

function budgetsText(document: PolicyDocument, { monthly_budget_eur: set }: Settings, { id }: Subject): string {
  const { budget_guard: guard } = document
  const own = monthBudgetOf(document, id)
  const all = [guard?.month_eur ?? null, set].filter((one) => one !== null)
  return sentence([
    own === null ? '' : `${formatExactEuro(own)} a month for this key`,
    all.length === 0 ? '' : `${formatExactEuro(Math.min(...all))} a month for all keys`,
    guard?.key_day_eur === undefined ? '' : `${formatExactEuro(guard.key_day_eur)} a day for this key`,
    guard?.day_eur === undefined ? '' : `${formatExactEuro(guard.day_eur)} a day for all keys`,
  ])
}

function lowestRate(rates: readonly (number | undefined)[], period: string): string {
  const known = rates.filter((one) => one !== undefined)
  return known.length === 0 ? '' : `${formatNumber(Math.min(...known))} calls a ${period} for this key`
}

function ratesText({ rate_limit: rule }: PolicyDocument, { id }: Subject): string {
  const own = listOf(rule?.keys, id)
  return sentence([
    lowestRate([rule?.key_requests_per_minute, own?.requests_per_minute], 'minute'),
    lowestRate([rule?.key_requests_per_day, own?.requests_per_day], 'day'),
    rule?.requests_per_minute === undefined
      ? ''
      : `${formatNumber(rule.requests_per_minute)} calls a minute for all keys`,
  ])
}

function sentence(parts: readonly string[]): string {
  const said = parts.filter((part) => part !== '')
  return said.length === 0 ? '' : `${said.join(', ')}.`
}
