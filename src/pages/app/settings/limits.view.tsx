// Three settings sections: limits of requests and costs, when repeated requests count as a loop, and how long details are stored.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/settings'
import { NumberField, parseNumber, textOfNumber } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { inOrganisation } from '../session.ts'
import { SettingsForm, type SectionProps, SettingsSection } from './settings-form.view.tsx'
import { retentionRange, tierPlan } from '../../../policies/tier.policy.ts'
import { Table } from '../../parts/table.view.tsx'

export function LimitsSection({ state }: SectionProps) {
  const { settings } = state
  const { limits, monthly_budget_eur: budgetInForce } = settings
  const [budget, setBudget] = useState(textOfNumber(budgetInForce))
  const [tokens, setTokens] = useState(textOfNumber(settings.default_max_tokens))
  const values = {
    monthly_budget_eur: parseNumber(budget),
    default_max_tokens: parseNumber(tokens) ?? settings.default_max_tokens,
  }
  const isLower =
    values.monthly_budget_eur !== null && (budgetInForce === null || values.monthly_budget_eur < budgetInForce)

  return (
    <SettingsSection id="limits">
      <p>
        All keys together, by the tier {tierName(settings.tier)} and by what the operator has set. A key can have lower
        limits of its own: <a href={inOrganisation('/app/keys')}>keys</a>.
      </p>
      <Facts
        facts={[
          ['Requests a minute', formatNumber(limits.requests_per_minute)],
          ['Requests a month', formatNumber(limits.requests_per_month)],
          ['Models', limits.models === 'all' ? 'all of the catalogue' : 'the cost-effective ones'],
        ]}
      />
      <SettingsForm
        id="limits"
        state={state}
        values={values}
        question={
          isLower ? { title: 'Set a lower budget?', text: <LowerBudget budget={values.monthly_budget_eur} /> } : null
        }
      >
        {(faultOf) => (
          <>
            <NumberField
              label="Monthly budget in euro"
              hint="The most that models may cost in a UTC month. A call that might not fit is refused. Empty: no budget. 0: no call that costs anything."
              fault={faultOf('monthly_budget_eur')}
              value={budget}
              onValue={setBudget}
              schema={SCHEMA.monthly_budget_eur}
            />
            <NumberField
              label="Tokens that a model may write where a request does not say"
              hint="Sent to the provider as its limit, and held in the budget until the call is settled."
              fault={faultOf('default_max_tokens')}
              value={tokens}
              onValue={setTokens}
              schema={SCHEMA.default_max_tokens}
            />
          </>
        )}
      </SettingsForm>
    </SettingsSection>
  )
}

const LowerBudget = ({ budget }: { budget: number | null }) => (
  <p>
    From the next call on, calls are refused once what this month has cost and what is under way come to{' '}
    {formatExactEuro(budget ?? 0)}. If this month has cost more already, every call that costs anything is refused until
    the next one. Calls that are under way are not ended.
  </p>
)

/** The two kinds of loops. Each is defined by a number of requests in a number of seconds. */
const LOOP_KINDS = [
  ['The same request again', [['loop_repeats', 'Times'] as const, ['loop_window_seconds', 'Within seconds'] as const]],
  [
    'Two to four requests in turn',
    [['loop_cycle_rounds', 'Rounds'] as const, ['loop_cycle_window_seconds', 'Within seconds'] as const],
  ],
] as const

type LoopMember = (typeof LOOP_KINDS)[number][1][number][0]

export function LoopsSection({ state }: SectionProps) {
  const { settings } = state
  const [texts, setTexts] = useState<Readonly<Record<LoopMember, string>>>({
    loop_repeats: textOfNumber(settings.loop_repeats),
    loop_window_seconds: textOfNumber(settings.loop_window_seconds),
    loop_cycle_rounds: textOfNumber(settings.loop_cycle_rounds),
    loop_cycle_window_seconds: textOfNumber(settings.loop_cycle_window_seconds),
  })
  const values = Object.fromEntries(Object.entries(texts).map(([member, text]) => [member, Number(text)]))
  return (
    <SettingsSection id="loops">
      <p>
        A program that asks the same again and again costs money and says nothing new. The request that makes it a loop
        is suppressed with 429 <code>loop_detected</code>, and so are those after it, until none of them has come for 60
        seconds. A <a href={inOrganisation('/app/policies')}>policy</a> can set others for some calls.
      </p>
      <SettingsForm id="loops" state={state} values={values}>
        {(faultOf) => (
          <div class="columns">
            {LOOP_KINDS.map(([what, fields]) => (
              <fieldset key={what} class="stack">
                <legend>{what}</legend>
                {fields.map(([member, label]) => (
                  <NumberField
                    key={member}
                    label={label}
                    hint={`${SCHEMA[member].minimum} to ${SCHEMA[member].maximum}`}
                    fault={faultOf(member)}
                    value={texts[member]}
                    onValue={(value) => setTexts({ ...texts, [member]: value })}
                    schema={SCHEMA[member]}
                  />
                ))}
              </fieldset>
            ))}
          </div>
        )}
      </SettingsForm>
    </SettingsSection>
  )
}

