// Judges whether an SDK's run of one feature worked, was refused or failed. The SDK's own result is not enough: its requests and
// their answers must show the feature. So an SDK that silently does something else fails.
import type { Feature, Outcome, Verdict } from './sdk-features.ts'
import type { Exchange } from './recording-proxy.ts'

export type Evidence = {
  readonly outcome: Outcome
  readonly exchanges: readonly Exchange[]
  /** True if the provider noticed that the caller left. Only set for the feature `cancellation`. */
  readonly isProviderCancelled: boolean
  /** True if a provider received the picture. Only set for the feature `images`. */
  readonly isPictureSeen: boolean
}

export function judgeRun(feature: Feature, evidence: Evidence): Verdict {
  const wrong = evidence.outcome.problem ?? missingFrom(feature, evidence)
  if (wrong === null) return { kind: 'works' }
  const param = feature === 'errors' ? null : refusedMember(evidence.exchanges)
  return param === null ? fails(wrong) : { kind: 'refused', param }
}

/** Returns the member that the last answer refused by name, or null. */
function refusedMember(exchanges: readonly Exchange[]): string | null {
  const last = exchanges.findLast(({ method }) => method === 'POST')
  return last?.status === 400 && last.error?.code === 'invalid_request' ? last.error.param : null
}

const LONGEST_WHY = 100

const fails = (why: string): Verdict => ({
  kind: 'fails',
  why: why.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_WHY),
})

const TOOL_RESULT = /"role":"tool"|"type":"function_call_output"|"type":"tool_result"/

/** Marks in the body of a feature's requests. At least one such request must have been answered. */
const MARKS: Readonly<Partial<Record<Feature, readonly RegExp[]>>> = {
  stream: [/"stream":true/],
  tools: [TOOL_RESULT],
  'streamed tools': [TOOL_RESULT, /"stream":true/],
  'output by tool': [/"tools":\[/],
  'output by schema': [/"type":"json_schema"/],
  'JSON mode': [/"type":"json_object"/],
  images: [/data:image\/png;base64,|"type":"base64"/],
  'failing stream': [/"stream":true/],
  cancellation: [/"stream":true/],
}

function missingFrom(feature: Feature, evidence: Evidence): string | null {
  const { outcome, exchanges, isProviderCancelled, isPictureSeen } = evidence
  if (feature === 'errors') return missingError(outcome, exchanges)
  if (feature === 'models') return missingModels(exchanges)
  const answered = exchanges.filter(({ method, status }) => method === 'POST' && status === 200)
  const marks = MARKS[feature] ?? []
  if (!answered.some(({ body }) => marks.every((mark) => mark.test(compact(body))))) {
    return `no request of this kind was answered (${exchanges.map(({ status }) => status).join(', ') || 'none sent'})`
  }
  if (feature === 'failing stream' && !answered.some((one) => one.hasErrorEvent())) return 'no error was streamed'
  if (feature === 'cancellation' && !isProviderCancelled) return 'the provider was not cancelled'
  if (feature === 'images' && !isPictureSeen) return 'the provider was not sent the picture'
  return null
}

/** Returns the JSON without the blanks that some clients write between members. */
const compact = (body: string): string => JSON.stringify(JSON.parse(body))

function missingError(outcome: Outcome, exchanges: readonly Exchange[]): string | null {
  for (const status of [401, 404, 400]) {
    const exchange = exchanges.find((one) => one.status === status && one.error !== null)
    if (exchange === undefined) return `no answer of ${status}`
    const message = exchange.error?.message ?? ''
    if (!outcome.told.some((told) => told.includes(message))) return `the message of ${status} was not handed on`
    if (status === 400 && exchange.error?.param === null) return 'the refusal named no member'
  }
  return null
}

function missingModels(exchanges: readonly Exchange[]): string | null {
  const isAnswered = (path: RegExp): boolean => exchanges.some((one) => one.status === 200 && path.test(one.path))
  return isAnswered(/^\/v1\/models$/) && isAnswered(/^\/v1\/models\/.+/)
    ? null
    : 'the models were not both listed and read'
}
