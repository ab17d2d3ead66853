// Members that are not what the provider documents, put into an answer once its format has written it: the same in one piece
// and in events.

import type { Plan } from './plan.ts'
import { isObject } from './sample-json.ts'
import type { JsonObject } from './turn.ts'
import type { SseEvent } from './wire-format.ts'

const USAGE: ReadonlySet<string> = new Set(['usage', 'usageMetadata'])
const ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'partial_json'])
const ODD_COST = 0.0021

const hasOddMembers = ({ oddUsage, withoutArguments }: Plan): boolean => oddUsage !== null || withoutArguments

/** A JSON value with what the plan asks for. */
export const withOddMembers = (value: unknown, plan: Plan): unknown =>
  hasOddMembers(plan) ? changed(value, plan) : value

/** Events of a plan that asks for none keep their bytes. */
export const withOddEvents = (events: Iterable<SseEvent>, plan: Plan): Iterable<SseEvent> =>
  hasOddMembers(plan) ? changedEvents(events, plan) : events

function* changedEvents(events: Iterable<SseEvent>, plan: Plan): Generator<SseEvent> {
  for (const { name, data } of events) {
    yield { name, data: data === '[DONE]' ? data : JSON.stringify(changed(JSON.parse(data), plan)) }
  }
}

function changed(value: unknown, plan: Plan): unknown {
  if (Array.isArray(value)) return value.map((item) => changed(item, plan))
  if (!isObject(value)) return value
  const members: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (plan.withoutArguments && ARGUMENTS.has(name)) continue
    members[name] = USAGE.has(name) && isObject(member) ? changedUsage(member, plan) : changed(member, plan)
  }
  return members
}

function changedUsage(usage: JsonObject, plan: Plan): JsonObject {
  if (plan.oddUsage === null) return usage
  if (plan.oddUsage === 'cost') return { ...usage, cost: ODD_COST }
  const texts: JsonObject = {}
  for (const [name, count] of Object.entries(usage)) texts[name] = typeof count === 'number' ? `${count}` : count
  return texts
}
