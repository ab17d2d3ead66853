// Hashes an answer while it is written, without keeping its text. Each text has a running hash, so choices and calls may alternate.
import { bytesToHex } from '@noble/hashes/utils.js'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { Hashing } from '../../platform/sha256.ts'
import { portableHashFunctions, type HashFunctions } from './hash-functions.ts'

/** What a hash of the answer covers. Each text is the SHA-256 of its UTF-8 as hex. Members are in the order of canonical JSON. */
export type AnswerOutline = {
  readonly choices: readonly {
    readonly content: string
    /** Empty if the choice was cut. */
    readonly finish_reason: string
    readonly index: number
    readonly refusal: string
    readonly tool_calls: readonly { readonly arguments: string; readonly id: string; readonly name: string }[]
  }[]
  readonly model: string
}

type Called = { id: string; name: string; readonly arguments: TextHash }
type HashedChoice = {
  readonly content: TextHash
  readonly refusal: TextHash
  finish: string
  readonly calls: Map<number, Called>
}

export class AnswerHasher {
  readonly #functions: HashFunctions
  readonly #choices = new Map<number, HashedChoice>()
  readonly #block: Block = { bytes: null, length: 0, owner: null }
  #model = ''

  constructor(functions: HashFunctions = portableHashFunctions) {
    this.#functions = functions
  }

  /** Adds a whole chat completion, or a chunk of one. Members that are missing or no text count as the empty text. */
  add(completion: JsonObject): void {
    this.addModel(completion['model'])
    for (const [place, choice] of objectsIn(completion['choices']).entries()) {
      const { message, delta, finish_reason: finish } = choice
      const at = indexOf(choice, place)
      this.addFinish(at, finish)
      const said = isJsonObject(message) ? message : delta
      if (!isJsonObject(said)) continue
      this.addText(at, 'content', said['content'])
      this.addText(at, 'refusal', said['refusal'])
      for (const [callPlace, call] of objectsIn(said['tool_calls']).entries()) {
        this.#addFunction(at, indexOf(call, callPlace), { id: call['id'], called: call['function'] })
      }
      if (isJsonObject(said['function_call'])) this.#addFunction(at, 0, { id: '', called: said['function_call'] })
    }
  }

  /** The first name that is not empty counts. */
  addModel(name: unknown): void {
    if (this.#model === '') this.#model = textOf(name)
  }

  addText(choice: number, kind: 'content' | 'refusal', piece: unknown): void {
    if (typeof piece === 'string' && piece !== '') this.#choice(choice)[kind].add(piece)
  }

  /** Adds a piece of content that is UTF-8 already: the bytes from `start` to before `end`. */
  addContentBytes(choice: number, bytes: Uint8Array, start: number, end: number): void {
    if (end > start) this.#choice(choice).content.addBytes(bytes, start, end)
  }

  /** The first id and the first name that are not empty count. */
  addCall(choice: number, index: number, { id, name }: { id: unknown; name: unknown }): void {
    const call = this.#call(choice, index)
    if (call.id === '') call.id = textOf(id)
    if (call.name === '') call.name = textOf(name)
  }

  addArguments(choice: number, index: number, piece: unknown): void {
    if (typeof piece === 'string' && piece !== '') this.#call(choice, index).arguments.add(piece)
  }

  /** The first reason that is not empty counts. */
  addFinish(choice: number, reason: unknown): void {
    if (typeof reason !== 'string' || reason === '') return
    const hashed = this.#choice(choice)
    if (hashed.finish === '') hashed.finish = reason === 'function_call' ? 'tool_calls' : textOf(reason)
  }

  /** Returns the outline; null if there is no answer. Call it once, at the end. */
  outline(): AnswerOutline | null {
    const choices = byIndex(this.#choices).flatMap(([index, { content, refusal, finish, calls }]) => {
      if (finish === '' && calls.size === 0 && content.isEmpty && refusal.isEmpty) return []
      const tools = byIndex(calls).map(([, call]) => {
        return { arguments: call.arguments.digest(), id: call.id, name: call.name }
      })
      const texts = { content: content.digest(), refusal: refusal.digest() }
      return [
        { content: texts.content, finish_reason: finish, index, refusal: texts.refusal, tool_calls: tools },
      ] as const
    })
    return choices.length === 0 ? null : { choices, model: this.#model }
  }

  #addFunction(choice: number, index: number, { id, called }: { id: unknown; called: unknown }): void {
    const given = isJsonObject(called) ? called : {}
    this.addCall(choice, index, { id, name: given['name'] })
    this.addArguments(choice, index, given['arguments'])
  }

  #choice(index: number): HashedChoice {
    const found = this.#choices.get(index)
    if (found !== undefined) return found
    const begun = { content: this.#text(), refusal: this.#text(), finish: '', calls: new Map<number, Called>() }
    this.#choices.set(index, begun)
    return begun
  }

  #call(choice: number, index: number): Called {
    const { calls } = this.#choice(choice)
    const found = calls.get(index)
    if (found !== undefined) return found
    const begun = { id: '', name: '', arguments: this.#text() }
    calls.set(index, begun)
    return begun
  }

  #text(): TextHash {
    return new TextHash(this.#functions, this.#block)
  }
}

/** Returns the items of a list; an empty object for each that is none. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map((item: unknown) => (isJsonObject(item) ? item : {})) : []

/** Returns the index of a choice or a call. @param place counts if the object names no index */
export const indexOf = ({ index }: JsonObject, place: number): number =>
  typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : place

