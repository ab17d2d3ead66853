// What is asked before some changes are saved: what they refuse or shorten from then on.
import type { ComponentChildren } from 'preact'
import { retentionWarningText, SIX_MONTHS_DAYS } from '../../../policies/log-retention.policy.ts'
import { tierPlan } from '../../../policies/tier.policy.ts'
import { formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import type { Editing } from './use-settings-editing.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { Stack } from '../../parts/layout.view.tsx'

type Question = { title: string; text: ComponentChildren }

export const questionsOf = (editing: Editing): readonly Question[] =>
  [providersOff, lowerBudget, shorterRetention].flatMap((ask) => ask(editing) ?? [])

function providersOff({ settings, values }: Editing): Question | null {
  const off = settings.enabled_providers.filter((id) => !values.enabled_providers.includes(id)).map(providerLabel)
  if (off.length === 0) return null
  return {
    title: `Turn ${listed(off)} off`,
    text: <p>From the next call on, calls to models of {listed(off)} are blocked. Calls under way are not ended.</p>,
  }
}

function lowerBudget({ settings, values }: Editing): Question | null {
  const [before, after] = [settings.monthly_budget_eur, values.monthly_budget_eur]
  if (after === null || (before !== null && after >= before)) return null
  return {
    title: 'Set a lower budget',
    text: (
      <p>
        From the next call on, calls are refused once what this month has cost and what is under way come to{' '}
        {formatExactEuro(after)}. If this month has cost more already, every call that costs anything is refused until
        the next one. Calls under way are not ended.
      </p>
    ),
  }
}

function shorterRetention({ settings, values }: Editing): Question | null {
  const from = settings.limits.retention_days
  const to = values.retention_days ?? tierPlan(settings.tier).retentionDays
  if (to >= from) return null
  return {
    title: 'Keep details for a shorter time',
    text: (
      <Stack gap={2}>
        <p>
          Details of calls that are made from now on go after {plural(to, 'day')} in the place of {formatNumber(from)}:
          the record with its reason and use case, how the call ended, the steps of its approval. What is there already
          keeps the day on which it goes, so nothing is deleted today.
        </p>
        <p>
          Going back to {formatNumber(from)} later brings nothing back. Hashes stay for ever, so a record that somebody
          kept can still be shown to be in the log.
        </p>
        {to < SIX_MONTHS_DAYS && <p>{retentionWarningText({ retentionDays: to, isHighRisk: false })}</p>}
      </Stack>
    ),
  }
}
