// Serves one call of the emulator, step by step: delay or silence, key, body, answer, transport.

import * as z from 'zod'
import { catalogueRoutes } from '../../src/providers/model-catalogue.ts'
import type { EndpointId } from '../../src/providers/provider-registry.ts'
import { decideAnswer } from './decide-answer.ts'
import type { AnswerContext } from './decide-answer.ts'
import { PLAIN_PLAN } from './answer-plan.ts'
import type { EmulatorPlan } from './answer-plan.ts'
import { keyProblem, requestedProblem, unknownModel } from './refusals.ts'
import type { Reply } from './reply.ts'
import { isObject } from './sample-json.ts'
import { sendHtml, sendJson, sendRedirect, sendStream } from './send-emulated-answer.ts'
import type { JsonObject, ModelRequest } from './model-request.ts'
import { problem } from './wire-format.ts'
import type { SseEvent, WireCall, WireFormat, WireProblem } from './wire-format.ts'

export interface ServedCall {
  endpoint: EndpointId
  format: WireFormat
  call: Omit<WireCall, 'body'>
  /** The parsed body; undefined if it is not JSON. */
  body: unknown
  /** The model without its behaviour suffix. */
  model: string
  plan: EmulatorPlan
  holdLimitMs: number
  /** Resolves when the waiting answers are released. */
  released: Promise<void>
}

export async function serveCall(served: ServedCall, reply: Reply, context: AnswerContext): Promise<void> {
  const { format, call, plan } = served
  if (plan.hold === 'before-headers') return hold(served, reply)
  if (plan.waitsForRelease && !(await waitForRelease(served, reply))) return
  if (!(await reply.pause(plan.headerDelayMs))) return
  if (plan.htmlStatus !== null) return sendHtml(reply, plan.htmlStatus)
  if (plan.redirectTo !== null) return sendRedirect(reply, plan.redirectTo)
  const refused = keyProblem(format, format.key(call)) ?? requestedProblem(format, plan)
  if (refused !== null) return sendProblem(format, refused, reply)
  const read = readModelRequest(served)
  if ('status' in read) return sendProblem(format, read, reply)
  if (plan.hold === 'after-headers') return silence(served, read, reply)
  return sendAnswer(served, read, reply, context)
}

/** Reads the request, or returns what is wrong with it. Checks only what the answer needs. */
function readModelRequest({ endpoint, format, call, body, model }: ServedCall): ModelRequest | WireProblem {
  if (!isObject(body)) return problem(400, 'the body is not a JSON object')
  const refused = format.refusals.first?.({ headers: call.headers, body }, model) ?? null
  if (refused !== null) return refused
  const isKnown = model === '' ? body['preset'] !== undefined : hasModel(endpoint, model)
  if (!isKnown) return unknownModel(format, model)
  try {
    const request = format.read({ ...call, body }, model)
    return format.refusals.conversation?.(body, model) ?? request
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    if (issue === undefined) throw error
    const param = issue.path.join('.')
    return problem(400, `${param}: ${issue.message}`, { param })
  }
}

const hasModel = (endpoint: EndpointId, name: string): boolean =>
  catalogueRoutes().some((model) => model.endpoint === endpoint && model.wire.model === name)

/** Sends nothing until the caller leaves or the emulator's own time limit is reached. */
async function hold(served: ServedCall, reply: Reply): Promise<void> {
  if (await reply.pause(served.holdLimitMs)) reply.breakOff()
}

/** Waits for a release. Returns false if the caller left or the emulator's own time limit was reached. */
async function waitForRelease({ released, holdLimitMs }: ServedCall, reply: Reply): Promise<boolean> {
  const isReleased = await Promise.race([released.then(() => true), reply.pause(holdLimitMs).then(() => false)])
  if (!isReleased) reply.breakOff()
  return isReleased
}

async function silence(served: ServedCall, { isStreamed }: ModelRequest, reply: Reply): Promise<void> {
  reply.head(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' })
  reply.flush()
  await hold(served, reply)
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
  modelRequest: ModelRequest,
  reply: Reply,
  context: AnswerContext,
): Promise<void> {
  const headers = { [format.requestIdHeader]: requestId(reply) }
  const answer = decideAnswer(modelRequest, plan, context)
  if (!modelRequest.isStreamed) {
    if (plan.errorAfter !== null) return sendProblem(format, problem(500, 'failed on request'), reply)
    return sendJson(
      reply,
      200,
      withOddMembers(format.json(modelRequest, answer, plan), format.members, plan),
      plan,
      headers,
    )
  }
  const events = format.events(modelRequest, answer, plan)
  const parts = {
    lineEnd: format.lineEnd,
    // A plan without odd members sends its events unchanged.
    events:
      plan.oddUsage !== null || plan.withoutArguments || plan.withoutCallIds
        ? oddEvents(events, format.members, plan)
        : events,
    errorEvents: format.streamError(plan),
    ping: format.ping,
    headers,
  }
  return sendStream(reply, parts, plan)
}

const ODD_COST = 0.0021

type Members = WireFormat['members']

function* oddEvents(events: Iterable<SseEvent>, members: Members, plan: EmulatorPlan): Generator<SseEvent> {
  for (const { name, data } of events) {
    yield { name, data: data.startsWith('{') ? JSON.stringify(withOddMembers(JSON.parse(data), members, plan)) : data }
  }
}

/** Changes or removes members, so that the answer differs from the provider's documentation as the plan says. */
function withOddMembers(value: unknown, named: Members, plan: EmulatorPlan): unknown {
  if (Array.isArray(value)) return value.map((item) => withOddMembers(item, named, plan))
  if (!isObject(value)) return value
  const members: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (plan.withoutArguments && named.arguments.includes(name)) continue
    if (plan.withoutCallIds && named.isCallId(name, value)) continue
    const isUsage = name === named.usage && isObject(member)
    members[name] = isUsage ? oddUsage(member, named, plan) : withOddMembers(member, named, plan)
  }
  return members
}

function oddUsage(usage: JsonObject, { input, output }: Members, { oddUsage: odd }: EmulatorPlan): JsonObject {
  if (odd === null) return usage
  if (odd === 'cost') return { ...usage, cost: ODD_COST }
  if (odd !== 'counts') return { ...usage, [odd === 'no-input' ? input : output]: undefined }
  return Object.fromEntries(
    Object.entries(usage).map(([name, count]) => [name, typeof count === 'number' ? `${count}` : count]),
  )
}
