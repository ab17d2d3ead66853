// Function calls in the parts of an answer. Most come whole. One whose arguments are streamed comes in several parts, each with
// values under their places (https://googleapis.github.io/js-genai, FunctionCall and PartialArg), and is told when it is whole.
import { z } from 'zod'
import type { Cause } from '../failure.ts'
import { MOST_LEVELS } from '../text.ts'
import type { ToolCall } from '../request.ts'

const PartialArgSchema = z.object({
  jsonPath: z.string(),
  stringValue: z.string().nullish(),
  numberValue: z.unknown().optional(),
  boolValue: z.boolean().nullish(),
  nullValue: z.unknown().optional(),
})

type PartialArg = z.infer<typeof PartialArgSchema>

/** A part that goes on with the call before it has no name. */
export const FunctionCallSchema = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  args: z.looseObject({}).nullish(),
  partialArgs: z.array(PartialArgSchema).nullish(),
  willContinue: z.boolean().nullish(),
})

type Part = {
  readonly functionCall?: z.infer<typeof FunctionCallSchema> | null | undefined
  readonly thoughtSignature?: string | null | undefined
}

/** The calls of one candidate. */
export type Calls = {
  /** How many there are so far. */
  count(): number
  /** The calls that are whole with this part, or why it cannot be read. */
  read(part: Part): ToolCall[] | Cause
  /** True if a call has begun and is not whole. */
  isOpen(): boolean
}

type OpenCall = { id: string | null; name: string; signature: string | null; args: Arguments }

/**
 * Gemini names calls by id only lately: where it does not, or names two alike, one is minted from the answer's id and the
 * call's place.
 */
export function createCalls({ responseId, choice }: { responseId: string; choice: number }): Calls {
  const ids = new Set<string>()
  let open: OpenCall | null = null

  function tell({ id, name, signature }: Omit<OpenCall, 'args'>, args: string): ToolCall {
    const minted = `call_${responseId.replaceAll(/[^a-z0-9]/gi, '').slice(0, 24)}_${choice}_${ids.size}`
    const called = id && !ids.has(id) ? id : minted
    ids.add(called)
    return { id: called, name, arguments: args, ...(signature ? { signature } : {}) }
  }

  function close(): ToolCall[] {
    const closed = open
    open = null
    return closed === null ? [] : [tell(closed, closed.args.json())]
  }

  return {
    count: () => ids.size,
    isOpen: () => open !== null,
    read({ functionCall: call, thoughtSignature }) {
      if (!call) return []
      const { id = null, name, args, partialArgs, willContinue } = call
      const signature = thoughtSignature ?? null
      // A call that begins ends the one before it, whatever that one promised.
      const before = name ? close() : []
      if (name && !partialArgs && (args || !willContinue)) {
        return [...before, tell({ id, name, signature }, JSON.stringify(args ?? {}))]
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

/** `add`: null, or why it cannot be added. */
type Arguments = { add(arg: PartialArg): Cause | null; json(): string }

/** By the member that tells them: without a prototype, so that no name means another thing. */
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
      return put(root, path, arg) ? null : 'malformed'
    },
  }
}

/** False where the place is none: a member of a text, or an item that is not the next of its list. */
function put(root: Members, path: readonly (string | number)[], arg: PartialArg): boolean {
  let holder: Members | unknown[] = root
  for (const [at, step] of path.entries()) {
    const isItem = typeof step === 'number'
    if (isItem !== Array.isArray(holder) || (Array.isArray(holder) && Number(step) > holder.length)) return false
    const held: unknown = Reflect.get(holder, step)
    const next = path[at + 1]
    if (next === undefined) {
      const value = valueOf(arg, held)
      if (value !== undefined) Reflect.set(holder, step, value)
      return true
    }
    const inner: unknown = held ?? (typeof next === 'number' ? [] : newMembers())
    if (!isHolder(inner)) return false
    Reflect.set(holder, step, inner)
    holder = inner
  }
  return false
}

const newMembers = (): Members => ({ __proto__: null })

const isHolder = (value: unknown): value is Members | unknown[] =>
  Array.isArray(value) || (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null)

/** A text goes behind what has come of it. undefined where nothing is told. */
function valueOf({ stringValue, numberValue, boolValue, nullValue }: PartialArg, held: unknown): unknown {
  if (typeof stringValue === 'string') return typeof held === 'string' ? held + stringValue : stringValue
  if (numberValue !== undefined && numberValue !== null) return numberValue
  if (typeof boolValue === 'boolean') return boolValue
  return nullValue === undefined ? undefined : null
}

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\[("(?:[^"\\]|\\.)*")\]/gsy

/** A JSONPath (RFC 9535) to one place, such as `$.rooms[0]['door no.']`; null for any other. */
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
