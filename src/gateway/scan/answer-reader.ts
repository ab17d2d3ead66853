// Reads a model's answer before it is written, if the policy asks for that. Events wait in order until their text is decided. Those
// that no value touches are passed on as they came, the others are written anew. A whole answer is read as a stream of one item.
import type { AnswerScan } from '../../evidence/records/answer-scan.ts'
import { runBriefly, type Steps } from '../../platform/computation-steps.ts'
import type { AnswerRule } from '../../policies/rules/pii-scan.rule.ts'
import { assembleAnswer } from '../../providers/assemble-answer.ts'
import type { Answer, Choice, Citation, StreamEvent } from '../../providers/chat-answer.ts'
import { readEvent, type StreamItem } from '../../providers/sse.ts'
import type { CompletedAnswer } from '../call/answer-format.ts'
import { AnswerTexts, isTouched, withoutCuts, type AnswerText } from './answer-texts.ts'
import { hasLogProbabilities, hasOtherMembers, rewriteItem } from './standard-members.ts'

export type AnswerReader = {
  /** Says that items are passed on with their bytes, whose other members nobody reads. */
  passBytes(): void
  /** Takes an item of a stream. Returns the items that may be passed on now. */
  read(item: StreamItem): readonly StreamItem[] | Promise<readonly StreamItem[]>
  /** Ends a stream that broke off. Returns the last items that may be passed on. */
  end(): readonly StreamItem[] | Promise<readonly StreamItem[]>
  /** Reads a whole answer. Returns it without what is taken out; as it came if nothing is. */
  readWhole(completed: CompletedAnswer): Promise<CompletedAnswer>
  /** The shapes for which the answer must end, or `too_long`; null if it need not. */
  stoppedFor(): readonly string[] | null
  /** How many values were taken out. */
  redacted(): number
  bufferedBytes(): number
  /** Searches what need not wait, once the answer has ended. Call it once. */
  finish(): Promise<AnswerScan>
}

/** A piece of a text in an event of an item, from `from`. It may pass once the text is decided up to `to`. */
type Piece = { readonly event: number; readonly text: AnswerText; readonly from: number; readonly to: number }
type Held = {
  readonly item: StreamItem
  readonly events: readonly StreamEvent[]
  readonly pieces: readonly Piece[]
  readonly bytes: number
}

const NO_BYTES = new Uint8Array(0)

/** The cost of an event that passes, and of one that is written anew, in characters of a search. */
const PASS_COST = 8
const REWRITE_COST = 128

/** The bytes that an event takes while it waits, besides its own. */
const HELD_BYTES = 448

/**
 * @param isJson true if the request asks for JSON
 * @param turns resolves when the search may go on, because others share the thread
 */
