// The settings of an organisation: as much of them as somebody's role may see.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { may } from '../../../accounts/access/roles.policy.ts'
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import type { Problem } from '../../api/call.ts'
import { inOrganisation, type Membership, type Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { callIn } from '../call-in.ts'
import { showWho } from '../frame/frame.client.tsx'
import { mayIn } from '../may-in.ts'
import { openNamed } from '../open-named.ts'
import { NoOrganisation } from '../no-organisation.view.tsx'
import { ContentSection } from './content.view.tsx'
import { ErasureSection } from './erasure.view.tsx'
import { ExportSection } from './export.view.tsx'
import { LimitsSection } from './limits.view.tsx'
import { LoopsSection } from './loops.view.tsx'
import { OrganisationSection } from './organisation.view.tsx'
import { ProvidersSection } from './providers.view.tsx'
import { RepeatsSection } from './repeats.view.tsx'
import { RetentionSection } from './retention.view.tsx'
import type { Room } from './room.ts'
import { SECTIONS, type SectionId } from './section.view.tsx'
import { WebhookSection } from './webhook.view.tsx'

export function SettingsPage({ session }: { session: Session }) {
  const { organisation } = session
  if (organisation === null) return <NoOrganisation session={session} />
  if (!may(organisation.role, 'settings:read')) return <WithoutSettings session={session} organisation={organisation} />
  return <WithSettings session={session} organisation={organisation} />
}

type Given = { session: Session; organisation: Membership }

function WithoutSettings({ session, organisation }: Given) {
  return (
    <Guided session={session} ids={['export', 'erasure']}>
      <p class="notice">
        As {organisation.role} you may export what you may see of {organisation.name}. Its settings are for owners,
        admins, developers and auditors.
      </p>
      <ExportSection session={session} organisation={organisation} />
      <ErasureSection session={session} organisation={organisation} />
    </Guided>
  )
}

function WithSettings({ session, organisation }: Given) {
  const [loaded, again] = useAnswer(
    (signal) => callIn<Settings>(session, 'GET', '/api/settings', { signal }),
    [organisation.id],
  )
  if (loaded.state === 'loading') return <Skeleton lines={40} />
  if (loaded.state === 'refused') {
    // While an erasure runs, where it stands is all that is answered.
    return (
      <>
        <ProblemNotice problem={loaded.problem} onRetry={again} />
        <ErasureSection session={session} organisation={organisation} />
      </>
    )
  }
  const { body } = loaded
  // What the forms show begins anew with settings that were loaded again.
  return <Loaded key={body.version} session={session} organisation={organisation} answered={body} reload={again} />
}

function Loaded({ session: opened, answered, reload, ...given }: Given & { answered: Settings; reload: () => void }) {
  const [settings, setSettings] = useState(answered)
  const organisation = { ...given.organisation, name: settings.name }
  const session = { ...opened, organisation }
  // The page is open already where the settings were loaded again.
  useLayoutEffect(openNamed, [])
  useLayoutEffect(() => showWho(session), [settings.name])

  const change = async (wanted: UpdateSettings): Promise<Problem | null> => {
    const body = { ...wanted, if_version: settings.version }
    const answer = await callIn<Settings>(session, 'PATCH', '/api/settings', { body })
    if (answer.outcome === 'refused') return answer.problem
    setSettings(answer.body)
    return null
  }
  const mayChange = may(organisation.role, 'settings:change')
  const room: Room = { session, organisation, settings, mayChange, change, reload }

  return (
    <Guided session={session} ids={Object.keys(SECTIONS).filter(isSection)}>
      {!mayChange && (
        <p class="notice">As {organisation.role} you may look at the settings. Owners and admins change them.</p>
      )}
      <OrganisationSection room={room} />
      <ProvidersSection room={room} />
      <LimitsSection room={room} />
      <LoopsSection room={room} />
      <RepeatsSection room={room} />
      <RetentionSection room={room} />
      <ContentSection room={room} />
      <WebhookSection room={room} />
      <ExportSection session={session} organisation={organisation} />
      <ErasureSection session={session} organisation={organisation} />
    </Guided>
  )
}

const isSection = (id: string): id is SectionId => Object.hasOwn(SECTIONS, id)

type GuidedGiven = { session: Session; ids: readonly SectionId[]; children: ComponentChildren }

function Guided({ session, ids, children }: GuidedGiven) {
  return (
    <div class="guided">
      <nav aria-label="Settings" class="no-print">
        <ul>
          {ids.map((id) => (
            <li key={id}>
              <a href={`#${id}`}>{SECTIONS[id]}</a>
            </li>
          ))}
          {mayIn(session, 'keys:read') && (
            <li>
              <a href={inOrganisation(session, '/app/keys')}>API keys</a>
            </li>
          )}
        </ul>
      </nav>
      <div class="stack-l">{children}</div>
    </div>
  )
}
