// Playground: sends a call through the gateway, in one piece or as a stream, and returns how it ended.
import type { AttestationRecord } from '../../../evidence/records/attestation-record.ts'
import {
  NO_RESPONSE,
  problemIn,
  requestStream,
  sendRequest,
  type Answer,
  type Problem,
  type RequestOptions,
} from '../../api/send-request.ts'
import { APPROVAL_HEADER, USE_CASE_HEADER, type CallRequest } from './call-request.ts'
import { forgetKey, keyForCalls } from './playground-key.ts'

type Aqta = {
  cost_eur: number
  cost_estimated?: true
  cached?: boolean
  served_model?: string
  /** An answer has the record, an error its id alone. */
  attestation?: AttestationRecord
  attestation_id?: string
}
type Usage = { prompt_tokens: number; completion_tokens: number }
type Said = { content?: string | null; refusal?: string | null }

/** The members of an answer, or of a chunk of a stream, that the page reads. */
type Completion = {
  choices?: readonly { message?: Said; delta?: Said; finish_reason?: string | null }[]
  usage?: Usage | null
  aqta?: Aqta
  error?: unknown
}

export type CallResult = {
  request: CallRequest
  /** `stopped`: the person stopped it. */
  state: 'answered' | 'refused' | 'stopped'
  text: string
  finishReason: string | null
  problem: Problem | null
  usage: Usage | null
  aqta: Aqta | null
  /** The id of the signed record; null if the call left none. */
  recordId: string | null
  /** The parameters that the provider was not sent. */
  dropped: string | null
  tookMs: number
}

export type Sending = {
  /** The approval that the call uses, or '' for none. */
  approval: string
  signal: AbortSignal
  /** Gets the text so far of a stream. */
  onText: (text: string) => void
}

const PATH = '/v1/chat/completions'

/** Sends the call. If the key has ended or was revoked, makes another and sends it again: nothing was run. */
export async function sendCall(request: CallRequest, sending: Sending): Promise<CallResult> {
  const first = await sendOnce(request, sending)
  if (first.problem?.code !== 'invalid_api_key') return first
  forgetKey()
  return sendOnce(request, sending)
}

async function sendOnce(request: CallRequest, sending: Sending): Promise<CallResult> {
  const made = await keyForCalls()
  const call = new RunningCall(request)
  if (made.outcome === 'refused') return call.refused(made.problem)
  const { body, useCase } = request
  const { approval, signal } = sending
  const options: RequestOptions = {
    key: made.body.secret,
    body,
    signal,
    headers: {
      ...(useCase !== '' && { [USE_CASE_HEADER]: useCase }),
      ...(approval !== '' && { [APPROVAL_HEADER]: approval }),
    },
  }
  call.start()
  try {
    if (body.stream === true) return await readStream(call, await requestStream('POST', PATH, options), sending)
    const answer = await sendRequest<Completion>('POST', PATH, options)
    if (answer.outcome === 'refused') return call.refused(answer.problem)
    call.readHeaders(answer.headers)
    call.read(answer.body)
    return call.ended('answered')
  } catch (thrown) {
    if (signal.aborted) return call.ended('stopped')
    throw thrown
  }
}

async function readStream(
  call: RunningCall,
  answer: Answer<ReadableStream<Uint8Array>>,
  { signal, onText }: Sending,
): Promise<CallResult> {
  if (answer.outcome === 'refused') return call.refused(answer.problem)
  call.readHeaders(answer.headers)
  const reader = answer.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a stream comes piece by piece
      const { value } = await reader.read()
      if (value === undefined) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: ') && !line.startsWith('data: [DONE]')) call.readEvent(line)
      onText(call.text)
    }
  } catch (thrown) {
    if (signal.aborted) throw thrown
    return call.refused(CUT_OFF)
  }
  if (call.problem !== null) return call.refused(call.problem)
  return call.isWhole ? call.ended('answered') : call.refused(CUT_OFF)
}

const CUT_OFF: Problem = {
  ...NO_RESPONSE,
  message:
    'The connection ended before the whole answer was here. The call may have run all the same: see it in the list of calls.',
}

/** Gathers what is known about a call until it ends. */
class RunningCall {
  readonly #request: CallRequest
  #startedAt = performance.now()
  #headers = new Headers()
  #aqta: Aqta | null = null
  #usage: Usage | null = null
  #finishReason: string | null = null
  text = ''
  problem: Problem | null = null

  constructor(request: CallRequest) {
    this.#request = request
  }

  /** The time that making a key takes is not the call's. */
  start(): void {
    this.#startedAt = performance.now()
  }

  get isWhole(): boolean {
    return this.#finishReason !== null
  }

  readHeaders(headers: Headers): void {
    this.#headers = headers
  }

  readEvent(line: string): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `sendRequest`
    const event = JSON.parse(line.slice('data: '.length)) as Completion
    if (event.error !== undefined) this.problem = problemIn(event, { status: 200, headers: this.#headers })
    this.read(event)
  }

  read({ choices = [], usage, aqta }: Completion): void {
    const [choice] = choices
    const said = choice?.message ?? choice?.delta
    this.text += said?.content ?? said?.refusal ?? ''
    this.#finishReason = choice?.finish_reason ?? this.#finishReason
    this.#usage = usage ?? this.#usage
    this.#aqta = aqta ?? this.#aqta
  }

  refused(problem: Problem): CallResult {
    const { aqta } = problem.error
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `sendRequest`
    if (typeof aqta === 'object' && aqta !== null) this.#aqta = aqta as Aqta
    return { ...this.ended('refused'), problem }
  }

  ended(state: CallResult['state']): CallResult {
    const aqta = this.#aqta
    return {
      request: this.#request,
      state,
      text: this.text,
      finishReason: this.#finishReason,
      problem: null,
      usage: this.#usage,
      aqta,
      recordId: aqta?.attestation?.attestation_id ?? aqta?.attestation_id ?? this.#headers.get('x-aqta-attestation-id'),
      dropped: this.#headers.get('x-aqta-dropped'),
      tookMs: Math.round(performance.now() - this.#startedAt),
    }
  }
}
