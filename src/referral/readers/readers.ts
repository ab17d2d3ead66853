// Asks the two readers of a live reading: models of two providers that get the same question independently.
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import type { Config } from '../../platform/config.ts'
import type { DataRegion } from '../../platform/data-region.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import { readEurRate, picousdToMicroeur, type EurRate } from '../../providers/call-cost.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { systemRuntime, type Runtime } from '../../providers/http-exchange.ts'
import type { EndpointsSettings } from '../../providers/endpoint-settings.ts'
import type { RefusedAccess } from '../../providers/provider-client.ts'
import type { TwoProblems } from '../decision.policy.ts'
import type { Reading } from '../read.schema.ts'
import { readerPrompt, type ReaderPrompt } from './reader-prompt.ts'
import { chooseReaderRoutes, regionOfBoth } from './reader-routes.ts'
import {
  planRequests,
  takeSamples,
  mostSamplesPicousd,
  type Reader,
  type RequestSamples,
  type SamplingContext,
} from './take-samples.ts'
import { findsTwoProblems, tally, type Sample, canReadingChange } from './tally-samples.policy.ts'
import { withHeaderSlots, startDeadline, type ReadingDeadline } from './reading-limits.ts'

export type LiveReading = {
  readers: [Reading, Reading]
  /** Reader A first, then Reader B. */
  twoProblems: TwoProblems
  /** Milliseconds to each sample or failure, Reader A's first. */
  timings: [number[], number[]]
  /** The models that the endpoints named, each once, Reader A's first. */
  servedModels: [string[], string[]]
  costMicroeur: number
  /** True if a part of the cost is an estimate. */
  costEstimated: boolean
  /** Each reader whose provider rejected this deployment's key, account or model name, with the reason. */
  refusedAccess: readonly (readonly [Model, RefusedAccess])[]
}

export type PreparedReading = { mostMicroeur: number; read(): Promise<LiveReading> }

export type Readers = {
  models: [string, string]
  providers: [string, string]
  /** Where each reader's requests are sent. `places` null: the provider does not say. */
  routes: [SentTo, SentTo]
  /** The narrowest region that has both routes. */
  dataRegion: DataRegion
  /** The rate from dollars to euro. */
  eurPerUsd: Config['eurPerUsd']
  /** Returns the maximum cost at the prices of now, and `read`, which costs these. Nothing is sent before `read` is called. */
  prepareReading(question: { text: string; specialties: ReadonlySet<string> }): PreparedReading
  /** Returns the hash of the readers' rules, list of specialties and answer schema, which are the same for every letter. */
  promptHash(specialties: ReadonlySet<string>): string
}

type SentTo = { route: string; host: string; places: string[] | null }

type Settings = Pick<Config, 'readers' | 'eurPerUsd'> & { endpoints: EndpointsSettings; runtime?: Runtime }

/**
 * Returns null if a reader has no route with a key inside the region for letters. Throws ConfigError for a malformed rate, and as
 * `chooseReaderRoutes` does.
 */
export function createReaders(settings: Settings): Readers | null {
  const { runtime = systemRuntime, readers: configured } = settings
  const rate = readEurRate(settings.eurPerUsd.rate)
  const [modelA, modelB] = chooseReaderRoutes(configured, settings.endpoints)
  const a = { model: modelA, provider: settings.endpoints[modelA.endpoint] }
  const b = { model: modelB, provider: settings.endpoints[modelB.endpoint] }
  if (!hasKey(a) || !hasKey(b)) return null
  const { samples, timeLimitMs, graceMs } = configured
  return joinReaders({ a, b, rate, eurPerUsd: settings.eurPerUsd, samples, timeLimitMs, graceMs, runtime })
}

type Started = Promise<RequestSamples>

/** One reader's requests before they are sent, and the samples that have arrived. */
type ReaderRequests = { arrived: readonly Sample[]; first: (() => Started)[]; rest: (() => Started)[] }

type ReaderPair = {
  a: Reader
  b: Reader
  rate: EurRate
  eurPerUsd: Config['eurPerUsd']
  samples: number
  timeLimitMs: number
  graceMs: number
  runtime: Runtime
}

