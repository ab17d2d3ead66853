// The emulator's control routes, for tests in another process: set behaviours, list and release requests, reset. Only callers on
// this machine may use them. Also parses JSON for the server.

import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import type { EmulatorState } from './emulator-state.ts'
import type { RecordedRequest, Recorder } from './request-recorder.ts'
import { ENDPOINT_IDS } from '../../src/providers/provider-registry.ts'

export const CONTROL_PREFIX = '/_emulator/'
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/

const behaveSchema = z.strictObject({ endpoint: z.enum(ENDPOINT_IDS), behaviours: z.array(z.string()).max(10_000) })

export interface ControlAnswer {
  status: number
  body: unknown
}

/** Answers `POST /_emulator/behave`, `GET /_emulator/requests`, `POST /_emulator/release` and `POST /_emulator/reset`. */
export async function answerControl(
  request: IncomingMessage,
  url: URL,
  body: string,
  to: EmulatorState,
): Promise<ControlAnswer> {
  if (!LOOPBACK.test(request.socket.remoteAddress ?? '')) return { status: 403, body: { error: 'loopback only' } }
  switch (`${request.method} ${url.pathname.slice(CONTROL_PREFIX.length)}`) {
    case 'POST behave':
      return behave(body, to)
    case 'GET requests':
      if (url.searchParams.get('wait') === 'idle') await to.idle()
      return { status: 200, body: { requests: latestOf(to.recorder, url.searchParams.get('last')) } }
    case 'POST release':
      to.release()
      return { status: 200, body: { released: true } }
    case 'POST reset':
      to.reset()
      return { status: 200, body: { reset: true } }
    default:
      return { status: 404, body: { error: 'no such control' } }
  }
}

/** Returns the `last` requests, or all if `last` is no whole number above 0. */
function latestOf(recorder: Recorder, last: string | null): RecordedRequest[] {
  const count = Number(last)
  return Number.isInteger(count) && count > 0 ? recorder.list().slice(-count) : recorder.list()
}

function behave(body: string, to: EmulatorState): ControlAnswer {
  const asked = behaveSchema.safeParse(parseJson(body))
  if (!asked.success) return { status: 400, body: { error: 'wanted: {"endpoint", "behaviours": [string]}' } }
  const problem = to.behaviours.enqueue(asked.data.endpoint, asked.data.behaviours)
  if (problem !== null) return { status: 400, body: { error: problem } }
  return { status: 200, body: { queued: asked.data.behaviours.length } }
}

/** Returns the value of a JSON text, or undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
