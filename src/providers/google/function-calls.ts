// Reads Gemini's function calls. Most come whole. Streamed arguments come in several parts, each with values under JSON paths.
// Such a call is returned when it is whole (https://googleapis.github.io/js-genai, FunctionCall and PartialArg).
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { mintCallId } from '../chat-answer.ts'
import type { FailureCause } from '../failure.ts'
import { MOST_LEVELS } from '../lossless-json.ts'
import type { ToolCall } from '../chat-request.ts'

const PartialArgSchema = once(() =>
  z.object({
    jsonPath: z.string(),
    stringValue: z.string().nullish(),
    numberValue: z.unknown().optional(),
    boolValue: z.boolean().nullish(),
    nullValue: z.unknown().optional(),
  }),
)

type PartialArg = Infer<typeof PartialArgSchema>

/** A part without a name continues the call before it. */
export const FunctionCallSchema = once(() =>
  z.object({
    id: z.string().nullish(),
    name: z.string().nullish(),
    args: z.looseObject({}).nullish(),
    partialArgs: z.array(PartialArgSchema()).nullish(),
    willContinue: z.boolean().nullish(),
  }),
)

type Part = {
  readonly functionCall?: Infer<typeof FunctionCallSchema> | null | undefined
  readonly thoughtSignature?: string | null | undefined
}

export type CallReader = ReturnType<typeof createCallReader>

type OpenCall = { id: string | null; name: string; signature: string | null; args: Arguments }

/**
 * Creates the reader of a candidate's calls. If Gemini sends no id or repeats one, an id is made from the answer's id and the
 * call's index.
 */
export function createCallReader({ responseId, choice }: { responseId: string; choice: number }) {
  const ids = new Set<string>()
  let open: OpenCall | null = null

  function toToolCall({ id, name, signature }: Omit<OpenCall, 'args'>, args: string): ToolCall {
    const called = id && !ids.has(id) ? id : mintCallId(responseId, choice, ids.size)
    ids.add(called)
    return { id: called, name, arguments: args, ...(signature ? { signature } : {}) }
  }

  function close(): ToolCall[] {
    const closed = open
    open = null
    return closed === null ? [] : [toToolCall(closed, closed.args.json())]
  }

  return {
    count: (): number => ids.size,
    /** Returns true if a call has begun and is not whole. */
    isOpen: (): boolean => open !== null,
    /** Returns the calls that this part completes, or why it cannot be read. */
    read({ functionCall: call, thoughtSignature }: Part): ToolCall[] | FailureCause {
      if (!call) return []
      const { id = null, name, args, partialArgs, willContinue } = call
      const signature = thoughtSignature ?? null
      // A new call ends the one before it, even if that one announced more.
      const before = name ? close() : []
      if (name && !partialArgs && (args || !willContinue)) {
        return [...before, toToolCall({ id, name, signature }, JSON.stringify(args ?? {}))]
      }
      if (name) open = { id, name, signature, args: createArguments() }
      if (open === null) return 'malformed'
      open.signature ??= signature
      for (const arg of partialArgs ?? []) {
        const fault = open.args.add(arg)
        if (fault !== null) return fault
      }
      return willContinue ? before : [...before, ...close()]
    },
  }
}

/** `add` returns null, or why the argument cannot be added. */
type Arguments = { add(arg: PartialArg): FailureCause | null; json(): string }

/** Has no prototype, so that no member name has a special meaning. */
type Members = Record<string, unknown>

const MOST_CHARACTERS = 1024 * 1024

function createArguments(): Arguments {
  const root = newMembers()
  let characters = 0

  return {
    json: () => JSON.stringify(root),
    add(arg) {
      const path = readPath(arg.jsonPath)
      if (path === null) return 'malformed'
      characters += arg.jsonPath.length + (arg.stringValue?.length ?? 0)
      if (characters > MOST_CHARACTERS) return 'too_large'
      return setAtPath(root, path, arg) ? null : 'malformed'
    },
  }
}

/** Returns false if there is no such position: a member of a text, or an item after a gap in its list. */
function setAtPath(root: Members, path: readonly (string | number)[], arg: PartialArg): boolean {
  let holder: Members | unknown[] = root
  for (const [at, step] of path.entries()) {
    const isItem = typeof step === 'number'
    if (isItem !== Array.isArray(holder) || (Array.isArray(holder) && Number(step) > holder.length)) return false
    const existing: unknown = Reflect.get(holder, step)
    const next = path[at + 1]
    if (next === undefined) {
      const value = valueOf(arg, existing)
      if (value !== undefined) Reflect.set(holder, step, value)
      return true
    }
    const inner: unknown = existing ?? (typeof next === 'number' ? [] : newMembers())
    if (!isHolder(inner)) return false
    Reflect.set(holder, step, inner)
    holder = inner
  }
  return false
}

const newMembers = (): Members => ({ __proto__: null })

const isHolder = (value: unknown): value is Members | unknown[] =>
  Array.isArray(value) || (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null)

/** Appends a text to its earlier pieces. Returns undefined if there is no value. */
function valueOf({ stringValue, numberValue, boolValue, nullValue }: PartialArg, existing: unknown): unknown {
  if (typeof stringValue === 'string') return typeof existing === 'string' ? existing + stringValue : stringValue
  if (numberValue !== undefined && numberValue !== null) return numberValue
  if (typeof boolValue === 'boolean') return boolValue
  return nullValue === undefined ? undefined : null
}

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\[("(?:[^"\\]|\\.)*")\]/gsy

/**
 * Reads a JSONPath to one position, such as `$.rooms[0]['door no.']`; returns null for any other.
 * @see https://www.rfc-editor.org/rfc/rfc9535#section-2.7
 */
function readPath(text: string): (string | number)[] | null {
  if (!text.startsWith('$')) return null
  const steps: (string | number)[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < text.length) {
    const [step, name, item, single, double] = STEP.exec(text) ?? []
    if (step === undefined || steps.length === MOST_LEVELS) return null
    if (item !== undefined) steps.push(Number(item))
    else
      steps.push(
        name ?? unescape(double ?? `"${(single ?? '').replaceAll(/\\'|"/g, (mark) => (mark === '"' ? '\\"' : "'"))}"`),
      )
  }
  return steps.length === 0 ? null : steps
}

function unescape(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}
