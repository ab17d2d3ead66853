// Sends an emulated answer as its plan says: late, broken, or split into pieces. It handles HTTP and server-sent events, and
// knows no provider.

import type { EmulatorPlan } from './answer-plan.ts'
import type { Reply } from './reply.ts'
import type { SseEvent } from './wire-format.ts'

const SPLIT_BYTES = 64
/** The pause after a piece, in milliseconds. Pieces written at once would arrive as one. */
const SPLIT_PAUSE_MS = 2
const encoder = new TextEncoder()

export interface StreamParts {
  lineEnd: '\n' | '\r\n'
  events: Iterable<SseEvent>
  errorEvents: SseEvent[]
  ping: SseEvent | null
  headers: Record<string, string>
}

/** Sends one JSON value. The plan can break, delay or split its body. */
export async function sendJson(
  reply: Reply,
  status: number,
  value: unknown,
  plan: EmulatorPlan,
  headers: Record<string, string> = {},
): Promise<void> {
  const whole = encoder.encode(JSON.stringify(value))
  const half = Math.ceil(whole.length / 2)
  const bytes = plan.malformedAfter === null ? whole : whole.subarray(0, half)
  const isInPieces = plan.gapMs > 0 || plan.splitCharacters
  const length: Record<string, string> = isInPieces ? {} : { 'content-length': `${bytes.length}` }
  reply.head(status, { 'content-type': 'application/json', ...length, ...headers })
  if (!(await waitSilently(reply, plan.bodyDelayMs))) return
  if (plan.cutAfter !== null || plan.truncateAfter !== null) {
    await reply.write(bytes.subarray(0, half))
    return reply.breakOff()
  }
  if (!isInPieces) return reply.finish(bytes)
  const pieces = plan.gapMs > 0 ? quarters(bytes) : [bytes]
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && !(await reply.pause(plan.gapMs))) return
    if (!(await writeSplit(reply, piece, plan))) return
  }
  reply.finish()
}

export async function sendHtml(reply: Reply, status: number): Promise<void> {
  const title = `${status} from the Countersign emulator`
  const page = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  reply.head(status, { 'content-type': 'text/html; charset=utf-8' })
  reply.finish(encoder.encode(page))
}

/** Sends a redirect that repeats the method and the body at another address. */
export async function sendRedirect(reply: Reply, location: string): Promise<void> {
  reply.head(307, { location })
  reply.finish(new Uint8Array(0))
}

/** Sends a stream of events. */
export async function sendStream(reply: Reply, parts: StreamParts, plan: EmulatorPlan): Promise<void> {
  reply.head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...parts.headers })
  if (!(await waitSilently(reply, plan.bodyDelayMs))) return
  const encode = frameEncoder(parts, plan)
  let sent = 0
  const send = async (event: SseEvent): Promise<boolean> => {
    const isWritten = await writeSplit(reply, encode(event), plan)
    sent += 1
    reply.record.eventsSent = sent
    return isWritten
  }
  for (const event of parts.events) {
    if (sent === plan.pause?.afterEvents && !(await waitSilently(reply, plan.pause.ms))) return
    if (sent > 0 && plan.gapMs > 0 && !(await reply.pause(plan.gapMs))) return
    if (sent === plan.cutAfter) {
      const bytes = encode(event)
      await reply.write(bytes.subarray(0, Math.ceil(bytes.length / 2)))
      return reply.breakOff()
    }
    if (sent === plan.truncateAfter) return reply.finish()
    if (sent === plan.errorAfter) {
      for (const failure of parts.errorEvents) await send(failure)
      return reply.finish()
    }
    const isBroken = sent === plan.malformedAfter
    if (!(await send(isBroken ? { ...event, data: '{"broken": ' } : event))) return
  }
  reply.finish()
}

/** Sends nothing for this time after the headers. Resolves to false if the caller has left. */
async function waitSilently(reply: Reply, ms: number): Promise<boolean> {
  if (ms > 0) reply.flush()
  return reply.pause(ms)
}

function frameEncoder(parts: StreamParts, plan: EmulatorPlan): (event: SseEvent) => Uint8Array {
  const end = plan.crlf ? '\r\n' : parts.lineEnd
  const frame = ({ name, data }: SseEvent): string =>
    `${name === null ? '' : `event: ${name}${end}`}data: ${data}${end}${end}`
  const before = plan.comments ? `: emulator${end}${end}${parts.ping === null ? '' : frame(parts.ping)}` : ''
  return (event) => encoder.encode(before + frame(event))
}

function quarters(bytes: Uint8Array): Uint8Array[] {
  const size = Math.max(1, Math.ceil(bytes.length / 4))
  return [0, 1, 2, 3].map((part) => bytes.subarray(part * size, (part + 1) * size)).filter((piece) => piece.length > 0)
}

async function writeSplit(reply: Reply, bytes: Uint8Array, plan: EmulatorPlan): Promise<boolean> {
  if (!plan.splitCharacters) return reply.write(bytes)
  for (const [index, piece] of splitInsideCharacters(bytes).entries()) {
    if (index > 0 && !(await reply.pause(SPLIT_PAUSE_MS))) return false
    if (!(await reply.write(piece))) return false
  }
  return true
}

/** Splits after the first byte of every character of several bytes. Plain ASCII is split every few bytes. */
function splitInsideCharacters(bytes: Uint8Array): Uint8Array[] {
  const leads = [...bytes.keys()].filter((at) => (bytes[at] ?? 0) >= 0xc0).map((at) => at + 1)
  const plain = Array.from({ length: Math.floor(bytes.length / SPLIT_BYTES) }, (_, index) => (index + 1) * SPLIT_BYTES)
  const cuts = [0, ...(leads.length > 0 ? leads : plain), bytes.length]
  return cuts
    .slice(1)
    .map((cut, index) => bytes.subarray(cuts[index], cut))
    .filter((piece) => piece.length > 0)
}