export function createAnswerReader(rule: AnswerRule, isJson: boolean, turns: () => Promise<void>): AnswerReader {
  const texts = new AnswerTexts(rule)
  const queue: Held[] = []
  let heldBytes = 0
  let passesBytes = false
  /** Key of a page → what is shown of it: nothing, or the page. */
  const readPages = new Map<string, readonly Citation[]>()
  const plainCalls = new Set<string>()
  const finished = new Set<number>()
  /** Choice → the name of its open thinking. */
  const openThinking = new Map<number, string>()

  /** Ends the thinking of a choice before anything else that it says. */
  function* endThinking(event: StreamEvent): Steps<void> {
    if (!('choice' in event) || !texts.holds) return
    const open = openThinking.get(event.choice)
    if (event.type === 'thinking') openThinking.set(event.choice, nameOf(event))
    if (open === undefined || open === nameOf(event)) return
    if (event.type !== 'thinking') openThinking.delete(event.choice)
    yield* texts.end(open)
  }

  function* takeIn(item: StreamItem): Steps<Held> {
    // Events of a framed item are decoded each time they are read.
    const events = [...item.events]
    const pieces: Piece[] = []
    if (passesBytes && item.textBytes === undefined && hasOtherMembers(item.json)) texts.leaveUnread('provider_members')
    for (const [at, event] of events.entries()) {
      if (texts.holds && isSaid(event) && finished.has(event.choice)) throw new TypeError('text behind its end')
      yield* endThinking(event)
      switch (event.type) {
        case 'text':
        case 'refusal':
          pieces.push(yield* add(at, nameOf(event), event.type === 'text' && isJson ? 'json' : 'words', event.text))
          break
        case 'thinking':
          if (event.piece.type === 'thinking')
            pieces.push(toEnd(yield* add(at, nameOf(event), 'whole', event.piece.thinking)))
          else texts.leaveUnread('sealed_thinking')
          break
        case 'tool_call':
          if (event.isCustom === true) plainCalls.add(nameOf(event))
          if (event.signature !== undefined) pieces.push(toEnd(yield* add(at, nameOf(event), callForm(event), '')))
          break
        case 'tool_arguments':
          pieces.push(yield* add(at, nameOf(event), callForm(event), event.fragment))
          break
        case 'signature':
          // It seals the text.
          pieces.push(toEnd(yield* add(at, nameOf(event), isJson ? 'json' : 'words', '')))
          break
        case 'citations':
          for (const page of event.citations) yield* readPage(page)
          break
        case 'finish':
          finished.add(event.choice)
          if (texts.holds) yield* texts.end(`${event.choice} `)
          break
        case 'end':
        case 'failed':
          if (texts.holds) yield* texts.end('')
          break
        case 'start':
        case 'model':
        case 'usage':
        case 'looked_up':
      }
    }
    // Nothing of an item passes in which the answer is stopped.
    if (texts.isStopped) pieces.push({ event: -1, text: NEVER_DECIDED, from: 0, to: 1 })
    return { item, events, pieces, bytes: HELD_BYTES + item.raw.byteLength }
  }

  function* add(event: number, name: string, form: AnswerText['form'], piece: string): Steps<Piece> {
    const text = yield* texts.add(name, form, piece)
    return { event, text, from: text.length - piece.length, to: text.length }
  }

  const callForm = (event: TextEvent): 'whole' | 'json' => (plainCalls.has(nameOf(event)) ? 'whole' : 'json')

  /** A title can be shown without a value, an address cannot. */
  function* readPage(page: Citation): Steps<void> {
    if (readPages.has(keyOf(page))) return
    const url = yield* texts.read(page.url, true)
    const title = page.title === null ? null : yield* texts.read(page.title)
    readPages.set(keyOf(page), url !== page.url ? [] : [{ url, title }])
  }

  const shownPages = (page: Citation): readonly Citation[] => readPages.get(keyOf(page)) ?? []
  const isPageChanged = (page: Citation): boolean => shownPages(page)[0]?.title !== page.title

  function write({ item, events, pieces }: Held): StreamItem {
    texts.pass()
    const isChanged =
      pieces.some(isPieceTouched) ||
      (passesBytes && texts.redacted > 0 && item.textBytes === undefined && hasLogProbabilities(item)) ||
      events.some((event) => event.type === 'citations' && event.citations.some(isPageChanged))
    if (!isChanged) return item
    const pieceOf = new Map(pieces.map((piece) => [piece.event, piece]))
    const written = events.flatMap((event, at) => {
      if (event.type === 'citations') return [{ ...event, citations: event.citations.flatMap(shownPages) }]
      const piece = pieceOf.get(at)
      return piece === undefined ? [event] : withoutValues(event, piece)
    })
    return passesBytes ? rewriteItem(item, written) : { raw: NO_BYTES, data: null, events: written }
  }

  /** An event that waits is held as its bytes, if they are wanted: parsed, it would take many times as much memory. */
  const lean = ({ item: { raw }, events }: Held): StreamItem =>
    passesBytes ? new WaitingItem(raw, events) : { raw: NO_BYTES, data: null, events }

  function* release(): Steps<StreamItem[]> {
    const count = queue.findIndex(({ pieces }) => pieces.some(({ text, to }) => to > text.decided))
    const decided = queue.splice(0, count === -1 ? queue.length : count)
    const passed: StreamItem[] = []
    for (const held of decided) {
      const item = write(held)
      heldBytes -= held.bytes
      passed.push(item)
      yield item === held.item ? PASS_COST : REWRITE_COST
    }
    return passed
  }

  function* readInSteps(item: StreamItem): Steps<readonly StreamItem[]> {
    if (texts.isStopped) return []
    const held = yield* takeIn(item)
    if (!texts.holds) {
      texts.pass()
      return [item]
    }
    queue.push(held)
    heldBytes += held.bytes
    const passed = yield* release()
    if (queue.length > 0 && item.textBytes === undefined) queue.splice(-1, 1, { ...held, item: lean(held) })
    return passed
  }

  function* endInSteps(): Steps<readonly StreamItem[]> {
    yield* texts.end('')
    return texts.holds ? yield* release() : []
  }

  return {
    passBytes() {
      passesBytes = true
    },
    read: (item) => runBriefly(readInSteps(item), turns),
    end: () => runBriefly(endInSteps(), turns),
    async readWhole(completed) {
      const { answer, passedBody } = completed
      const item = { raw: NO_BYTES, data: null, events: eventsOf(answer) }
      const [read = item] = await runBriefly(readInSteps(item), turns)
      if (read === item) {
        if (hasOtherMembers(passedBody)) texts.leaveUnread('provider_members')
        return completed
      }
      const { choices, citations } = assembleAnswer(read.events)
      return { answer: { ...answer, choices, citations }, passedBody: null }
    },
    stoppedFor: () => (texts.isStopped ? texts.stopped : null),
    redacted: () => texts.redacted,
    bufferedBytes: () => heldBytes + texts.bytes(),
    async finish() {
      // Text that waits for its search and did not go out is not searched for its own sake.
      if (!texts.holds) await runBriefly(texts.end(''), turns)
      return texts.summary()
    },
  }
}

