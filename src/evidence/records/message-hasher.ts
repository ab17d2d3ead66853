// Hashes an answer in Anthropic's format, whole or as its events. A call's arguments are hashed as canonical JSON: who uses a client
// library has only the object.
import { isJsonObject, readJson, type JsonObject } from '../../platform/json.ts'
import { indexOf, objectsIn, type AnswerHasher } from './answer-hasher.ts'
import { canonicalJson, ifCanonical } from './canonical-json.ts'

export class MessageHasher {
  readonly #hasher: AnswerHasher
  /** Block → the pieces of its call's arguments, until it ends. */
  readonly #open = new Map<number, { input: unknown; json: string }>()

  constructor(hasher: AnswerHasher) {
    this.#hasher = hasher
  }

  addMessage(message: JsonObject): void {
    const { model, content, stop_reason: reason } = message
    this.#hasher.addModel(model)
    this.#hasher.addFinish(0, reason)
    for (const [at, block] of objectsIn(content).entries()) {
      this.#begin(at, block)
      this.#end(at)
    }
  }

  addEvent(event: JsonObject): void {
    const { type, message, content_block: block, delta } = event
    const at = indexOf(event, 0)
    if (type === 'message_start' && isJsonObject(message)) this.addMessage(message)
    if (type === 'content_block_start' && isJsonObject(block)) this.#begin(at, block)
    if (type === 'content_block_delta' && isJsonObject(delta)) this.#add(at, delta)
    if (type === 'content_block_stop') this.#end(at)
    if (type === 'message_delta' && isJsonObject(delta)) this.#hasher.addFinish(0, delta['stop_reason'])
  }

  /** Ends what a cut has left open. */
  end(): void {
    for (const at of this.#open.keys()) this.#end(at)
  }

  bufferedBytes(): number {
    let bytes = 0
    for (const { json } of this.#open.values()) bytes += json.length
    return bytes
  }

  #begin(at: number, { type, text, id, name, input }: JsonObject): void {
    if (type === 'text') this.#hasher.addText(0, 'content', text)
    if (type !== 'tool_use') return
    this.#hasher.addCall(0, at, { id, name })
    this.#open.set(at, { input, json: '' })
  }

  #add(at: number, { type, text, partial_json: piece }: JsonObject): void {
    if (type === 'text_delta') this.#hasher.addText(0, 'content', text)
    const call = this.#open.get(at)
    if (type === 'input_json_delta' && typeof piece === 'string' && call !== undefined) call.json += piece
  }

  /** Arguments that were cut count as they are. */
  #end(at: number): void {
    const call = this.#open.get(at)
    if (call === undefined) return
    this.#open.delete(at)
    // A reader's JSON.parse rounds long numbers, which a provider's body here may still have.
    const input = readJson(call.json === '' ? (JSON.stringify(call.input) ?? '') : call.json)
    this.#hasher.addArguments(0, at, (input !== undefined && ifCanonical(() => canonicalJson(input))) || call.json)
  }
}
