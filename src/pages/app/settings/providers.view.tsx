// To which providers prompts may go, where their models process them, and what the choice comes to.
import { useState } from 'preact/hooks'
import type { Provider } from '../../../management/providers.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { plural } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import type { Room } from './room.ts'
import { SettingsForm } from './saving.view.tsx'
import { Section } from './section.view.tsx'
import { listed, placeName, tierName } from './words.ts'
import { providerLabel } from '../../../providers/registry.ts'

export function ProvidersSection({ room }: { room: Room }) {
  const [loaded, again] = useAnswer(
    (signal) => callIn<List<Provider>>(room.session, 'GET', '/api/providers', { signal }),
    [],
  )
  return (
    <Section id="providers">
      <p>
        The gateway sends the text of a call to the provider of its model, and only where that provider is chosen here.
        Letters that the referral service reads do not go by this choice: its two models are the operator’s.
      </p>
      {loaded.state === 'loading' && <Skeleton lines={14} />}
      {loaded.state === 'refused' && <ProblemNotice problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' && <Choice room={room} providers={loaded.body.data} />}
    </Section>
  )
}

function Choice({ room, providers }: { room: Room; providers: readonly Provider[] }) {
  const { settings } = room
  const [enabled, setEnabled] = useState<readonly Provider['id'][]>(settings.enabled_providers)
  const choose = (id: Provider['id'], isChosen: boolean): void =>
    setEnabled(isChosen ? [...enabled, id] : enabled.filter((one) => one !== id))

  return (
    <>
      <SettingsForm room={room} wanted={{ enabled_providers: [...enabled] }}>
        {() => (
          <>
            <legend>Providers that prompts may be sent to</legend>
            {providers.map(({ id, regions }) => (
              <label key={id} class="choice">
                <input
                  type="checkbox"
                  checked={enabled.includes(id)}
                  onChange={({ currentTarget: { checked } }) => choose(id, checked)}
                />
                <span>
                  <strong>{providerLabel(id)}</strong>{' '}
                  <span class="soft">processes text in {listed(regions.map(placeName))}</span>
                </span>
              </label>
            ))}
            <p role="status">{whatItMeans(providers.filter(({ id }) => enabled.includes(id)))}</p>
          </>
        )}
      </SettingsForm>
      <details>
        <summary>All models, where each processes text, and whether your tier has it</summary>
        <Models providers={providers} tier={settings.tier} />
      </details>
    </>
  )
}

function whatItMeans(chosen: readonly Provider[]): string {
  if (chosen.length === 0) return 'With this choice text goes to nobody, and no model can be called.'
  const places = [...new Set(chosen.flatMap(({ regions }) => regions.map(placeName)))]
  const names = listed(chosen.map(({ id }) => providerLabel(id)))
  return `With this choice text may go to ${names} and to nobody else. It is processed in ${listed(places)}.`
}

function Models({
  providers,
  tier,
}: {
  providers: readonly Provider[]
  tier: Provider['models'][number]['tiers'][number]
}) {
  const models = providers.flatMap(({ id: provider, models: ofProvider }) =>
    ofProvider.map((model) => ({ ...model, provider })),
  )
  return (
    <Table
      caption={plural(models.length, 'model')}
      columns={[
        { name: 'Model', cell: ({ id }) => <code>{id}</code> },
        { name: 'Provider', cell: ({ provider }) => providerLabel(provider) },
        { name: 'Text is processed in', cell: ({ region }) => placeName(region) },
        {
          name: 'Your tier',
          cell: ({ tiers }) => (tiers.includes(tier) ? 'has it' : `comes with ${listed(tiers.map(tierName))}`),
        },
      ]}
      rows={models}
      keyOf={({ id }) => id}
    />
  )
}