const keyOf = ({ url, title }: Citation): string => JSON.stringify([url, title])

const NEVER_DECIDED: AnswerText = { form: 'whole', length: 1, decided: 0, cuts: [], nextCut: 0 }

/** An item whose data is read again when it is written. */
class WaitingItem implements StreamItem {
  readonly raw: Uint8Array
  readonly events: readonly StreamEvent[]

  constructor(raw: Uint8Array, events: readonly StreamEvent[]) {
    this.raw = raw
    this.events = events
  }

  get data(): string | null {
    return readEvent(this.raw).data
  }
}

/** True for an event with something that the model says. */
const isSaid = (event: StreamEvent): event is Extract<StreamEvent, { choice: number }> =>
  ((event.type === 'text' || event.type === 'refusal') && event.text !== '') ||
  (event.type === 'tool_arguments' && event.fragment !== '') ||
  event.type === 'thinking' ||
  event.type === 'tool_call'

const isPieceTouched = ({ from, to, text }: Piece): boolean =>
  to === Infinity ? text.cuts.length > 0 : isTouched(text, from, to)

const toEnd = (piece: Piece): Piece => ({ ...piece, to: Infinity })

type TextEvent = { readonly type: StreamEvent['type']; readonly choice: number; readonly index?: number }

function nameOf({ type, choice, index }: TextEvent): string {
  if (type === 'thinking') return `${choice} thinking ${index}.`
  if (type === 'tool_call' || type === 'tool_arguments') return `${choice} call ${index}`
  return `${choice} ${type === 'refusal' ? 'refusal' : 'text'}`
}

/** A seal does not fit what was changed, so it is left out; and thinking that is sealed is left out whole. */
function withoutValues(event: StreamEvent, { text, from }: Piece): StreamEvent[] {
  switch (event.type) {
    case 'text':
    case 'refusal':
      return [{ ...event, text: withoutCuts(text, event.text, from) }]
    case 'tool_arguments':
      return [{ ...event, fragment: withoutCuts(text, event.fragment, from) }]
    case 'tool_call':
      return [text.cuts.length > 0 ? { ...event, signature: undefined } : event]
    case 'thinking':
    case 'signature':
      return text.cuts.length > 0 ? [] : [event]
    case 'start':
    case 'model':
    case 'citations':
    case 'finish':
    case 'usage':
    case 'looked_up':
    case 'end':
    case 'failed':
      return [event]
  }
}

/** Returns the events of a whole answer, in the order in which a stream would have them. */
const eventsOf = ({ choices, citations }: Answer): StreamEvent[] => [
  ...choices.flatMap(eventsOfChoice),
  ...(citations.length > 0 ? [{ type: 'citations', citations } as const] : []),
  { type: 'end' },
]

function eventsOfChoice(choice: Choice): StreamEvent[] {
  const { index: at, text, refusal, toolCalls, thoughts = [], thinking, signature, finishReason } = choice
  // Thinking that cannot be sent back came after visible output.
  const isAfterOutput = thinking === undefined
  return [
    ...thoughts.map((piece, index) => ({ type: 'thinking', choice: at, index, piece, isAfterOutput }) as const),
    ...(text === '' ? [] : [{ type: 'text', choice: at, text } as const]),
    ...(refusal === null ? [] : [{ type: 'refusal', choice: at, text: refusal } as const]),
    ...toolCalls.flatMap(({ arguments: fragment, ...call }, index) => [
      { type: 'tool_call', choice: at, index, ...call } as const,
      { type: 'tool_arguments', choice: at, index, fragment } as const,
    ]),
    ...(signature === undefined ? [] : [{ type: 'signature', choice: at, signature } as const]),
    { type: 'finish', choice: at, reason: finishReason },
  ]
}
