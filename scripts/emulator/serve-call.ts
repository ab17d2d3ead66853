// One provider call from its plan to its answer, as a list of steps: late or never, key, body, answer, transport.

import { decideAnswer } from './answer.ts'
import type { AnswerContext } from './answer.ts'
import { askedRefusal } from './asked-refusals.ts'
import { KEY_REFUSED } from './formats/google.ts'
import { openAiModels } from './formats/openai.ts'
import { withOddEvents, withOddMembers } from './odd-members.ts'
import { PLAIN_PLAN } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Reply } from './reply.ts'
import { isObject } from './sample-json.ts'
import { sendHtml, sendJson, sendStream } from './transport.ts'
import type { Turn } from './turn.ts'
import { problem } from './wire-format.ts'
import type { Framing, WireCall, WireFormat, WireProblem } from './wire-format.ts'

const KEY_PREFIX = 'emulator-'

export interface ServedCall {
  format: WireFormat
  call: Omit<WireCall, 'body'>
  /** The parsed body; undefined when it was not JSON. */
  body: unknown
  /** Without its behaviour suffix. */
  model: string
  plan: Plan
  holdLimitMs: number
  /** Fulfilled once answers are released that wait for it. */
  released: Promise<void>
}

/** OpenAI's list of models, which needs a key and nothing else. */
export async function serveModelList(served: ServedCall, reply: Reply): Promise<void> {
  const refused = keyProblem(served) ?? askedFailure(served.plan)
  if (refused !== null) return sendProblem(served.format, refused, reply)
  return sendJson(reply, 200, openAiModels(served.call.models), served.plan)
}

export async function serveCall(served: ServedCall, reply: Reply, context: AnswerContext): Promise<void> {
  const { format, plan } = served
  if (plan.hold === 'before-headers') return hold(served, reply)
  if (plan.waitsForRelease && !(await waitForRelease(served, reply))) return
  if (!(await reply.pause(plan.headerDelayMs))) return
  if (plan.htmlStatus !== null) return sendHtml(reply, plan.htmlStatus)
  const refused = keyProblem(served) ?? askedFailure(plan)
  if (refused !== null) return sendProblem(format, refused, reply)
  if (plan.refusal !== null) return sendProblem(format, askedRefusal(format.provider, plan.refusal), reply)
  if (!isObject(served.body)) return sendProblem(format, problem(400, 'the body is not a JSON object'), reply)
  const read = format.read({ ...served.call, body: served.body }, served.model)
  if (!read.ok) return sendProblem(format, read.problem, reply)
  if (plan.hold === 'after-headers') return silence(served, read.framing, reply)
  return sendAnswer(served, read, reply, context)
}

/** Says nothing until the caller leaves or the emulator's own limit comes. */
async function hold(served: ServedCall, reply: Reply): Promise<void> {
  if (await reply.pause(served.holdLimitMs)) reply.breakOff()
}

/** False where the caller left, or the emulator's own limit came. */
async function waitForRelease({ released, holdLimitMs }: ServedCall, reply: Reply): Promise<boolean> {
  const isReleased = await Promise.race([released.then(() => true), reply.pause(holdLimitMs).then(() => false)])
  if (!isReleased) reply.breakOff()
  return isReleased
}

async function silence(served: ServedCall, framing: Framing, reply: Reply): Promise<void> {
  reply.head(200, { 'content-type': framing === 'sse' ? 'text/event-stream' : 'application/json' })
  reply.flush()
  await hold(served, reply)
}

/** Keys that begin with `emulator-` are good; a real key has no business here. */
function keyProblem({ format, call }: ServedCall): WireProblem | null {
  const key = format.key(call)
  if (key?.startsWith(KEY_PREFIX)) return null
  // OpenAI repeats part of the key in its message; so does this, with an invented one.
  const message = `incorrect key sk-not-a-real-key****abcd: keys here begin with ${KEY_PREFIX}`
  if (format.provider !== 'google') return problem(401, message, { code: 'invalid_api_key' })
  return key === null ? problem(403, 'no key') : problem(401, message, { code: KEY_REFUSED })
}

function askedFailure({ failure }: Plan): WireProblem | null {
  if (failure === null) return null
  const { status, retryAfterSeconds, asArray } = failure
  return problem(status, `${status} on request`, { retryAfterSeconds, asArray })
}

async function sendProblem(format: WireFormat, fault: WireProblem, reply: Reply): Promise<void> {
  const { body, headers, status = fault.status } = format.problem(fault)
  const ids = { [format.requestIdHeader]: requestId(reply) }
  return sendJson(reply, status, body, PLAIN_PLAN, { ...ids, ...headers })
}

function requestId(reply: Reply): string {
  return `req_emulator_${reply.record.serial}`
}

async function sendAnswer(
  { format, plan }: ServedCall,
  { turn, framing }: { turn: Turn; framing: Framing },
  reply: Reply,
  context: AnswerContext,
): Promise<void> {
  const headers = { [format.requestIdHeader]: requestId(reply) }
  const answer = decideAnswer(turn, plan, context)
  if (framing === 'json') {
    if (plan.errorAfter !== null) return sendProblem(format, problem(500, 'failed on request'), reply)
    return sendJson(reply, 200, withOddMembers(format.json(turn, answer, plan), plan), plan, headers)
  }
  const parts = {
    framing,
    lineEnd: format.lineEnd,
    events: withOddEvents(format.events(turn, answer, plan), plan),
    errorEvents: format.streamError(plan),
    ping: format.ping,
    headers,
  }
  return sendStream(reply, parts, plan)
}
