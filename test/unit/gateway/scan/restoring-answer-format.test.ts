// An answer with values put back: whole and streamed, in both wire formats, and the same either way.
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { restoringAnswerFormat } from '../../../../src/gateway/scan/restoring-answer-format.ts'
import type { CallInput } from '../../../../src/gateway/call/prepare-call.ts'
import type { TextForm } from '../../../../src/scanning/redaction/placeholders.ts'
import { assembleAnswer } from '../../../../src/providers/assemble-answer.ts'
import { usageFromTotals, type StreamEvent } from '../../../../src/providers/chat-answer.ts'
import { upstreamFailure } from '../../../../src/providers/failure.ts'
import { accepted as acceptedChat, mini } from '../operations/chat/reading.ts'
import { accepted as acceptedResponses } from '../operations/responses/reading.ts'
import { AQTA, chunkOf, ENDED_AT, fail, finish, USAGE } from '../stream/writing.ts'

const EMAIL = '"joe"\n@example.ie'
const VALUES = new Map([
  ['[EIRCODE_1]', 'D02 X285'],
  ['[EMAIL_ADDRESS_1]', EMAIL],
])
const BILL = {
  usage: usageFromTotals({ input: 7, cacheRead: 0, cacheWrite: 0, output: 3, reasoning: 0 }),
  estimated: false,
  costMicroeur: 123,
  finishReason: null,
  servedModel: null,
}

const text = (said: string, choice = 0): StreamEvent => ({ type: 'text', choice, text: said })
const refusal = (said: string): StreamEvent => ({ type: 'refusal', choice: 0, text: said })
const call = (index: number): StreamEvent => ({
  type: 'tool_call',
  choice: 0,
  index,
  id: `call_${index}`,
  name: 'look',
})
const written = (index: number, fragment: string): StreamEvent => ({
  type: 'tool_arguments',
  choice: 0,
  index,
  fragment,
})
const end: StreamEvent = { type: 'finish', choice: 0, reason: 'stop' }
const thought = (thinking: string, signature = ''): StreamEvent => ({
  type: 'thinking',
  choice: 0,
  index: 0,
  piece: { type: 'thinking', thinking, signature },
})

function open({ format, outline }: CallInput, textForm: TextForm = 'plain') {
  const { attestation, trace_id: traceId } = AQTA
  const answered = { traceId, startedAt: 1_790_000_000_500, attestation, outline }
  const restoring = restoringAnswerFormat(format, VALUES, textForm)
  const item = (events: readonly StreamEvent[]) => ({ raw: new Uint8Array(0), data: '', events })
  return {
    whole: (events: readonly StreamEvent[]) => {
      const answer = assembleAnswer(events)
      return restoring.present(
        answered,
        { answer, passedBody: { object: 'as it came' } },
        { bill: BILL, aqta: AQTA, endedAt: ENDED_AT },
      )
    },
    stream: (events: readonly StreamEvent[]) => {
      const writer = restoring.createWriter(answered, true)
      const decoder = new TextDecoder()
      const sent = events.flatMap((event) => writer.push(item([event]))).map((bytes) => decoder.decode(bytes))
      return { sent, writer }
    },
  }
}

/** By choice: the text, the refusal and the arguments of each call. */
function joinChunks(sent: readonly string[]) {
  const joined: Record<string, string> = {}
  const add = (name: string, piece: unknown) => {
    if (typeof piece === 'string') joined[name] = (joined[name] ?? '') + piece
  }
  for (const event of sent.filter((one) => !one.includes('[DONE]'))) {
    for (const { index, delta } of chunkOf(event).choices) {
      const {
        content,
        refusal: refused,
        tool_calls: calls = [],
      } = delta as {
        content?: string
        refusal?: string
        tool_calls?: { index: number; function: { arguments: string } }[]
      }
      add(`text ${index}`, content)
      add(`refusal ${index}`, refused)
      for (const one of calls) add(`call ${index}.${one.index}`, one.function.arguments)
    }
  }
  return joined
}

const chat = (more: object = {}) => open(acceptedChat(mini(more)))

