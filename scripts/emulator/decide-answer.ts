// Decides the emulator's answer, independent of a provider: text, tool calls or a structured answer. The same request gets the
// same answer, except for the serial and the time. Also names the model, and cuts a text into the pieces of a stream.

import type { EmulatorPlan } from './answer-plan.ts'
import { NOTHING_CACHED } from './prompt-cache.ts'
import type { CacheUse } from './prompt-cache.ts'
import { extractLetter, readLetter, readingForm } from './letter-reader.ts'
import { isAbout, quotedNames } from './prompt-values.ts'
import { sampleJson } from './sample-json.ts'
import { countCharacters, countPromptTokens, countTokens } from './count-tokens.ts'
import type { Answer, CachePoint, Choice, JsonObject, Tool, ToolCall, ModelRequest } from './model-request.ts'

/** The state of the emulator that an answer needs besides the request: counters and the time. */
export interface AnswerContext {
  serial: string
  nowMs: number
  /** Returns the number of the next reading. It counts over all requests. */
  nextSample: () => number
  useCache: (points: readonly CachePoint[]) => CacheUse
}

/** The date of every emulated model, which no real one has. */
const EMULATED = '-2000-01-01'

/** @param servedModel the name in an answer */
export const isEmulated = (servedModel: string): boolean => servedModel.endsWith(EMULATED)

/**
 * Returns the model's name in the answer, dated as providers date theirs. The date replaces the version at the end of a name at
 * Amazon Bedrock.
 */
export function answeringModel(turn: ModelRequest, plan: EmulatorPlan): string {
  return `${plan.modelName ?? turn.model.replace(/-v\d+:\d+$/, '')}${EMULATED}`
}

export const REFUSAL_TEXT = 'This is the Countersign emulator. It was told to decline this request.'

export function decideAnswer(turn: ModelRequest, plan: EmulatorPlan, context: AnswerContext): Answer {
  const choices = Array.from({ length: turn.choices }, (_, index) => decideChoice(turn, plan, context, index))
  const input = countPromptTokens(turn.messages)
  const cached = cacheUse(turn, plan, context)
  const cacheRead = Math.min(cached.read, input)
  // No provider counts more output than the limit allows, thoughts included.
  const limit = turn.maxOutputTokens ?? Infinity
  const thoughts = thoughtsOf(turn, plan)
  const reasoning = Math.min(reasoningTokens(turn, plan), limit)
  return {
    serial: context.serial,
    createdSeconds: Math.floor(context.nowMs / 1000),
    thoughts,
    choices,
    usage: {
      input,
      cacheRead,
      cacheWrite: Math.min(cached.write, input - cacheRead),
      cacheWriteForAnHour: cached.writeForAnHour,
      visible: choices.reduce((sum, choice) => sum + Math.min(visibleTokens(choice), limit - reasoning), 0),
      reasoning,
    },
  }
}

const TOKENS_OF_A_THOUGHT = 16

function thoughtsOf({ thinking, messages }: ModelRequest, plan: EmulatorPlan): Answer['thoughts'] {
  if (thinking === 'off') return []
  const echoed = plan.echoes ? ` ${lastUserText(messages)}` : ''
  return Array.from({ length: plan.thoughts }, (_, at) => ({
    text:
      thinking === 'shown' && !plan.redactsThoughts
        ? `The emulator does not think. This is thought ${at + 1}.${echoed}`
        : '',
    isRedacted: plan.redactsThoughts,
  }))
}

function reasoningTokens(turn: ModelRequest, plan: EmulatorPlan): number {
  return plan.reasoningTokens + (turn.thinking === 'off' ? 0 : plan.thoughts * TOKENS_OF_A_THOUGHT)
}

/** Returns the tokens read from and written to the prompt cache. A behaviour takes precedence over the cache. */
function cacheUse({ cachePoints }: ModelRequest, plan: EmulatorPlan, context: AnswerContext): CacheUse {
  if (plan.cachedTokens > 0 || plan.cacheWriteTokens > 0) {
    return { read: plan.cachedTokens, write: plan.cacheWriteTokens, writeForAnHour: 0 }
  }
  return cachePoints.length === 0 ? NOTHING_CACHED : context.useCache(cachePoints)
}

function decideChoice(turn: ModelRequest, plan: EmulatorPlan, context: AnswerContext, index: number): Choice {
  const nothing = { text: '', toolCalls: [], stopSequence: null }
  if (plan.ending === 'refusal') return { ...nothing, text: REFUSAL_TEXT, finish: 'refusal' }
  if (plan.ending === 'content_filter') return { ...nothing, finish: 'content_filter' }
  const toolCalls = decideToolCalls(turn, plan, context, index)
  if (toolCalls.length > 0) return { ...nothing, toolCalls, finish: 'tool_calls' }
  return applyLimits(decideText(turn, plan, context), turn, plan)
}

