// What a call came to, in one line: how it ended, what it cost, what was decided, and the text that was answered.
import { eventsOf, jsonOf } from './body-lines.ts'
import type { Answer } from './chapter.ts'

type Texts = { content?: string | null; refusal?: string | null; tool_calls?: { function?: Call }[] }
type Call = { name?: string; arguments?: string }

/** The members of both wire formats that the line is made of, whole and streamed. */
type Part = {
  type?: string
  delta?: unknown
  status?: string
  choices?: { message?: Texts; delta?: Texts; finish_reason?: string | null }[]
  output?: (Call & { content?: { text?: string; refusal?: string }[] })[]
  response?: { status?: string; aqta?: Aqta }
  error?: { code?: string } | null
  aqta?: Aqta
}

type Aqta = {
  cost_eur: number
  cost_estimated?: boolean
  cached: boolean
  loop_detected: boolean
  /** An error has only its id. */
  attestation?: { outcome: string; policy_applied: string[] }
}

/** @returns null for an answer that decides nothing of a call */
export function outcomeOf({ text, headers }: Answer): string | null {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const parts = (isStream ? eventsOf(text).map(({ data }) => data) : [jsonOf(text)]).filter(isPart)
  const aqta = parts.findLast((part) => part.aqta ?? part.response?.aqta)
  const { attestation, ...facts } = aqta?.aqta ?? aqta?.response?.aqta ?? {}
  if (!('cost_eur' in facts)) return null
  const { cost_eur, cost_estimated, cached, loop_detected } = facts
  const said = parts.map(saidIn).join('')
  return [
    parts.map(endOf).findLast((end) => end !== undefined) ?? 'no end',
    `${cost_estimated === true ? 'about ' : ''}${cost_eur} €`,
    ...(cached ? ['cached'] : []),
    ...(loop_detected ? ['loop'] : []),
    ...(attestation === undefined ? [] : [`${attestation.outcome} by ${attestation.policy_applied.join(' ')}`]),
    ...(said === '' ? [] : [said]),
  ].join(', ')
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null

function endOf({ status, choices = [], response, error }: Part): string | undefined {
  return error?.code ?? choices[0]?.finish_reason ?? response?.status ?? status
}

/** In a stream of responses, what the deltas bring is told again where they end. */
function saidIn({ type, delta, choices = [], output = [] }: Part): string {
  if (type !== undefined) return type.endsWith('.delta') && typeof delta === 'string' ? delta : ''
  const chosen = choices.flatMap(({ message, delta: brought }) => [message ?? {}, brought ?? {}])
  return [
    ...chosen.map(({ content, refusal, tool_calls = [] }) =>
      [content ?? '', refusal ?? '', ...tool_calls.map((call) => calledIn(call.function ?? {}))].join(''),
    ),
    ...output.map((item) => calledIn(item) + (item.content ?? []).map((one) => one.text ?? one.refusal ?? '').join('')),
  ].join('')
}

const calledIn = (call: Call): string => `${call.name ?? ''}${call.arguments ?? ''}`
