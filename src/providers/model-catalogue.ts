// The models that this deployment offers and the routes to each, from data/models.json. They are parsed at first use, to keep
// start-up fast. A file that does not fit its schema fails the first request, and a test before that.
import { sha256Hex } from '../platform/sha256.ts'
import {
  CatalogueSchema,
  type Capabilities,
  type GoneModel,
  type ModelEntry,
  type Prices,
  type PricesOverTime,
  type RouteEntry,
  type TokenPrices,
} from './catalogue.schema.ts'
import { dataRegionOf } from '../platform/data-region.ts'
import type { RoutedModel } from './provider.ts'
import { endpointNamed, providerNamed, type Endpoint } from './provider-registry.ts'
import { withoutDay } from './served-model.ts'

import catalogueFile from '../../data/models.json' with { type: 'json' }

/** A model as one of its routes serves it, with the route's endpoint. */
export type Model = RoutedModel & Readonly<Pick<Endpoint, 'provider'>> & { readonly endpoint: Endpoint['id'] }

type Catalogue = {
  readonly routes: ReadonlyMap<string, Routes>
  /** The id of the model that an id or a route's name for a model means; null if two models share the name. */
  readonly ids: ReadonlyMap<string, string | null>
  readonly gone: ReadonlyMap<string, GoneModel>
}

type Routes = readonly [Model, ...Model[]]

let catalogue: Catalogue | undefined

function readCatalogue(): Catalogue {
  if (catalogue !== undefined) return catalogue
  const { models, gone } = CatalogueSchema().parse(catalogueFile)
  return (catalogue = {
    routes: new Map(models.map((entry) => [entry.id, routesOfEntry(entry)])),
    ids: idsByName(models),
    gone: new Map(gone.map((model) => [model.id, model])),
  })
}

function idsByName(models: readonly ModelEntry[]): Map<string, string | null> {
  const ids = new Map<string, string | null>()
  for (const {
    id,
    routes: [{ wireModel }],
  } of models)
    ids.set(wireModel, ids.has(wireModel) ? null : id)
  for (const { id } of models) ids.set(id, id)
  return ids
}

function routesOfEntry({ routes: [first, ...rest], prices, ...model }: ModelEntry): Routes {
  const expand = (route: RouteEntry): Model => expandRoute(model, prices, route)
  return [expand(first), ...rest.map(expand)]
}

function expandRoute(
  model: Omit<ModelEntry, 'routes' | 'prices'>,
  listPrices: PricesOverTime,
  { endpoint: name, wireModel, preset, schemaAs, capabilities, places, promise, surchargePercent = 0 }: RouteEntry,
): Model {
  const { id: endpoint, provider } = endpointNamed(name)
  const { sends = {} } = providerNamed(provider).verbs.chat
  const [first, ...later] = listPrices
  const raise = (prices: Prices): Prices => raisePrices(prices, surchargePercent)
  return {
    ...model,
    endpoint,
    provider,
    wire: { model: wireModel, preset, schemaAs, sends },
    places,
    dataRegion: dataRegionOf(places),
    promise,
    capabilities: narrow(model.capabilities, capabilities),
    prices: surchargePercent === 0 ? listPrices : [raise(first), ...later.map(raise)],
  }
}

function narrow(capabilities: Capabilities, changes: RouteEntry['capabilities']): Capabilities
function narrow(capabilities: object, changes: object = {}): object {
  return { ...capabilities, ...changes }
}

/** Returns the prices with a surcharge, each rounded up to a micro-dollar. */
function raisePrices({ usdPerMillion, longContext, ...more }: Prices, percent: number): Prices {
  const raise = (price: number): number => Math.ceil((price * (100 + percent)) / 100)
  const raiseAll = ({ input, cachedInput, cacheWrite, cacheWriteHour, output }: TokenPrices): TokenPrices => ({
    input: raise(input),
    cachedInput: raise(cachedInput),
    cacheWrite: raise(cacheWrite),
    cacheWriteHour: raise(cacheWriteHour),
    output: raise(output),
  })
  const raisedContext = longContext && { ...longContext, usdPerMillion: raiseAll(longContext.usdPerMillion) }
  return { ...more, usdPerMillion: raiseAll(usdPerMillion), longContext: raisedContext }
}

/** Returns each model once, as its preferred route serves it. */
export const catalogueModels = (): Model[] => [...readCatalogue().routes.values()].map(([preferred]) => preferred)

export const catalogueRoutes = (): Model[] => [...readCatalogue().routes.values()].flat()

/** Returns the routes of a model, the preferred one first; none if the catalogue does not have the model. */
export const findRoutes = (id: string): readonly Model[] => readCatalogue().routes.get(id) ?? []

/** Returns the model as its preferred route serves it; null if the catalogue does not have it. */
export const findModel = (id: string): Model | null => findRoutes(id)[0] ?? null

/**
 * Returns the id of the model that a caller's name means; null if it means none. A name is an id or the preferred
 * route's name for the model. A date may follow it, and its owner or that route's provider may precede it:
 * `openai/gpt-4.1-mini-2025-04-14`.
 */
export function resolveModelName(name: string): string | null {
  const id = idOfDated(name)
  if (id !== null) return id
  const slash = name.indexOf('/')
  const owner = name.slice(0, slash)
  const owned = slash === -1 ? null : idOfDated(name.slice(slash + 1))
  const model = findModel(owned ?? '')
  return model !== null && [model.ownedBy, model.provider].includes(owner) ? owned : null
}

function idOfDated(name: string): string | null {
  const { ids } = readCatalogue()
  const undated = withoutDay(name)
  return ids.get(name) ?? (withoutDay(undated) === undated ? ids.get(undated) : null) ?? null
}

/** A longer name can differ in more places from the one that was meant. */
const CHARACTERS_PER_EDIT = 4
const MOST_EDITS = 3

/** Returns the id of the gateway's model that an unknown name is closest to; null if none is close. */
export function nearestModel(name: string): string | null {
  const wanted = withoutDay(name.slice(name.indexOf('/') + 1)).toLowerCase()
  let nearest: string | null = null
  let limit = Math.min(MOST_EDITS, Math.floor(wanted.length / CHARACTERS_PER_EDIT)) + 1
  for (const { id } of catalogueModels().filter(({ gateway }) => gateway)) {
    if (Math.abs(id.length - wanted.length) >= limit) continue
    const edits = countEdits(wanted, id)
    if (edits < limit) [nearest, limit] = [id, edits]
  }
  return nearest
}

/** Counts the characters to add, remove or replace to make one text the other (the Levenshtein distance). */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, character] of Array.from(one).entries()) {
    const next = [at + 1]
    for (const [column, wanted] of Array.from(other).entries()) {
      const [diagonal = 0, above = 0] = row.slice(column, column + 2)
      next.push(Math.min(diagonal + (character === wanted ? 0 : 1), above + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Returns the model that the catalogue had under this name and has no more, with its replacement; null if it had none. */
export function findGoneModel(id: string): GoneModel | null {
  return readCatalogue().gone.get(id) ?? null
}

/** Returns the prices at a time. The schema has them cover all time. @param at Unix milliseconds */
export function pricesAt({ prices: [first, ...later] }: Pick<Model, 'prices'>, at: number): Prices {
  return later.findLast(({ from }) => from !== null && from <= at) ?? first
}

/** Returns the SHA-256 of the catalogue as JSON without blanks, in 64 hex digits. Settlements name it. */
export function catalogueSha256(): string {
  return (catalogueHash ??= sha256Hex(JSON.stringify(catalogueFile)))
}

let catalogueHash: string | undefined
