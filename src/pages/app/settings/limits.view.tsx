// The organisation's limits of requests and costs, and when repeated requests count as a loop.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/settings'
import { NumberField, numberOf, textOfNumber } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/blocks.view.tsx'
import { formatExactEuro, formatNumber } from '../../text/format.ts'
import { tierName } from '../../text/words.ts'
import { inOrganisation } from '../session.ts'
import { SettingsForm, type SectionGiven, SettingsSection } from './settings-form.view.tsx'

export function LimitsSection({ state }: SectionGiven) {
  const { settings } = state
  const { limits, monthly_budget_eur: before } = settings
  const [budget, setBudget] = useState(textOfNumber(before))
  const [tokens, setTokens] = useState(textOfNumber(settings.default_max_tokens))
  const wanted = {
    monthly_budget_eur: numberOf(budget),
    default_max_tokens: numberOf(tokens) ?? settings.default_max_tokens,
  }
  const isLower = wanted.monthly_budget_eur !== null && (before === null || wanted.monthly_budget_eur < before)

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
        wanted={wanted}
        question={
          isLower ? { title: 'Set a lower budget?', text: <LowerBudget budget={wanted.monthly_budget_eur} /> } : null
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

/** The two kinds of loops. Each is set by a number of times and a number of seconds. */
const LOOPS = [
  ['The same request again', [['loop_repeats', 'Times'] as const, ['loop_window_seconds', 'Within seconds'] as const]],
  [
    'Two to four requests in turn',
    [['loop_cycle_rounds', 'Rounds'] as const, ['loop_cycle_window_seconds', 'Within seconds'] as const],
  ],
] as const

type LoopMember = (typeof LOOPS)[number][1][number][0]

export function LoopsSection({ state }: SectionGiven) {
  const { settings } = state
  const [texts, setTexts] = useState<Readonly<Record<LoopMember, string>>>({
    loop_repeats: textOfNumber(settings.loop_repeats),
    loop_window_seconds: textOfNumber(settings.loop_window_seconds),
    loop_cycle_rounds: textOfNumber(settings.loop_cycle_rounds),
    loop_cycle_window_seconds: textOfNumber(settings.loop_cycle_window_seconds),
  })
  const wanted = Object.fromEntries(Object.entries(texts).map(([member, text]) => [member, Number(text)]))
  return (
    <SettingsSection id="loops">
      <p>
        A program that asks the same again and again costs money and says nothing new. The request that makes it a loop
        is suppressed with 429 <code>loop_detected</code>, and so are those after it, until none of them has come for 60
        seconds. A <a href={inOrganisation('/app/policies')}>policy</a> can say otherwise for some calls.
      </p>
      <SettingsForm id="loops" state={state} wanted={wanted}>
        {(faultOf) => (
          <div class="columns">
            {LOOPS.map(([what, fields]) => (
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