describe('a chat completion', () => {
  it('has the values in its text, its refusal and its arguments', () => {
    const answer = chat().whole([text('At [EIRCODE_1].'), call(0), written(0, '{"to":"[EMAIL_ADDRESS_1]"}'), end])
    expect(answer).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          message: {
            content: 'At D02 X285.',
            tool_calls: [{ function: { arguments: JSON.stringify({ to: EMAIL }) } }],
          },
        },
      ],
    })
    expect(chat().whole([refusal('Not [EMAIL_ADDRESS_1]'), end])).toMatchObject({
      choices: [{ message: { refusal: `Not ${EMAIL}` } }],
    })
  })

  it('is JSON still where JSON was asked for', () => {
    const json = open(acceptedChat(mini({ response_format: { type: 'json_object' } })), 'json')
    const events = [text('{"to":"[EMAIL_'), text('ADDRESS_1]"}'), end]
    const content = JSON.stringify({ to: EMAIL })
    expect(json.whole(events)).toMatchObject({ choices: [{ message: { content } }] })
    expect(joinChunks(json.stream(events).sent)).toEqual({ 'text 0': content })
  })

  it('is streamed with them, each text by itself', () => {
    const { sent, writer } = chat({ n: 2 }).stream([
      text('A [EIRC'),
      text('B [EIRCODE', 1),
      text('ODE_1'),
      text('_1] b', 1),
      text('] a'),
      call(0),
      written(0, '{"a":"[EIRCOD'),
      call(1),
      written(1, '{"b":"[EMAIL_ADDRESS_'),
      written(0, 'E_1]"}'),
      written(1, '1]"}'),
      end,
    ])
    expect(joinChunks(sent)).toEqual({
      'text 0': 'A D02 X285 a',
      'text 1': 'B D02 X285 b',
      'call 0.0': '{"a":"D02 X285"}',
      'call 0.1': JSON.stringify({ b: EMAIL }),
    })
    expect(finish(writer).at(-1)).toBe('data: [DONE]\n\n')
  })

  it('loses nothing that was held back: at the finish, before a call, or where the provider fails', () => {
    const failed: StreamEvent = { type: 'failed', failure: upstreamFailure('cut') }
    for (const last of [end, call(0), refusal('no'), { type: 'end' } as const, failed]) {
      const { sent, writer } = chat().stream([text('See [EIRCODE_'), last])
      expect(joinChunks([...sent, ...fail(writer).slice(0, -1)])).toMatchObject({ 'text 0': 'See [EIRCODE_' })
    }
  })
})

describe('a response', () => {
  const events: StreamEvent[] = [
    thought('They live at [EIRC'),
    thought('ODE_1]', 'sealed'),
    text('At [EIR'),
    text('CODE_1], [EIR'),
    call(0),
    written(0, '{"to":"[EMAIL_ADDRE'),
    written(0, 'SS_1]"}'),
    end,
  ]
  const body = { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] }
  const output = [
    { type: 'reasoning', summary: [{ text: 'They live at D02 X285' }] },
    { type: 'message', content: [{ text: 'At D02 X285, [EIR' }] },
    { type: 'function_call', arguments: JSON.stringify({ to: EMAIL }) },
  ]
  const opened = () => open(acceptedResponses(body, 'claude-sonnet-5'))

  it('has the values in what it says, shows and calls', () => {
    expect(opened().whole(events)).toMatchObject({ output })
  })

  it('has them in the input of a tool that takes free text, as they are', () => {
    const said = `mail '[EMAIL_ADDRESS_1]' -s "it's"`
    const typed: StreamEvent[] = [{ ...call(0), isCustom: true } as StreamEvent, written(0, said), end]
    const input = said.replace('[EMAIL_ADDRESS_1]', EMAIL)
    expect(opened().whole(typed)).toMatchObject({ output: [{ type: 'custom_tool_call', input }] })
    expect(opened().stream(typed).sent.join('')).toContain(JSON.stringify(input))
  })

  it('is streamed with them, and carries what was thought as it was sealed', () => {
    const { sent, writer } = opened().stream(events)
    const data = [
      ...sent,
      ...writer.finish({ aqta: AQTA, usage: USAGE, endedAt: ENDED_AT }).map((bytes) => new TextDecoder().decode(bytes)),
    ]
    const read = data.map((event) => JSON.parse(/\ndata: (.+)\n\n$/s.exec(event)?.[1] ?? '') as ResponseStreamEvent)
    const response = read.reduce<Response | undefined>(
      (snapshot, event) => accumulateResponse(event, snapshot),
      undefined,
    )
    expect(response).toMatchObject({ output })
    const [reasoning] = response?.output ?? []
    const carried = reasoning?.type === 'reasoning' ? (reasoning.encrypted_content ?? '') : ''
    expect(atob(carried)).toContain('They live at [EIRCODE_1]')
    for (const event of read)
      if (event.type === 'response.reasoning_summary_text.delta') expect(event.delta).not.toBe('')
  })
})
