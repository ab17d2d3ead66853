// Settings section: the providers that may receive prompts, and where their models process them.
import { useState } from 'preact/hooks'
import type { Provider } from '../../../management/providers.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { Checkboxes } from '../../parts/fields.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { plural } from '../../text/format.ts'
import { regionName, tierName } from '../../text/id-labels.ts'
import { providerLabel } from '../../../providers/provider-registry.ts'
import { listed } from '../../text/reword-text.ts'
import { useApi } from '../session.ts'
import { SettingsForm, type SectionProps, SettingsSection } from './settings-form.view.tsx'

export function ProvidersSection({ state }: SectionProps) {
  const answer = useApi<List<Provider>>('/api/providers')
  return (
    <SettingsSection id="providers">
      <p>
        The gateway sends the text of a call to the provider of its model, and only where that provider is chosen here.
        Letters that the referral service reads do not go by this choice: its two models are the operator’s.
      </p>
      <Answered answer={answer} lines={14}>
        {({ data }) => <Choice state={state} providers={data} />}
      </Answered>
    </SettingsSection>
  )
}

function Choice({ state, providers }: SectionProps & { providers: readonly Provider[] }) {
  const { settings } = state
  const [enabled, setEnabled] = useState<Provider['id'][]>(settings.enabled_providers)
  const regionsOf = new Map(providers.map(({ id, regions }) => [id, listed(regions.map(regionName))]))
  return (
    <>
      <SettingsForm id="providers" state={state} values={{ enabled_providers: enabled }}>
        {() => (
          <>
            <legend>Providers that prompts may be sent to</legend>
            <Checkboxes options={providers.map(({ id }) => id)} chosen={enabled} onChosen={setEnabled}>
              {(id) => (
                <span>
                  <strong>{providerLabel(id)}</strong> <span class="soft">processes text in {regionsOf.get(id)}</span>
                </span>
              )}
            </Checkboxes>
            <p role="status">{describeChoice(providers.filter(({ id }) => enabled.includes(id)))}</p>
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

function describeChoice(chosen: readonly Provider[]): string {
  if (chosen.length === 0) return 'With this choice text goes to nobody, and no model can be called.'
  const places = [...new Set(chosen.flatMap(({ regions }) => regions.map(regionName)))]
  const names = listed(chosen.map(({ id }) => providerLabel(id)))
  return `With this choice text may go to ${names} and to nobody else. It is processed in ${listed(places)}.`
}

type ModelsProps = { providers: readonly Provider[]; tier: Provider['models'][number]['tiers'][number] }

function Models({ providers, tier }: ModelsProps) {
  const rows = providers.flatMap(({ id: provider, models }) => models.map((model) => ({ ...model, provider })))
  return (
    <Table
      caption={plural(rows.length, 'model')}
      columns={[
        { name: 'Model', cell: ({ id }) => <code>{id}</code> },
        { name: 'Provider', cell: ({ provider }) => providerLabel(provider) },
        { name: 'Text is processed in', cell: ({ region }) => regionName(region) },
        {
          name: 'Your tier',
          cell: ({ tiers }) => (tiers.includes(tier) ? 'has it' : `comes with ${listed(tiers.map(tierName))}`),
        },
      ]}
      rows={rows}
      keyOf={({ id }) => id}
    />
  )
}