/** Applies stop sequences, then the token limit, as a provider does. */
function applyLimits(text: string, turn: ModelRequest, plan: EmulatorPlan): Choice {
  const stops = turn.stop.map((stop) => ({ stop, at: text.indexOf(stop) })).filter(({ at }) => at >= 0)
  const first = stops.toSorted((a, b) => a.at - b.at)[0]
  const stopped = first === undefined ? text : text.slice(0, first.at)
  const stopSequence = first?.stop ?? null
  const limit =
    turn.maxOutputTokens === null || plan.ignoresLimit
      ? Infinity
      : Math.max(0, turn.maxOutputTokens - reasoningTokens(turn, plan))
  if (countTokens(stopped) <= limit) {
    return { text: stopped, toolCalls: [], stopSequence, finish: plan.ending === 'length' ? 'length' : 'stop' }
  }
  const limitedText = Array.from(stopped)
    .slice(0, limit * 4)
    .join('')
  return { text: limitedText, toolCalls: [], stopSequence: null, finish: 'length' }
}

function decideText(turn: ModelRequest, plan: EmulatorPlan, context: AnswerContext): string {
  if (turn.schema !== null) return JSON.stringify(structuredAnswer(turn.schema, turn, plan, context))
  const characters = turn.messages.reduce((sum, message) => sum + countCharacters(message.text), 0)
  if (plan.echoes)
    return turn.jsonObject ? JSON.stringify({ text: lastUserText(turn.messages) }) : lastUserText(turn.messages)
  if (turn.jsonObject) {
    const names = quotedNames(lastUserText(turn.messages))
    const plain = { emulator: 'countersign', messages: turn.messages.length, characters }
    return JSON.stringify(names.length > 0 ? Object.fromEntries(names.map((name) => [name, 'emulator'])) : plain)
  }
  const sent = `${counted(turn.messages.length, 'message')}, ${counted(characters, 'character')}`
  const plainText = `This is the Countersign emulator, not a model. You sent ${sent}.`
  const text = plan.splitCharacters ? `${plainText} Déjà vu, 漢字, 🩺.` : plainText
  return plan.textCharacters === null ? text : ofLength(text, plan.textCharacters)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Cuts or extends the text to exactly this many characters, with words of four characters. */
function ofLength(text: string, characters: number): string {
  return `${text} `.padEnd(characters, 'and ').slice(0, characters)
}

const lastUserText = (messages: ModelRequest['messages']): string =>
  messages.findLast(({ role }) => role === 'user')?.text ?? ''

function structuredAnswer(
  schema: unknown,
  { messages }: ModelRequest,
  plan: EmulatorPlan,
  context: AnswerContext,
): unknown {
  const form = readingForm(schema)
  return form === null
    ? sampleJson(schema, lastUserText(messages))
    : readLetter(form, extractLetter(messages), plan, context.nextSample())
}

/** The input of a tool that takes free text. */
const SAMPLE_INPUT = 'emulator'

/** Returns tool calls if the tool choice demands them, the user's last message names a tool or is about one, or a behaviour asks. */
function decideToolCalls(turn: ModelRequest, plan: EmulatorPlan, context: AnswerContext, choice: number): ToolCall[] {
  const tools = toolsToCall(turn, plan)
  return tools.map((tool, index) => {
    const id = `${context.serial}-${choice}-${index}`
    const { name } = tool
    const echoed = plan.echoes ? lastUserText(turn.messages) : null
    if (tool.isCustom) return { id, name, arguments: {}, input: echoed ?? SAMPLE_INPUT }
    return { id, name, arguments: echoed === null ? argumentsFor(tool, turn, plan, context) : { text: echoed } }
  })
}

function toolsToCall(turn: ModelRequest, plan: EmulatorPlan): Tool[] {
  const { tools, toolChoice } = turn
  if (plan.toolCalls !== null) {
    const offered = tools.length > 0 ? tools : [{ name: 'emulator_tool', parameters: {} }]
    return Array.from({ length: plan.toolCalls }, (_, index) => offered[index % offered.length]).filter(
      (tool) => tool !== undefined,
    )
  }
  if (toolChoice.kind === 'none') return []
  if (toolChoice.kind === 'named') return tools.filter((tool) => tool.name === toolChoice.name)
  const last = turn.messages.at(-1)
  const prompt = last?.role === 'user' ? last.text : ''
  const named = tools.filter((tool) => prompt.includes(tool.name))
  if (named.length > 0) return turn.parallelTools ? named : named.slice(0, 1)
  const [first] = tools
  const wanted =
    tools.find((tool) => isAbout(prompt, tool.name)) ?? (toolChoice.kind === 'required' ? first : undefined)
  return wanted === undefined ? [] : [wanted]
}

/** A tool that must be called can stand for the schema of an answer, so a reader's schema is answered as elsewhere. */
function argumentsFor(
  { parameters }: Tool,
  turn: ModelRequest,
  plan: EmulatorPlan,
  context: AnswerContext,
): JsonObject {
  const isForced = turn.toolChoice.kind === 'named'
  const sample = isForced
    ? structuredAnswer(parameters, turn, plan, context)
    : sampleJson(parameters, lastUserText(turn.messages))
  return typeof sample === 'object' && sample !== null ? { ...sample } : {}
}

function visibleTokens(choice: Choice): number {
  const calls = choice.toolCalls.map((call) => call.name + JSON.stringify(call.arguments)).join('')
  return countTokens(choice.text + calls)
}

/** Returns the pieces in which a stream sends the text. No piece breaks a character. */
export function textPieces(text: string, plan: EmulatorPlan): string[] {
  const characters = Array.from(text)
  const size = Math.max(1, plan.pieceCharacters)
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}
