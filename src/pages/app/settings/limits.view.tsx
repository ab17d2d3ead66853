// How much the organisation may ask and spend.
import { useState } from 'preact/hooks'
import { inOrganisation } from '../../api/session.ts'
import { formatExactEuro, formatNumber } from '../../text/format.ts'
import { NumberField, numberOf, textOfNumber } from './number-field.view.tsx'
import type { Room } from './room.ts'
import { SettingsForm } from './saving.view.tsx'
import { Section } from './section.view.tsx'
import { tierName } from './words.ts'

export function LimitsSection({ room }: { room: Room }) {
  const { settings, session } = room
  const { limits } = settings
  const [budget, setBudget] = useState(textOfNumber(settings.monthly_budget_eur))
  const [tokens, setTokens] = useState(textOfNumber(settings.default_max_tokens))
  const wanted = {
    monthly_budget_eur: numberOf(budget),
    default_max_tokens: numberOf(tokens) ?? settings.default_max_tokens,
  }
  const { monthly_budget_eur: before } = settings
  const isLower = wanted.monthly_budget_eur !== null && (before === null || wanted.monthly_budget_eur < before)

  return (
    <Section id="limits">
      <p>
        All keys together, by the tier {tierName(settings.tier)} and by what the operator has set. A key can have lower
        limits of its own: <a href={inOrganisation(session, '/app/keys')}>keys</a>.
      </p>
      <dl class="facts">
        <dt>Requests a minute</dt>
        <dd>{formatNumber(limits.requests_per_minute)}</dd>
        <dt>Requests a month</dt>
        <dd>{formatNumber(limits.requests_per_month)}</dd>
        <dt>Models</dt>
        <dd>{limits.models === 'all' ? 'all of the catalogue' : 'the cost-effective ones'}</dd>
      </dl>
      <SettingsForm
        room={room}
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
              onInput={setBudget}
              least={0}
              most={1_000_000_000}
              step="any"
              isRequired={false}
            />
            <NumberField
              label="Tokens that a model may write where a request does not say"
              hint="Sent to the provider as its limit, and held in the budget until the call is settled."
              fault={faultOf('default_max_tokens')}
              value={tokens}
              onInput={setTokens}
              least={1}
              most={1_000_000}
            />
          </>
        )}
      </SettingsForm>
    </Section>
  )
}

function LowerBudget({ budget }: { budget: number | null }) {
  return (
    <p>
      From the next call on, calls are refused once what this month has cost and what is under way come to{' '}
      {formatExactEuro(budget ?? 0)}. If this month has cost more already, every call that costs anything is refused
      until the next one. Calls that are under way are not ended.
    </p>
  )
}
