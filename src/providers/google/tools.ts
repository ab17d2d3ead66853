// Functions as Gemini takes them, and how they may be called.
import type { EncodedMembers } from '../adapter.ts'
import { unsupported } from '../failure.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { translateSchema } from '../json-schema/translate-schema.ts'
import type { ChatRequest } from '../request.ts'
import { geminiSchemaRules } from './schema.ts'

export function encodeTools(request: ChatRequest): EncodedMembers {
  const { tools = [] } = request
  if (tools.length === 0) return { ok: true, members: {} }
  const functionDeclarations: JsonObject[] = []
  for (const [at, { name, description, parameters }] of tools.entries()) {
    if (!/^[a-z_]/i.test(name)) {
      return refuse(`tools[${at}].function.name`, 'With this model the name of a tool begins with a letter or _.')
    }
    const translated = parameters === undefined ? null : translateSchema(parameters, geminiSchemaRules)
    if (translated?.ok === false) {
      const { path, message } = translated.fault
      return refuse(`tools[${at}].function.parameters${path}`, message)
    }
    functionDeclarations.push({ name, description, parametersJsonSchema: translated?.schema })
  }
  const toolConfig = { functionCallingConfig: encodeChoice(request) }
  return { ok: true, members: { tools: [{ functionDeclarations }], toolConfig } }
}

const refuse = (param: string, message: string): EncodedMembers => ({
  ok: false,
  unsupported: unsupported(param, message),
})

/** Arguments are held to their schemas in the modes `ANY` and `VALIDATED`, for all functions alike. */
function encodeChoice({ tools = [], toolChoice = 'auto' }: ChatRequest): JsonObject {
  if (typeof toolChoice === 'object') return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
  if (toolChoice === 'auto') return { mode: tools.some(({ strict }) => strict === true) ? 'VALIDATED' : 'AUTO' }
  return { mode: toolChoice === 'none' ? 'NONE' : 'ANY' }
}
