// The settings of an organisation: the list of their pages, and the parts of the open one. Changes of all parts are saved by one bar.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { WebhookResponse } from '../../../management/notifications/notifications.schema.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { roleWithArticle, tierName } from '../../text/id-labels.ts'
import { showNames } from '../frame/frame.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, inOrganisation, organisation, useApi } from '../session.ts'
import { ContentPart, RetentionPart } from './content.view.tsx'
import { ErasurePart } from './erasure.view.tsx'
import { LimitsPart, LoopsPart } from './limits.view.tsx'
import { OrganisationPart, RepeatsPart, SecondFactorPart } from './organisation.view.tsx'
import type { PartProps } from './part-frame.view.tsx'
import { PAGE_IDS, readHash, useNamed, type PageId, PAGES, pageOf, showPage, MEMBERS } from './settings-members.ts'
import { ProvidersPart, useProviders } from './providers.view.tsx'
import { SaveBar } from './save-bar.view.tsx'
import { useSettingsEditing, type Editing } from './use-settings-editing.ts'
import type { TypedWebhook } from './webhook.view.tsx'
import { lazy } from '../../parts/lazy.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Stack, ListAndOpen } from '../../parts/layout.view.tsx'
import { SideList } from '../../parts/side-list.view.tsx'
import { plural } from '../../text/format.ts'
import { Badge } from '../../parts/badge.view.tsx'

const WebhookPart = lazy(30, async () => (await import('./webhook.view.tsx')).WebhookPart)

const SettingsPage = () => (hasPermission('settings:read') ? <WithSettings /> : <WithoutSettings />)

const ONLY_ERASURE: readonly PageId[] = ['organisation']

function WithoutSettings() {
  const { role, name } = organisation()
  return (
    <BesideList list={<PageList ids={ONLY_ERASURE} open="organisation" />}>
      <Remark>
        The settings of {name} are for owners, admins, developers and auditors; you are {roleWithArticle(role)}. What
        you may see of it can be <a href={inOrganisation('/app/exports?kind=organisation')}>exported</a>.
      </Remark>
      <ErasurePart />
    </BesideList>
  )
}

function WithSettings() {
  const [loaded, again] = useApi<Settings>('/api/settings')
  const { page, part } = useNamed()
  const shown = useRef(page)
  useLayoutEffect(() => {
    if (shown.current !== page && part === null) scrollTo(0, 0)
    shown.current = page
  }, [page])
  if (loaded.state === 'loading') {
    return (
      <BesideList list={<PageList ids={PAGE_IDS} open={page} />}>
        <Skeleton lines={40} />
      </BesideList>
    )
  }
  if (loaded.state === 'refused') {
    // During an erasure the service answers only requests for the erasure's state. The list of one is another list: nothing of the
    // long one moves.
    return (
      <BesideList list={<PageList key="erasure" ids={ONLY_ERASURE} open="organisation" />}>
        <RefusalNotice problem={loaded.problem} onRetry={again} />
        <ErasurePart />
      </BesideList>
    )
  }
  return <Pages loaded={loaded.body} open={page} />
}

function Pages({ loaded, open }: { loaded: Settings; open: PageId }) {
  const editing = useSettingsEditing(loaded)
  const webhook = useApi<WebhookResponse>('/api/notifications')
  // What is typed for the webhook stays while another page is open.
  const [typed, setTyped] = useState<TypedWebhook | null>(null)
  const isTyped = typed !== null && typed.url !== ''
  useUnsavedWarning(isTyped)
  const { settings, mayChange } = editing
  useLayoutEffect(showNames, [settings.name])
  const [given] = webhook
  return (
    <BesideList
      list={
        <PageList
          ids={PAGE_IDS}
          open={open}
          editing={editing}
          webhook={given.state === 'answered' ? given.body : null}
          isWebhookTyped={isTyped}
        />
      }
    >
      <PageHead
        lead={
          open === 'webhook'
            ? 'Signed messages to one address, never with the text of a call.'
            : `Version ${settings.version} of the settings. Each change is an entry of your log.${mayChange ? '' : ' Owners and admins make them.'}`
        }
      />
      {open === 'organisation' ? (
        <>
          <OrganisationPart editing={editing} />
          <SecondFactorPart editing={editing} />
          <ErasurePart />
        </>
      ) : open === 'calls' ? (
        <CallsPage editing={editing} />
      ) : open === 'data' ? (
        <>
          <RetentionPart editing={editing} />
          <ContentPart editing={editing} />
        </>
      ) : (
        <WebhookPart answer={webhook} mayChange={mayChange} typed={typed} onTyped={setTyped} />
      )}
      <SaveBar editing={editing} />
    </BesideList>
  )
}

function CallsPage({ editing }: PartProps) {
  const providers = useProviders()
  if (providers.answer[0].state === 'loading' || providers.calls === undefined) return <Skeleton lines={40} />
  return (
    <>
      <ProvidersPart editing={editing} {...providers} />
      <LimitsPart editing={editing} />
      <LoopsPart editing={editing} />
      <RepeatsPart editing={editing} />
    </>
  )
}

const BesideList = ({ list, children }: { list: ComponentChildren; children: ComponentChildren }) => (
  <ListAndOpen>
    {list}
    <Stack gap={5}>{children}</Stack>
  </ListAndOpen>
)

type Props = {
  ids: readonly PageId[]
  open: PageId
  /** Null while the settings load, and for people who may not read them. */
  editing?: Editing | null
  webhook?: WebhookResponse | null
  /** True if an address of a webhook is typed and not set. */
  isWebhookTyped?: boolean
}

function PageList({ ids, open, editing = null, webhook = null, isWebhookTyped = false }: Props) {
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

readHash()
addEventListener('hashchange', readHash)
await openPage('/app/settings', SettingsPage)
