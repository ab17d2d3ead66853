// Tools as Anthropic takes them. Those that are strict must be closed, as answers by a schema are.
import type { EncodedMembers } from '../adapter.ts'
import { unsupported } from '../failure.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import { subschemas } from '../json-schema/subschemas.ts'
import { translateSchema } from '../json-schema/translate-schema.ts'
import type { ChatRequest } from '../request.ts'
import { cacheControl } from './cache-marks.ts'
import { anthropicSchemaRules } from './schema.ts'

export function encodeTools(request: ChatRequest): EncodedMembers {
  const { tools = [] } = request
  if (tools.length === 0) return { ok: true, members: {} }
  const encoded: JsonObject[] = []
  for (const [at, { name, description, parameters, strict, cache }] of tools.entries()) {
    const input = encodeParameters(parameters, strict === true)
    if (!input.ok) {
      const { path, message } = input.fault
      return { ok: false, unsupported: unsupported(`tools[${at}].function.parameters${path}`, message) }
    }
    encoded.push({ name, description, input_schema: input.schema, strict, cache_control: cacheControl(cache) })
  }
  return { ok: true, members: { tools: encoded, tool_choice: encodeChoice(request) } }
}

/** A model that thinks does not do so where a tool is forced, so thinking need not be switched off. */
function encodeChoice({ toolChoice = 'auto', parallelToolCalls }: ChatRequest): JsonObject {
  const choice =
    typeof toolChoice === 'object'
      ? { type: 'tool', name: toolChoice.name }
      : { type: toolChoice === 'required' ? 'any' : toolChoice }
  return parallelToolCalls === false && toolChoice !== 'none' ? { ...choice, disable_parallel_tool_use: true } : choice
}

type Parameters = ReturnType<typeof translateSchema>

const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const

function encodeParameters(parameters: JsonObject | undefined, strict: boolean): Parameters {
  const schema = { type: 'object', ...(parameters ?? { properties: {} }) }
  if (schema.type !== 'object') return refuse('.type', 'The parameters of a tool are an object with this model.')
  const translated: Parameters = strict ? translateSchema(schema, anthropicSchemaRules) : { ok: true, schema }
  if (!translated.ok) return translated
  const choice = CHOICES.find((keyword) => keyword in translated.schema)
  if (choice !== undefined) {
    return refuse('', `This model takes no ${choice} at the top of a tool's parameters. Put it into a property.`)
  }
  if (!hasPlainProperties(translated.schema)) {
    return refuse(
      '',
      'This model takes letters, digits, dots, hyphens and underscores in names of properties, up to 64.',
    )
  }
  return translated
}

const refuse = (path: string, message: string): Parameters => ({ ok: false, fault: { path, message } })

const PROPERTY = /^[\w.-]{1,64}$/

function hasPlainProperties(schema: JsonObject): boolean {
  const { properties } = schema
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  return names.every((name) => PROPERTY.test(name)) && subschemas(schema).every(hasPlainProperties)
}
