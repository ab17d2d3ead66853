// Hashes an answer from the bytes that its caller got, without the service's code and in the plainest way: the whole is read at the
// end, and each text is joined before it is hashed.
import { createHash } from 'node:crypto'
import * as z from 'zod'

const Text = z.string().nullish()
const Call = z.looseObject({
  index: z.int().optional(),
  id: Text,
  function: z.looseObject({ name: Text, arguments: Text }).optional(),
})
const Said = z.looseObject({
  content: Text,
  refusal: Text,
  tool_calls: z.array(Call).nullish(),
  function_call: z.looseObject({ name: Text, arguments: Text }).nullish(),
})
const Choice = z.looseObject({
  index: z.int(),
  message: Said.nullish(),
  delta: Said.nullish(),
  finish_reason: Text,
})
const Item = z.looseObject({
  type: z.string(),
  call_id: Text,
  name: Text,
  arguments: Text,
  content: z.array(z.looseObject({ type: z.string(), text: Text, refusal: Text })).optional(),
})
const Response = z.looseObject({
  object: Text,
  model: Text,
  status: Text,
  incomplete_details: z.looseObject({ reason: z.string() }).nullish(),
  output: z.array(Item).optional(),
})
const Piece = Response.extend({
  type: Text,
  choices: z.array(Choice).optional(),
  delta: z.unknown().optional(),
  output_index: z.int().optional(),
  item: Item.optional(),
  response: Response.optional(),
})
type Piece = z.infer<typeof Piece>

const Block = z.looseObject({ type: z.string(), text: Text, id: Text, name: Text, input: z.unknown().optional() })
const MessagePiece = z.looseObject({
  index: z.int().optional(),
  model: Text,
  stop_reason: Text,
  content: z.array(Block).optional(),
  message: z.looseObject({ model: Text }).optional(),
  content_block: Block.optional(),
  delta: z.looseObject({ type: Text, text: Text, partial_json: Text, stop_reason: Text }).optional(),
})
const IS_MESSAGE = /^\{"(?:id":"[^"]*",")?type":"message/

type Texts = {
  content: string
  refusal: string
  end: string
  calls: Map<number, { id: string; name: string; arguments: string }>
}

const digest = (text: string): string => createHash('sha256').update(text.toWellFormed()).digest('hex')

const byNumber = <T>(map: Map<number, T>): [number, T][] => [...map].toSorted(([one], [other]) => one - other)

/** Returns the salted hash; null if there is no answer in the bytes. */
export function answerHashOf(raw: Uint8Array, salt: string): string | null {
  const text = new TextDecoder().decode(raw)
  const data = text.startsWith('{')
    ? [text]
    : text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trim()] : []))
  if (data.some((one) => IS_MESSAGE.test(one))) {
    return salted(salt, ...ofMessages(data.map((one) => MessagePiece.parse(JSON.parse(one)))))
  }
  const pieces = data.filter((one) => one !== '[DONE]').map((one) => Piece.parse(JSON.parse(one)))
  const whole = pieces.find(
    ({ type, object }) => object === 'response' || /^response\.(comp|incomp)leted?$/.test(type ?? ''),
  )
  const isResponses = pieces.some(({ type, object }) => object === 'response' || type?.startsWith('response.'))
  return salted(salt, ...(isResponses ? ofResponses(pieces, whole?.response ?? whole) : ofChat(pieces)))
}

function salted(salt: string, model: string, choices: Map<number, Texts>): string | null {
  const said = byNumber(choices).flatMap(([index, { content, refusal, end, calls }]) => {
    if (content + refusal + end === '' && calls.size === 0) return []
    const tools = byNumber(calls).map(([, call]) => ({
      arguments: digest(call.arguments),
      id: call.id.toWellFormed(),
      name: call.name.toWellFormed(),
    }))
    const [one, other] = [digest(content), digest(refusal)]
    return [{ content: one, finish_reason: end, index, refusal: other, tool_calls: tools }]
  })
  if (said.length === 0) return null
  const hash = createHash('sha256').update('countersign-answer-1\0').update(Buffer.from(salt, 'hex'))
  return hash.update(JSON.stringify({ choices: said, model: model.toWellFormed() })).digest('hex')
}

