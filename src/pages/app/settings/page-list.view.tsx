// The list of the pages beside the open one, each with a word about its state.
import type { WebhookResponse } from '../../../management/notifications/notifications.schema.ts'
import { SideList } from '../../parts/side-list.view.tsx'
import { plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { organisation } from '../session.ts'
import { PAGES, pageOf, showPage, type PageId } from './parts.ts'
import { MEMBERS } from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Badge } from '../../parts/badge.view.tsx'

type Props = {
  ids: readonly PageId[]
  open: PageId
  /** Null while the settings load, and for people who may not read them. */
  editing?: Editing | null
  webhook?: WebhookResponse | null
  /** True if an address of a webhook is typed and not set. */
  isWebhookTyped?: boolean
}

export function PageList({ ids, open, editing = null, webhook = null, isWebhookTyped = false }: Props) {
  const changed = new Set<PageId>(editing?.changes.map((name) => pageOf(MEMBERS[name].part)))
  if (isWebhookTyped) changed.add('webhook')
  const words: Partial<Record<PageId, string>> = {
    ...(editing !== null && {
      organisation: tierName(editing.settings.tier),
      calls: plural(editing.settings.enabled_providers.length, 'provider'),
      data: plural(editing.settings.limits.retention_days, 'day'),
    }),
    ...(organisation().erasure !== null && { organisation: 'To be erased' }),
    ...(webhook !== null && { webhook: WEBHOOK_WORDS[webhook.state] }),
  }
  const stateOf = (id: PageId): string => (changed.has(id) ? 'Changed' : (words[id] ?? ''))
  return (
    <SideList
      label="Settings"
      parameter="part"
      open={open}
      onOpen={showPage}
      items={ids.map((id) => ({
        id,
        name: PAGES[id].name,
        state: stateOf(id),
        ...(changed.has(id) && { mark: <Badge tone="changed">{stateOf(id)}</Badge> }),
      }))}
    />
  )
}

const WEBHOOK_WORDS = { off: 'None', on: 'On', disabled: 'Disabled' } as const