function joinReaders({ a, b, rate, eurPerUsd, samples, timeLimitMs, graceMs, runtime }: ReaderPair): Readers {
  const canChange = (arrived: readonly Sample[]): boolean => canReadingChange(arrived, samples - arrived.length)

  function prepareRequests(reader: Reader, context: SamplingContext, onSamples: () => void): ReaderRequests {
    const arrived: Sample[] = []
    const prepare = (count: number) => async () => {
      const taken = await takeSamples(reader, count, context)
      arrived.push(...taken.samples)
      onSamples()
      return taken
    }
    const { first, rest } = planRequests(samples, reader.model)
    return { arrived, first: first.map(prepare), rest: rest.map(prepare) }
  }

  /** Sends the rest of a reader's requests if its first ones are answered, or late, and the rest can still change its reading. */
  async function finish({ arrived, rest }: ReaderRequests, first: readonly Started[], { halfway }: ReadingDeadline) {
    await Promise.race([Promise.all(first), halfway])
    return Promise.all([...first, ...(canChange(arrived) ? rest.map((start) => start()) : [])])
  }

  async function read(prompt: ReaderPrompt, published: ReadonlySet<string>, at: number): Promise<LiveReading> {
    const deadline = startDeadline(timeLimitMs, runtime)
    const context = { prompt, at, published, deadline, runtime: { ...runtime, fetch: withHeaderSlots(runtime.fetch) } }
    // A reader that cannot change asks for no more samples.
    const onSamples = (): void => {
      if (!canChange(toA.arrived) && !canChange(toB.arrived)) deadline.passWithin(graceMs)
    }
    const toA = prepareRequests(a, context, onSamples)
    const toB = prepareRequests(b, context, onSamples)
    const [firstOfA, firstOfB] = startInTurns(toA.first, toB.first)
    const [ofA, ofB] = await Promise.all([finish(toA, firstOfA, deadline), finish(toB, firstOfB, deadline)])
    deadline.release()
    const both = [...ofA, ...ofB]
    const [samplesA, samplesB] = [ofA.flatMap((taken) => taken.samples), ofB.flatMap((taken) => taken.samples)]
    const readers: [Reading, Reading] = [tally('Reader A', samplesA), tally('Reader B', samplesB)]
    return {
      readers,
      twoProblems: [findsTwoProblems(readers[0], samplesA), findsTwoProblems(readers[1], samplesB)],
      timings: [samplesA.map(({ ms }) => ms), samplesB.map(({ ms }) => ms)],
      servedModels: [servedModelsOf(ofA), servedModelsOf(ofB)],
      costMicroeur: picousdToMicroeur(sum(both.map(({ picousd }) => picousd)), rate),
      costEstimated: both.some(({ estimated }) => estimated),
      refusedAccess: [...refusedAccessIn(ofA, a.model), ...refusedAccessIn(ofB, b.model)],
    }
  }

  return {
    models: [a.model.id, b.model.id],
    providers: [a.model.provider, b.model.provider],
    promptHash,
    routes: [describeRoute(a), describeRoute(b)],
    dataRegion: regionOfBoth([a.model, b.model]),
    eurPerUsd,
    prepareReading({ text, specialties }) {
      const nonce = crypto.getRandomValues(new Uint8Array(8)).toHex()
      const prompt = readerPrompt({ text, specialties: [...specialties], nonce })
      const at = runtime.now()
      const most = sum([a, b].map(({ model }) => mostSamplesPicousd(prompt, model, samples, at)))
      return { mostMicroeur: picousdToMicroeur(most, rate), read: () => read(prompt, specialties, at) }
    },
  }
}

const servedModelsOf = (ofOne: readonly RequestSamples[]): string[] => [
  ...new Set(ofOne.flatMap(({ servedModel }) => servedModel ?? [])),
]

function refusedAccessIn(ofOne: readonly RequestSamples[], model: Model): LiveReading['refusedAccess'] {
  const refused = ofOne.find(({ refusedAccess }) => refusedAccess !== null)?.refusedAccess ?? null
  return refused === null ? [] : [[model, refused]]
}

const hasKey = (reader: { model: Model; provider: EndpointsSettings[Model['endpoint']] }): reader is Reader =>
  reader.provider.apiKey !== null

const describeRoute = ({ model: { endpoint, places }, provider }: Reader): SentTo => ({
  route: endpoint,
  host: new URL(provider.baseUrl).host,
  places: places === null ? null : [...places],
})

/** The fences of a prompt that no letter is read with. */
const NO_NONCE = '0'.repeat(16)

function promptHash(specialties: ReadonlySet<string>): string {
  const { messages, responseFormat } = readerPrompt({ text: '', specialties: [...specialties], nonce: NO_NONCE })
  return sha256Hex(canonicalJson({ messages, response_format: responseFormat }))
}

/** Starts the first requests of both readers alternately, so that neither waits for all of the other's requests. */
function startInTurns(toA: ReaderRequests['first'], toB: ReaderRequests['first']): [Started[], Started[]] {
  const started: [Started[], Started[]] = [[], []]
  for (let turn = 0; turn < Math.max(toA.length, toB.length); turn++) {
    const [a, b] = [toA[turn], toB[turn]]
    if (a !== undefined) started[0].push(a())
    if (b !== undefined) started[1].push(b())
  }
  return started
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
