// The settings page of an organisation, with the sections that the person's role may see.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import { refusalOf, type Problem } from '../../api/send-request.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { showNames } from '../frame/frame.view.tsx'
import { scrollToHash, openPage } from '../open-page.tsx'
import { callApi, hasPermission, inOrganisation, organisation, renameOrganisation, useApi } from '../session.ts'
import { ContentSection } from './content.view.tsx'
import { ErasureSection } from './erasure.view.tsx'
import { LimitsSection, LoopsSection, RetentionSection } from './limits.view.tsx'
import { OrganisationSection, CacheAndReplaysSection } from './organisation.view.tsx'
import { ProvidersSection } from './providers.view.tsx'
import { SECTIONS, type SectionId, type SettingsState } from './settings-form.view.tsx'
import { WebhookSection } from './webhook.view.tsx'

const SettingsPage = () => (hasPermission('settings:read') ? <WithSettings /> : <WithoutSettings />)

function WithoutSettings() {
  const { role, name } = organisation()
  return (
    <WithSectionMenu ids={['erasure']}>
      <p class="notice">
        The settings of {name} are for owners, admins, developers and auditors; you are {role}. What you may see of it
        can be <a href={inOrganisation('/app/exports')}>exported</a>.
      </p>
      <ErasureSection />
    </WithSectionMenu>
  )
}

function WithSettings() {
  const [loaded, again] = useApi<Settings>('/api/settings')
  if (loaded.state === 'loading') return <Skeleton lines={40} />
  if (loaded.state === 'refused') {
    // During an erasure the service answers only requests for the erasure's state.
    return (
      <>
        <RefusalNotice problem={loaded.problem} onRetry={again} />
        <ErasureSection />
      </>
    )
  }
  // The key resets the forms when the settings' version changes.
  return <AllSections key={loaded.body.version} answered={loaded.body} reload={again} />
}

function AllSections({ answered, reload }: { answered: Settings; reload: () => void }) {
  const [settings, setSettings] = useState(() => withNameShown(answered))
  // After a reload the page is already open, so nothing else scrolls to the section in the URL.
  useLayoutEffect(scrollToHash, [])
  useLayoutEffect(showNames, [settings.name])

  const change = (values: UpdateSettings): Promise<Problem | null> => {
    const body = { ...values, if_version: settings.version }
    return refusalOf(callApi<Settings>('PATCH', '/api/settings', { body }), (changed) =>
      setSettings(withNameShown(changed)),
    )
  }
  const mayChange = hasPermission('settings:change')
  const state: SettingsState = { settings, mayChange, change, reload }

  return (
    <WithSectionMenu ids={Object.keys(SECTIONS).filter(isSection)}>
      {!mayChange && (
        <p class="notice">As {organisation().role} you may look at the settings. Owners and admins change them.</p>
      )}
      <OrganisationSection state={state} />
      <ProvidersSection state={state} />
      <LimitsSection state={state} />
      <LoopsSection state={state} />
      <CacheAndReplaysSection state={state} />
      <RetentionSection state={state} />
      <ContentSection state={state} />
      <WebhookSection mayChange={mayChange} />
      <ErasureSection />
    </WithSectionMenu>
  )
}

/** Shows the organisation's name from the settings everywhere on the page. */
function withNameShown(settings: Settings): Settings {
  renameOrganisation(settings.name)
  return settings
}

const isSection = (id: string): id is SectionId => Object.hasOwn(SECTIONS, id)

const WithSectionMenu = ({ ids, children }: { ids: readonly SectionId[]; children: ComponentChildren }) => (
  <div class="guided">
    <nav aria-label="Settings" class="no-print">
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <a href={`#${id}`}>{SECTIONS[id]}</a>
          </li>
        ))}
        {hasPermission('keys:read') && (
          <li>
            <a href={inOrganisation('/app/keys')}>API keys</a>
          </li>
        )}
      </ul>
    </nav>
    <div class="stack-l">{children}</div>
  </div>
)

await openPage('/app/settings', SettingsPage)