const nothing = (): Texts => ({ content: '', refusal: '', end: '', calls: new Map() })

function called(calls: Texts['calls'], at: number, id: string, name: string, more: string): void {
  const call = calls.get(at) ?? { id: '', name: '', arguments: '' }
  calls.set(at, { id: call.id || id, name: call.name || name, arguments: call.arguments + more })
}

function ofChat(pieces: readonly Piece[]): [string, Map<number, Texts>] {
  const choices = new Map<number, Texts>()
  for (const choice of pieces.flatMap((piece) => piece.choices ?? [])) {
    const texts = choices.get(choice.index) ?? nothing()
    choices.set(choice.index, texts)
    const message = choice.message ?? choice.delta
    texts.content += message?.content ?? ''
    texts.refusal += message?.refusal ?? ''
    texts.end ||= (choice.finish_reason ?? '').replace('function_call', 'tool_calls')
    for (const [at, { index, id, function: given }] of (message?.tool_calls ?? []).entries()) {
      called(texts.calls, index ?? at, id ?? '', given?.name ?? '', given?.arguments ?? '')
    }
    const legacy = message?.function_call
    if (legacy) called(texts.calls, 0, '', legacy.name ?? '', legacy.arguments ?? '')
  }
  return [pieces.map((piece) => piece.model).find(Boolean) ?? '', choices]
}

function ofResponses(
  pieces: readonly Piece[],
  whole: z.infer<typeof Response> | undefined,
): [string, Map<number, Texts>] {
  const texts = nothing()
  if (whole !== undefined) {
    texts.end = whole.incomplete_details?.reason ?? whole.status ?? ''
    for (const [at, item] of (whole.output ?? []).entries()) {
      for (const part of item.type === 'message' ? (item.content ?? []) : []) {
        texts.content += part.text ?? ''
        texts.refusal += part.refusal ?? ''
      }
      if (item.type !== 'function_call') continue
      called(texts.calls, at, item.call_id ?? '', item.name ?? '', item.arguments ?? '')
    }
    return [whole.model ?? '', new Map([[0, texts]])]
  }
  for (const { type, delta, output_index: at = 0, item } of pieces) {
    const more = typeof delta === 'string' ? delta : ''
    if (type === 'response.output_text.delta') texts.content += more
    if (type === 'response.refusal.delta') texts.refusal += more
    if (type === 'response.function_call_arguments.delta') called(texts.calls, at, '', '', more)
    if (item?.type === 'function_call') called(texts.calls, at, item.call_id ?? '', item.name ?? '', '')
  }
  return [pieces.map(({ response }) => response?.model).find(Boolean) ?? '', new Map([[0, texts]])]
}

/** Members in the order of their names, as RFC 8785 writes them. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

function canonical(json: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(json)))
  } catch {
    return json
  }
}

function ofMessages(pieces: readonly z.infer<typeof MessagePiece>[]): [string, Map<number, Texts>] {
  const texts = nothing()
  const inputs = new Map<number, string>()
  const begin = (at: number, { type, text, id, name, input }: z.infer<typeof Block>): void => {
    if (type === 'text') texts.content += text ?? ''
    if (type !== 'tool_use') return
    called(texts.calls, at, id ?? '', name ?? '', input === undefined ? '' : JSON.stringify(input))
  }
  for (const { index: at = 0, content = [], content_block: block, delta, stop_reason: reason } of pieces) {
    for (const [place, one] of content.entries()) begin(place, one)
    if (block) begin(at, block)
    texts.content += delta?.type === 'text_delta' ? (delta.text ?? '') : ''
    if (delta?.type === 'input_json_delta') inputs.set(at, (inputs.get(at) ?? '') + (delta.partial_json ?? ''))
    texts.end ||= reason ?? delta?.stop_reason ?? ''
  }
  for (const [at, call] of texts.calls) call.arguments = canonical(inputs.get(at) || call.arguments)
  return [pieces.map(({ model, message }) => model ?? message?.model).find(Boolean) ?? '', new Map([[0, texts]])]
}
