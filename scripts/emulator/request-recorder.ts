// Records the emulator's requests in memory for tests, without their keys, and how each answer ended. Records only if switched on.
// Above a limit the oldest requests are deleted.

import type { IncomingHttpHeaders } from 'node:http'
import { PROVIDERS, type EndpointId } from '../../src/providers/provider-registry.ts'

const MAX_REQUESTS = 2_000
const MAX_BODY_CHARACTERS = 32 * 1024 * 1024
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  ...PROVIDERS.flatMap(({ authorise }) => Object.keys(authorise(''))),
  'cookie',
  'proxy-authorization',
])

/** `cancelled`: the caller left first. `broken`: the emulator cut the connection, as its behaviour says. */
type AnswerState = 'open' | 'finished' | 'cancelled' | 'broken'

export interface RecordedRequest {
  serial: string
  /** The number of its connection; the first one is 1. */
  connection: number
  endpoint: EndpointId
  method: string
  /** The path after the endpoint's prefix, without the value of a `key` parameter. */
  path: string
  /** True if a key was in the URL, where logs would store it. */
  keyInUrl: boolean
  headers: Record<string, string>
  body: string
  /** The requested behaviours, as written. */
  behaviour: string
  state: AnswerState
  status: number | null
  bytesSent: number
  eventsSent: number
}

export interface Recorder {
  begin: (request: RecordedRequest) => void
  list: () => RecordedRequest[]
  clear: () => void
}

export function createRecorder(isOn: boolean): Recorder {
  let requests: RecordedRequest[] = []
  let characters = 0
  return {
    begin(request) {
      if (!isOn) return
      requests.push(request)
      characters += request.body.length
      while (requests.length > MAX_REQUESTS || (characters > MAX_BODY_CHARACTERS && requests.length > 1)) {
        characters -= requests.shift()?.body.length ?? 0
      }
    },
    list: () => structuredClone(requests),
    clear() {
      requests = []
      characters = 0
    },
  }
}

/** Returns the header names and values, with every secret replaced. */
export function withoutSecrets(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_HEADERS.has(name) ? '[removed]' : String(value)]),
  )
}

export function pathWithoutKey(path: string, query: URLSearchParams): string {
  const shown = new URLSearchParams(query)
  if (shown.has('key')) shown.set('key', '[removed]')
  return shown.size === 0 ? path : `${path}?${shown.toString()}`
}
