// The settings of an organisation: as much of them as somebody's role may see.
import { useEffect, useState } from 'preact/hooks'
import { may } from '../../../accounts/access/roles.policy.ts'
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Membership, Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { callIn } from '../call-in.ts'
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
  if (organisation === null) {
    return (
      <Empty
        title="You are in no organisation"
        action={
          <a class="button first" href="/app/organisation">
            Found an organisation
          </a>
        }
      >
        Settings belong to an organisation. Found one, or ask an owner of yours for an invitation.
      </Empty>
    )
  }
  if (!may(organisation.role, 'settings:read')) return <WithoutSettings session={session} organisation={organisation} />
  return <WithSettings session={session} organisation={organisation} />
}

type Given = { session: Session; organisation: Membership }

function WithoutSettings({ session, organisation }: Given) {
  return (
    <>
      <Contents ids={['export', 'erasure']} />
      <p class="notice">
        As {organisation.role} you may export what you may see of {organisation.name}. Its settings are for owners,
        admins, developers and auditors.
      </p>
      <ExportSection session={session} organisation={organisation} />
      <ErasureSection session={session} organisation={organisation} />
    </>
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

function Loaded({ session, organisation, answered, reload }: Given & { answered: Settings; reload: () => void }) {
  const [settings, setSettings] = useState(answered)
  useEffect(showAnchor, [])

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
    <>
      <Contents ids={Object.keys(SECTIONS).filter(isSection)} />
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
    </>
  )
}

const isSection = (id: string): id is SectionId => Object.hasOwn(SECTIONS, id)

/** The anchor of the address came before what it names. */
function showAnchor(): void {
  document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

function Contents({ ids }: { ids: readonly SectionId[] }) {
  return (
    <nav aria-label="Settings" class="no-print">
      <ul class="row plain">
        {ids.map((id) => (
          <li key={id}>
            <a href={`#${id}`}>{SECTIONS[id]}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
