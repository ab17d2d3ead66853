// Finds the behaviours for a request to the emulator, and parses the path and the model name that may contain them. The first
// source that names any is used: the endpoint's queue, the header, the base URL, the model's name, random ones of a soak run.

import type { IncomingHttpHeaders } from 'node:http'
import { seededRandom } from '../seeded-random.ts'
import { parseBehaviours } from './behaviours.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../src/providers/provider-registry.ts'

const BEHAVIOUR_HEADER = 'x-emulator-behaviour'
const PATH_MARKER = '_behave'
const MODEL_MARKER = '--'

export interface RequestPath {
  endpoint: EndpointId
  /** The endpoint's own path. */
  path: string
  /** The behaviours in the base URL, or null. */
  behaviour: string | null
}

/** Splits a path such as `/openai/_behave/slow,200/v1/models`. Returns null if it belongs to no endpoint. */
export function parseRequestPath(pathname: string): RequestPath | null {
  const [, prefix, ...rest] = pathname.split('/')
  const endpoint = ENDPOINT_IDS.find((name) => name === prefix)
  if (endpoint === undefined) return null
  if (rest[0] !== PATH_MARKER) return { endpoint, path: `/${rest.join('/')}`, behaviour: null }
  return { endpoint, path: `/${rest.slice(2).join('/')}`, behaviour: rest[1] ?? '' }
}

/** Splits a name such as `gpt-4.1-mini--slow,200` into the model and its behaviour. */
export function splitModel(model: string): { model: string; behaviour: string | null } {
  const at = model.indexOf(MODEL_MARKER)
  if (at < 0) return { model, behaviour: null }
  return { model: model.slice(0, at), behaviour: model.slice(at + MODEL_MARKER.length) }
}

export interface BehaviourSource {
  /** Returns what is wrong with the specifications, or null if they were queued. */
  enqueue: (endpoint: EndpointId, specifications: readonly string[]) => string | null
  next: (
    endpoint: EndpointId,
    headers: IncomingHttpHeaders,
    fromPath: string | null,
    fromModel: string | null,
  ) => string
  clear: () => void
}

export function createBehaviourSource(chaosSeed: number | null): BehaviourSource {
  const queues = new Map<EndpointId, string[]>()
  const chaos = chaosSeed === null ? null : createChaos(chaosSeed)
  return {
    enqueue(endpoint, specifications) {
      for (const specification of specifications) {
        const parsed = parseBehaviours(specification)
        if (!parsed.ok) return parsed.problem
      }
      queues.set(endpoint, [...(queues.get(endpoint) ?? []), ...specifications])
      return null
    },
    next(endpoint, headers, fromPath, fromModel) {
      const header = headers[BEHAVIOUR_HEADER]
      const fromHeader = typeof header === 'string' ? header : null
      return queues.get(endpoint)?.shift() ?? fromHeader ?? fromPath ?? fromModel ?? chaos?.() ?? 'ok'
    },
    clear() {
      queues.clear()
    },
  }
}

/** Weights for soak runs. Most requests get a plain answer. Hanging ones are rare because each costs a time limit. */
const CHAOS: readonly (readonly [weight: number, ...specifications: string[]])[] = [
  [60, 'ok'],
  [4, 'slow,40', 'slow-body,5', 'wrong-enum', 'vary,2'],
  [3, 'split', '429,1', '500', 'malformed'],
  [2, 'crlf+comments', '503', '529', 'html', 'cut', 'no-usage', 'empty-choices'],
  [
    1,
    '401',
    'truncate',
    'mid-error',
    'zero-usage',
    'no-role',
    'refusal',
    'content-filter',
    'length',
    'silent',
    'never',
  ],
]

/** Returns a generator of random behaviours with a seed, so that a run can be repeated. */
function createChaos(seed: number): () => string {
  const random = seededRandom(seed)
  const drawn = CHAOS.flatMap(([weight, ...names]) => names.flatMap((name) => Array<string>(weight).fill(name)))
  return () => drawn[Math.floor(random() * drawn.length)] ?? 'ok'
}
