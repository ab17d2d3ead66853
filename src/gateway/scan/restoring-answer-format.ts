// Makes an answer format that puts redacted values back wherever the model names their placeholders. The answer is always built
// from decoded events, never from the provider's bytes. Members that a provider adds may name placeholders too.
import type { Answer, StreamEvent } from '../../providers/chat-answer.ts'
import {
  createRestorer,
  type PieceRestorer,
  type Restorer,
  type TextForm,
} from '../../scanning/redaction/placeholders.ts'
import type { AnswerFormat } from '../call/answer-format.ts'
import type { EventWriter } from '../stream/event-writer.ts'

/**
 * @param values placeholder → value
 * @param textForm the form of the model's text
 */
export const restoringAnswerFormat = (
  format: AnswerFormat,
  values: ReadonlyMap<string, string>,
  textForm: TextForm,
): AnswerFormat => ({
  ...format,
  present: (call, { answer }, end) => {
    const restored = restoreAnswer(answer, createRestorer(values), textForm)
    return format.present(call, { answer: restored, passedBody: null }, end)
  },
  createWriter: (call) => {
    const writer = createRestoringWriter(format.createWriter(call, false), createRestorer(values), textForm)
    const valuesBytes = bytesOf(values)
    return { ...writer, bufferedBytes: () => writer.bufferedBytes() + valuesBytes }
  },
})

const CHARACTER_BYTES = 2

const bytesOf = (values: ReadonlyMap<string, string>): number =>
  [...values.values()].reduce((sum, value) => sum + value.length * CHARACTER_BYTES, 0)

/** Restores texts and arguments. Thinking is returned as it was signed, and shown restored. */
function restoreAnswer(answer: Answer, restorer: Restorer, textForm: TextForm): Answer {
  const choices = answer.choices.map((choice) =>
    Object.assign({}, choice, {
      text: restorer.restore(choice.text, textForm),
      refusal: choice.refusal === null ? null : restorer.restore(choice.refusal, 'plain'),
      toolCalls: choice.toolCalls.map((call) =>
        Object.assign({}, call, { arguments: restorer.restore(call.arguments, callForm(call)) }),
      ),
      thoughts: choice.thoughts?.map((block) =>
        block.type === 'thinking'
          ? Object.assign({}, block, { thinking: restorer.restore(block.thinking, 'plain') })
          : block,
      ),
    }),
  )
  return { ...answer, choices }
}

const callForm = ({ isCustom }: { isCustom?: true | undefined }): TextForm => (isCustom ? 'plain' : 'json')

/** A text that is being written. A call's arguments continue while others begin; any other text ends when another begins. */
type OpenText = { readonly isOfCall: boolean; readonly restorer: PieceRestorer; readonly toEvent: ToEvent }
type ToEvent = (text: string) => StreamEvent

const NO_BYTES = new Uint8Array(0)

/**
 * @param writer builds the bytes of each event from its values, and passes none on
 * @param form the form of the model's text
 */
export function createRestoringWriter(writer: EventWriter, restorer: Restorer, form: TextForm): EventWriter {
  /** Choice → name of the text → open text. */
  const choices = new Map<number, Map<string, OpenText>>()
  const callForms = new Map<string, TextForm>()

  function open(choice: number, name: string, begin: () => OpenText): PieceRestorer {
    const texts = choices.get(choice) ?? new Map<string, OpenText>()
    const text = texts.get(name) ?? begin()
    choices.set(choice, texts.set(name, text))
    return text.restorer
  }

  /** Flushes the texts of a choice that have ended. */
  function flush(choice: number, isOver: (text: OpenText, name: string) => boolean): StreamEvent[] {
    const texts = choices.get(choice) ?? new Map<string, OpenText>()
    const over = [...texts].filter(([name, text]) => isOver(text, name))
    return over.flatMap(([name, text]) => {
      texts.delete(name)
      const rest = text.restorer.flush()
      return rest === '' ? [] : [text.toEvent(rest)]
    })
  }

  const flushAll = (): StreamEvent[] => [...choices.keys()].flatMap((choice) => flush(choice, () => true))

  function say({ type, choice, text }: Extract<StreamEvent, { type: 'text' | 'refusal' }>): StreamEvent[] {
    const toEvent = (said: string): StreamEvent => ({ type, choice, text: said })
    const before = flush(choice, ({ isOfCall }, name) => !isOfCall && name !== type)
    const inPieces = open(choice, type, () => {
      return { isOfCall: false, restorer: restorer.inPieces(type === 'text' ? form : 'plain'), toEvent }
    })
    return [...before, ...eventUnlessBuffered(text, inPieces.push(text), toEvent)]
  }

  function call(event: Extract<StreamEvent, { type: 'tool_arguments' }>): StreamEvent[] {
    const { choice, index, fragment } = event
    const toEvent = (written: string): StreamEvent => ({ type: 'tool_arguments', choice, index, fragment: written })
    const inPieces = open(choice, `call ${index}`, () => {
      return { isOfCall: true, restorer: restorer.inPieces(callForms.get(`${choice} ${index}`) ?? 'json'), toEvent }
    })
    return eventUnlessBuffered(fragment, inPieces.push(fragment), toEvent)
  }

  /** Returns thinking as it was sealed, with the restored text to show. */
  function think(event: Extract<StreamEvent, { type: 'thinking' }>): StreamEvent[] {
    const { piece, choice, index } = event
    const own = `thought ${index}`
    const before = flush(choice, ({ isOfCall }, name) => !isOfCall && name !== own)
    if (piece.type !== 'thinking') return [...before, event]
    const inPieces = open(choice, own, () => {
      const nothing = { type: 'thinking', thinking: '', signature: '' } as const
      return {
        isOfCall: false,
        restorer: restorer.inPieces('plain'),
        toEvent: (shown) => ({ ...event, piece: nothing, shown }),
      }
    })
    return [...before, { ...event, shown: inPieces.push(piece.thinking) }]
  }

  function read(event: StreamEvent): StreamEvent[] {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return say(event)
      case 'thinking':
        return think(event)
      case 'tool_call':
        callForms.set(`${event.choice} ${event.index}`, callForm(event))
        return [...flush(event.choice, ({ isOfCall }) => !isOfCall), event]
      case 'tool_arguments':
        return call(event)
      case 'finish':
        return [...flush(event.choice, () => true), event]
      case 'end':
      case 'failed':
        return [...flushAll(), event]
      case 'start':
      case 'model':
      case 'signature':
      case 'citations':
      case 'usage':
      case 'looked_up':
        return [event]
    }
  }

  return {
    ...writer,
    push(item) {
      const events = item.events.flatMap(read)
      return events.length === 0 ? [] : writer.push({ raw: NO_BYTES, data: null, events })
    },
  }
}

/** Drops an empty result, unless the piece itself was empty. */
const eventUnlessBuffered = (piece: string, restored: string, toEvent: ToEvent): StreamEvent[] =>
  restored === '' && piece !== '' ? [] : [toEvent(restored)]
