// Part of the settings: the providers that may receive prompts, each with the places that they are routed to, its models and its calls.
import type { Provider, ProviderRoute } from '../../../management/providers.schema.ts'
import type { Costs } from '../analytics/chart-data.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import type { LoadedAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Switch } from '../../parts/switch.view.tsx'
import { plural } from '../../text/format.ts'
import { placeNames, routesOf } from '../../text/id-labels.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { capitalised, listed } from '../../text/reword-text.ts'
import { hasPermission, hasTierFeature, inOrganisation, useApi, useCounts } from '../session.ts'
import { changedMark, Part, type PartProps } from './part-frame.view.tsx'
import { PlainList, CardFoot, SignRow } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { OnlyRead, Note } from '../../parts/layout.view.tsx'
import { dayFromToday } from '../../text/day.ts'

type Calls = ReadonlyMap<string, number> | null

/** What the part is drawn from, loaded by its page: nothing below it moves. */
export type LoadedProviders = { answer: LoadedAnswer<List<Provider>>; calls: Calls | undefined }

export const useProviders = (): LoadedProviders => ({
  answer: useApi<List<Provider>>('/api/providers'),
  calls: useCallsByModel(),
})

export function ProvidersPart({ editing, answer, calls = null }: PartProps & LoadedProviders) {
  return (
    <Part id="providers">
      <Answered answer={answer} lines={0}>
        {({ data }) => (
          <>
            <PlainList>
              {data.map((provider) => (
                <ProviderLine key={provider.id} provider={provider} all={data} editing={editing} calls={calls} />
              ))}
            </PlainList>
            <CardFoot role="status">
              {describeChoice(data.filter(({ id }) => editing.values.enabled_providers.includes(id)))} Letters for the
              two readers do not use this list.{' '}
              {hasTierFeature('compliance_report') && hasPermission('audit:read') && (
                <>
                  <a href={inOrganisation('/app/policies#data_region')}>The policy’s data region</a> can keep calls in
                  Europe
                  {data.some((one) => routesOf(one).some(isInEurope)) ? '.' : '; no provider here has a route there.'}
                </>
              )}
            </CardFoot>
          </>
        )}
      </Answered>
    </Part>
  )
}

type LineProps = PartProps & {
  provider: Provider
  all: readonly Provider[]
  calls: Calls
}

function ProviderLine({ provider, all, editing, calls }: LineProps) {
  const { id, models } = provider
  const routes = routesOf(provider)
  const { settings, values, mayChange, edit } = editing
  const chosen = values.enabled_providers
  const isOn = chosen.includes(id)
  // Calls are counted by model. A model that two providers serve counts at the first one that is on.
  const isAskedFirst = (model: string): boolean =>
    all.find((one) => chosen.includes(one.id) && one.models.some(({ id: name }) => name === model))?.id === id
  const isChanged = isOn !== settings.enabled_providers.includes(id)
  const [own, others] = [true, false].map((isOwn) =>
    models.filter(({ tiers }) => tiers.includes(settings.tier) === isOwn).map((model) => model.id),
  )
  const places = listed(placeNames(routes).map(atBegin))
  const count = models.reduce((sum, model) => sum + (isAskedFirst(model.id) ? (calls?.get(model.id) ?? 0) : 0), 0)
  return (
    <SignRow
      title={
        <>
          <strong>{providerLabel(id)}</strong>{' '}
          {routes.some((route) => route.places === null) ? <Badge tone="warn">{places}</Badge> : <Note>{places}</Note>}{' '}
          {isChanged && changedMark(editing, 'enabled_providers')}
        </>
      }
      about={[
        own?.join(', '),
        others !== undefined && others.length > 0 && `Not in your tier: ${others.join(', ')}`,
        calls !== null && count > 0 && `${plural(count, 'call')} in 30 days`,
      ]
        .filter(Boolean)
        .join('. ')}
    >
      {mayChange ? (
        <Switch
          isOn={isOn}
          onSwitch={(isChosen) =>
            edit({ enabled_providers: isChosen ? [...chosen, id] : chosen.filter((one) => one !== id) })
          }
        >
          <OnlyRead>{providerLabel(id)}</OnlyRead>
        </Switch>
      ) : (
        <span>{isOn ? 'On' : 'Off'}</span>
      )}
    </SignRow>
  )
}

const isInEurope = ({ data_region: region, configured }: ProviderRoute): boolean => configured && region !== 'any'

/** Returns the name of places for the begin of a line. */
const atBegin = (places: string): string => capitalised(places.replace(/^the /, ''))

const namesOf = (some: readonly Provider[]): string => listed(some.map(({ id }) => providerLabel(id)))

function describeChoice(chosen: readonly Provider[]): string {
  if (chosen.length === 0) return 'With this choice text goes to nobody, and no model can be called.'
  const choosers = chosen.filter((one) => routesOf(one).some(({ places }) => places === null))
  const places =
    choosers.length === 0
      ? placeNames(chosen.flatMap(routesOf)).join(', or ')
      : `any country, because ${namesOf(choosers)} ${choosers.length === 1 ? 'chooses' : 'choose'}`
  return `With this choice text may go to ${namesOf(chosen)} and to nobody else. It may be routed to ${places}.`
}

/** Returns the calls of 30 days by model, null where tier or role has none, undefined while they load. */
function useCallsByModel(): Calls | undefined {
  const [loaded] = useCounts<Costs>('costs', { start: dayFromToday(-29), bucket: 'total', group_by: 'model' })
  if (loaded.state === 'loading') return undefined
  if (loaded.state === 'refused' || loaded.body === null) return null
  return new Map(loaded.body.data.map(({ model, requests }) => [model ?? '', requests]))
}
