// What identifies a request without holding a word of it: the SHA-256 of its canonical JSON, and of the part by which
// loops are found. Members are made canonical one by one, so that long messages are gone through once for both.
import { canonicalJson } from '../../attestation/canonical-json.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { sha256Hex } from '../../platform/sha256.ts'

export type RequestHashes = { requestHash: string; loopHash: string }

type CanonicalMember = { name: string; text: string }

/** What an answer can depend on. A stream, a user or log probabilities do not make another request of the same one. */
const LOOP_MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'web_search_options',
  'response_format',
  'text',
  'temperature',
  'top_p',
  'seed',
  'n',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'reasoning_effort',
  'reasoning',
  'verbosity',
])

/** Lower-case hex; null where the body holds what canonical JSON cannot say, such as half a surrogate pair. */
export function hashRequest(body: JsonObject): RequestHashes | null {
  try {
    const members = Object.entries(body).map(([name, value]) => ({
      name,
      text: `${canonicalJson(name)}:${canonicalJson(value)}`,
    }))
    // A member that is null counts as absent.
    const looping = members.filter(({ name }) => LOOP_MEMBERS.has(name) && body[name] !== null)
    const requestHash = sha256Hex(canonicalObject(members))
    const loopHash = looping.length === members.length ? requestHash : sha256Hex(canonicalObject(looping))
    return { requestHash, loopHash }
  } catch (thrown) {
    if (thrown instanceof TypeError) return null
    throw thrown
  }
}

/** RFC 8785 sorts members by the UTF-16 code units of their names, which is how `<` compares. */
function canonicalObject(members: readonly CanonicalMember[]): string {
  const sorted = members.toSorted((first, second) => (first.name < second.name ? -1 : 1))
  return `{${sorted.map(({ text }) => text).join(',')}}`
}