/** Canonical JSON has no lone surrogates. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '')

const byIndex = <T>(map: ReadonlyMap<number, T>): [number, T][] =>
  [...map].toSorted(([first], [second]) => first - second)

/** Collects small pieces, because each update of a running hash is slow. All texts share it, so a stream keeps 1 KiB at most. */
type Block = { bytes: Uint8Array | null; length: number; owner: TextHash | null }

const BLOCK_BYTES = 1024

/** UTF-8 has at most three bytes for each UTF-16 code unit. */
const BYTES_A_UNIT = 3

/** Longer pieces are encoded by the runtime. */
const MOST_UNITS = 256

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const REPLACEMENT = 0xfffd

/** The first byte's mark of a character in UTF-8, by the number of bytes that follow. */
const LEADS = [0, 0xc0, 0xe0, 0xf0]

/** The hash of one text. A surrogate pair may come in two pieces; a lone surrogate counts as U+FFFD. */
class TextHash {
  readonly #functions: HashFunctions
  readonly #block: Block
  #begun: Hashing | null = null
  /** The first piece, until another comes: the text of a whole answer is hashed at once. */
  #only: string | null = null
  /** The high surrogate at the end of the text so far; 0 if it ends with another character. */
  #high = 0
  isEmpty = true

  constructor(functions: HashFunctions, block: Block) {
    this.#functions = functions
    this.#block = block
  }

  add(piece: string): void {
    if (this.isEmpty) {
      this.isEmpty = false
      this.#only = piece
    } else {
      this.#addOnly()
      this.#add(piece)
    }
  }

  #addOnly(): void {
    const only = this.#only
    this.#only = null
    if (only !== null) this.#add(only)
  }

  #add(piece: string): void {
    if (piece.length > MOST_UNITS) return this.#addLong(piece)
    const bytes = this.#reserve((piece.length + 1) * BYTES_A_UNIT)
    const block = this.#block
    let to = block.length
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      if (unit < 0x80 && this.#high === 0) bytes[to++] = unit
      else {
        block.length = to
        this.#addUnit(bytes, unit)
        to = block.length
      }
    }
    block.length = to
  }

  addBytes(source: Uint8Array, start: number, end: number): void {
    this.isEmpty = false
    this.#addOnly()
    const bytes = this.#reserve(Math.min(end - start, BLOCK_BYTES - BYTES_A_UNIT) + BYTES_A_UNIT)
    this.#endPair(bytes)
    if (end - start > BLOCK_BYTES - BYTES_A_UNIT) {
      this.flush()
      this.#running().update(source.subarray(start, end))
      return
    }
    let to = this.#block.length
    for (let at = start; at < end; at++) bytes[to++] = source[at] ?? 0
    this.#block.length = to
  }

  /** Returns the hash as hex. */
  digest(): string {
    if (this.isEmpty) return EMPTY_SHA256
    // The encoder writes U+FFFD for a lone surrogate.
    if (this.#only !== null) return bytesToHex(this.#functions.sha256(encoder.encode(this.#only)))
    if (this.#high !== 0) this.#endPair(this.#reserve(BYTES_A_UNIT))
    const { bytes, length, owner } = this.#block
    if (this.#begun === null && owner === this && bytes !== null) {
      return bytesToHex(this.#functions.sha256(bytes.subarray(0, length)))
    }
    if (owner === this) this.flush()
    return this.#running().digestHex()
  }

  /** Moves the block, which is this text's, into the running hash. */
  flush(): void {
    const { bytes, length } = this.#block
    if (bytes !== null && length > 0) this.#running().update(bytes.subarray(0, length))
    this.#block.length = 0
  }

  #running(): Hashing {
    this.#begun ??= this.#functions.beginSha256()
    return this.#begun
  }

  /** Returns the block, with room for so many bytes of this text. */
  #reserve(room: number): Uint8Array {
    const block = this.#block
    block.bytes ??= new Uint8Array(BLOCK_BYTES)
    if (block.owner !== this || block.length + room > BLOCK_BYTES) {
      block.owner?.flush()
      block.owner = this
    }
    return block.bytes
  }

  #addLong(piece: string): void {
    const text = this.#high === 0 ? piece : String.fromCharCode(this.#high) + piece
    const last = text.charCodeAt(text.length - 1)
    this.#high = isHigh(last) ? last : 0
    this.#reserve(BLOCK_BYTES)
    this.flush()
    this.#running().update((this.#high === 0 ? text : text.slice(0, -1)).toWellFormed())
  }

  #addUnit(bytes: Uint8Array, unit: number): void {
    const high = this.#high
    if (isHigh(unit)) {
      this.#endPair(bytes)
      this.#high = unit
    } else if (!isLow(unit)) {
      this.#endPair(bytes)
      this.#encode(bytes, unit)
    } else if (high === 0) this.#encode(bytes, REPLACEMENT)
    else {
      this.#high = 0
      this.#encode(bytes, ((high - 0xd800) << 10) + (unit - 0xdc00) + 0x10000)
    }
  }

  /** Replaces a high surrogate that nothing follows. */
  #endPair(bytes: Uint8Array): void {
    if (this.#high !== 0) this.#encode(bytes, REPLACEMENT)
    this.#high = 0
  }

  /** Writes a character in UTF-8. */
  #encode(bytes: Uint8Array, point: number): void {
    const more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
    bytes[this.#block.length++] = (LEADS[more] ?? 0) | (point >> (6 * more))
    for (let left = more - 1; left >= 0; left--) bytes[this.#block.length++] = 0x80 | ((point >> (6 * left)) & 0x3f)
  }
}

const encoder = new TextEncoder()

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
