// The list of the parts beside the open one, each with a word about its state.
import type { WebhookResponse } from '../../../management/notifications/notifications.schema.ts'
import { LOOP_DEFAULTS } from '../../../policies/loops.policy.ts'
import { SideList } from '../../parts/side-list.view.tsx'
import { plural } from '../../text/format.ts'
import { organisation } from '../session.ts'
import { openPart, PARTS, type PartId } from './parts.ts'
import { MEMBERS, membersOf, type Values } from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Badge } from '../../parts/badge.view.tsx'

type Props = {
  ids: readonly PartId[]
  open: PartId
  /** Null while the settings load, and for people who may not read them. */
  editing?: Editing | null
  webhook?: WebhookResponse | null
  /** True if an address of a webhook is typed and not set. */
  isWebhookTyped?: boolean
}

export function PartList({ ids, open, editing = null, webhook = null, isWebhookTyped = false }: Props) {
  const changed = new Set<PartId>(editing?.changes.map((name) => MEMBERS[name].part))
  if (isWebhookTyped) changed.add('webhook')
  const words: Partial<Record<PartId, string>> = {
    ...(editing !== null && wordsOf(editing.settings)),
    ...(webhook !== null && { webhook: WEBHOOK_WORDS[webhook.state] }),
    ...(organisation().erasure !== null && { erasure: 'Asked for' }),
  }
  const stateOf = (id: PartId): string => (changed.has(id) ? 'Changed' : (words[id] ?? ''))
  return (
    <SideList
      label="Settings"
      parameter="part"
      open={open}
      onOpen={openPart}
      items={ids.map((id) => ({
        id,
        name: PARTS[id],
        state: stateOf(id),
        ...(changed.has(id) && { mark: <Badge tone="changed">{stateOf(id)}</Badge> }),
        ...(id === 'erasure' && { isLoss: true }),
      }))}
    />
  )
}

/** The state of each part that has one worth a word. */
const wordsOf = (settings: Values): Partial<Record<PartId, string>> => ({
  providers: settings.enabled_providers.length === 0 ? 'None' : `${settings.enabled_providers.length} on`,
  limits: settings.monthly_budget_eur === null ? 'No budget' : '',
  loops: hasDefaultLoops(settings) ? 'Default' : '',
  repeats: membersOf('repeats').some((name) => settings[name] === true) ? 'On' : 'Off',
  retention: plural(settings.limits.retention_days, 'day'),
  content: settings.content_logging === null ? 'Not kept' : plural(settings.content_logging.retention_days, 'day'),
})

const hasDefaultLoops = (settings: Values): boolean =>
  settings.loop_repeats === LOOP_DEFAULTS.repeats &&
  settings.loop_window_seconds === LOOP_DEFAULTS.repeatWindowMs / 1000 &&
  settings.loop_cycle_rounds === LOOP_DEFAULTS.cycleRepeats &&
  settings.loop_cycle_window_seconds === LOOP_DEFAULTS.cycleWindowMs / 1000

const WEBHOOK_WORDS = { off: 'None', on: 'On', disabled: 'Disabled' } as const
