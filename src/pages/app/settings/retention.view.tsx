// The retention of calls' details: what each period keeps and deletes, and the effect of a shorter one.
import { useState } from 'preact/hooks'
import { retentionRange, tierPlan } from '../../../policies/tier.policy.ts'
import { NumberField, numberOf, textOfNumber } from '../../parts/fields.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { tierName } from '../../text/words.ts'
import { SettingsForm, type SectionGiven, SettingsSection } from './settings-form.view.tsx'

export function RetentionSection({ state }: SectionGiven) {
  const { settings } = state
  const { least, most } = retentionRange(settings.tier)
  const byTier = tierPlan(settings.tier).retentionDays
  const [days, setDays] = useState(textOfNumber(settings.retention_days))
  const wanted = numberOf(days)
  const { retention_days: inForce } = settings.limits
  const isShorter = (wanted ?? byTier) < inForce

  return (
    <SettingsSection id="retention">
      <p>
        In force: details of calls are kept for <strong>{plural(inForce, 'day')}</strong>. From the moment that this is
        over nobody is given them. They are deleted within a day, and from archives within two.
      </p>
      <SettingsForm
        id="retention"
        state={state}
        wanted={{ retention_days: wanted }}
        question={
          isShorter
            ? { title: 'Keep details for a shorter time?', text: <Shorter from={inForce} to={wanted ?? byTier} /> }
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
        rows={keptThings(inForce, settings.content_logging?.retention_days ?? null)}
        keyOf={([what]) => what}
      />
    </SettingsSection>
  )
}

function Shorter({ from, to }: { from: number; to: number }) {
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

type Kept = readonly [what: string, time: string, afterwards: string]

const keptThings = (days: number, contentDays: number | null): readonly Kept[] => [
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