export function RetentionSection({ state }: SectionProps) {
  const { settings } = state
  const { least, most } = retentionRange(settings.tier)
  const byTier = tierPlan(settings.tier).retentionDays
  const [days, setDays] = useState(textOfNumber(settings.retention_days))
  const values = parseNumber(days)
  const { retention_days: inForce } = settings.limits
  const isShorter = (values ?? byTier) < inForce

  return (
    <SettingsSection id="retention">
      <p>
        In force: details of calls are kept for <strong>{plural(inForce, 'day')}</strong>. From the moment that this is
        over nobody is given them. They are deleted within a day, and from archives within two.
      </p>
      <SettingsForm
        id="retention"
        state={state}
        values={{ retention_days: values }}
        question={
          isShorter
            ? {
                title: 'Keep details for a shorter time?',
                text: <ShorterRetention from={inForce} to={values ?? byTier} />,
              }
            : null
        }
      >
        {(faultOf) => (
          <NumberField
            label="Days for which details of calls are kept"
            hint={`${tierName(settings.tier)} lets you choose ${least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`}. Empty: what the tier gives, ${plural(byTier, 'day')}.`}
            fault={faultOf('retention_days')}
            value={days}
            onValue={setDays}
            schema={{ minimum: least, maximum: most, isNullable: true }}
          />
        )}
      </SettingsForm>
      <Table
        caption="What is kept, and for how long"
        columns={[
          { name: 'What', cell: ([what]) => what },
          { name: 'For how long', cell: ([, time]) => time },
          { name: 'Then', cell: ([, , afterwards]) => afterwards },
        ]}
        rows={retentionRows(inForce, settings.content_logging?.retention_days ?? null)}
        keyOf={([what]) => what}
      />
    </SettingsSection>
  )
}

function ShorterRetention({ from, to }: { from: number; to: number }) {
  return (
    <div class="stack">
      <p>
        Details of calls that are made from now on go after {plural(to, 'day')} in the place of {formatNumber(from)}:
        the receipt with its reason and use case, how the call ended, the steps of its approval. What is there already
        keeps the day on which it goes, so nothing is deleted today.
      </p>
      <p>
        Going back to {formatNumber(from)} later brings nothing back. Hashes stay for ever, so a receipt that somebody
        kept can still be shown to be in the log.
      </p>
      {to < LOG_DUTY_DAYS && (
        <p>
          Fewer than {LOG_DUTY_DAYS} days is less than the six months for which deployers of high-risk AI systems must
          keep logs once that applies (Regulation (EU) 2024/1689, Article 26(6)). The compliance score says so.
        </p>
      )}
    </div>
  )
}

/** Six months in days, as the compliance score counts them. */
const LOG_DUTY_DAYS = 183

type RetentionRow = readonly [what: string, time: string, afterwards: string]

const retentionRows = (days: number, contentDays: number | null): readonly RetentionRow[] => [
  [
    'Details of calls: receipts, reasons, costs of each, steps of approvals',
    plural(days, 'day'),
    'deleted; the hash stays',
  ],
  contentDays === null
    ? ['Prompts and answers', 'not kept', 'nothing to delete']
    : ['Prompts and answers', plural(contentDays, 'day'), 'deleted; the hash of what was sealed stays'],
  ['What people, keys and the operator did; readings of referrals', '30 days', 'deleted; the hash stays'],
  [
    'Answers kept to be given again: to a call that is sent again; by the cache',
    'a day; as the policy says, at most 30 days',
    'deleted',
  ],
  ['Counts of each hour', '35 days', 'deleted'],
  ['Counts of each day, by key, model and use case, and what was unusual in them', '762 days', 'deleted'],
  ['Hashes of all entries, and their tree', 'for ever', 'they say nothing by themselves'],
]
