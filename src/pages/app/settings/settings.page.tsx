// The settings page of an organisation: the list of the parts that the person's role may see, and the open one. Changes of all parts
// are saved by one bar.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { WebhookResponse } from '../../../management/notifications/notifications.schema.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { roleWithArticle } from '../../text/id-labels.ts'
import { showNames } from '../frame/frame.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, inOrganisation, organisation, useApi } from '../session.ts'
import { ContentPart } from './content.view.tsx'
import { ErasurePart } from './erasure.view.tsx'
import { LimitsPart, LoopsPart } from './limits.view.tsx'
import { OrganisationPart, RepeatsPart } from './organisation.view.tsx'
import { PartList } from './part-list.view.tsx'
import { focusPart, openPartOfHash, PART_IDS, useOpenPart, type PartId } from './parts.ts'
import { ProvidersPart } from './providers.view.tsx'
import { RetentionPart } from './retention.view.tsx'
import { SaveBar } from './save-bar.view.tsx'
import { useSettingsEditing, type Editing } from './use-settings-editing.ts'
import { WebhookPart, type TypedWebhook } from './webhook.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Stack, ListAndOpen } from '../../parts/layout.view.tsx'

/** The part that the address named by its hash, which takes the focus once it is there. */
const namedByHash = openPartOfHash()

const focusPartOfHash = (): void => focusNamed(openPartOfHash())

/** Gives the part the focus, once it is drawn. */
function focusNamed(id: PartId | null): void {
  if (id !== null) requestAnimationFrame(() => focusPart(id))
}

const SettingsPage = () => (hasPermission('settings:read') ? <WithSettings /> : <WithoutSettings />)

const ERASURE: readonly PartId[] = ['erasure']

function WithoutSettings() {
  const { role, name } = organisation()
  return (
    <BesideList list={<PartList ids={ERASURE} open="erasure" />}>
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
  const open = useOpenPart(PART_IDS)
  if (loaded.state === 'loading') {
    return (
      <BesideList list={<PartList ids={PART_IDS} open={open} />}>
        <Skeleton lines={40} />
      </BesideList>
    )
  }
  if (loaded.state === 'refused') {
    // During an erasure the service answers only requests for the erasure's state. The list of one is another list: nothing of the
    // long one moves.
    return (
      <BesideList list={<PartList key="erasure" ids={ERASURE} open="erasure" />}>
        <RefusalNotice problem={loaded.problem} onRetry={again} />
        <ErasurePart />
      </BesideList>
    )
  }
  return <Parts loaded={loaded.body} open={open} />
}

function Parts({ loaded, open }: { loaded: Settings; open: PartId }) {
  const editing = useSettingsEditing(loaded)
  const webhook = useApi<WebhookResponse>('/api/notifications')
  // What is typed for the webhook stays while another part is open.
  const [typed, setTyped] = useState<TypedWebhook | null>(null)
  const isTyped = typed !== null && typed.url !== ''
  useUnsavedWarning(isTyped)
  const { settings, mayChange } = editing
  useLayoutEffect(showNames, [settings.name])
  useLayoutEffect(() => {
    focusNamed(namedByHash)
    addEventListener('hashchange', focusPartOfHash)
    return () => removeEventListener('hashchange', focusPartOfHash)
  }, [])
  const [given] = webhook
  return (
    <BesideList
      list={
        <PartList
          ids={PART_IDS}
          open={open}
          editing={editing}
          webhook={given.state === 'answered' ? given.body : null}
          isWebhookTyped={isTyped}
        />
      }
    >
      <PageHead
        lead={`Version ${settings.version} of the settings. Each change is an entry of your log.${mayChange ? '' : ' Owners and admins make them.'}`}
      />
      {open === 'webhook' ? (
        <WebhookPart answer={webhook} mayChange={mayChange} typed={typed} onTyped={setTyped} />
      ) : open === 'erasure' ? (
        <ErasurePart key={settings.name} />
      ) : (
        <SettingsPart open={open} editing={editing} />
      )}
      <SaveBar editing={editing} />
    </BesideList>
  )
}

/** The parts that are settings. */
const SETTINGS_PARTS = {
  organisation: OrganisationPart,
  providers: ProvidersPart,
  limits: LimitsPart,
  loops: LoopsPart,
  repeats: RepeatsPart,
  retention: RetentionPart,
  content: ContentPart,
} as const

function SettingsPart({ open, editing }: { open: keyof typeof SETTINGS_PARTS; editing: Editing }) {
  const Open = SETTINGS_PARTS[open]
  return <Open key={open} editing={editing} />
}

const BesideList = ({ list, children }: { list: ComponentChildren; children: ComponentChildren }) => (
  <ListAndOpen>
    {list}
    <Stack gap={5}>{children}</Stack>
  </ListAndOpen>
)

await openPage('/app/settings', SettingsPage)
