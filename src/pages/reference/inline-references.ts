// An OpenAPI document says once what many operations repeat. Readers of an operation want it in the operation.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'

/**
 * Returns the document with what its operations refer to in their place: parameters, request bodies, responses and the headers
 * of responses. Schemas stay references, since they may contain themselves. Throws TypeError for a reference to nothing.
 */
export function inlineReferences<T extends object>(document: T): T {
  const target = (value: unknown): JsonObject => {
    const { $ref, ...said } = membersOf(value)
    if (typeof $ref !== 'string') return said
    // Names of components have no characters that a JSON pointer escapes.
    const found = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => membersOf(at)[name], document)
    if (found === undefined) throw new TypeError(`${$ref} refers to nothing`)
    return { ...target(found), ...said }
  }
  const responseOf = (declared: unknown): JsonObject => {
    const response = target(declared)
    return 'headers' in response ? { ...response, headers: mapValues(response['headers'], target) } : response
  }
  const operationOf = (declared: unknown): JsonObject => {
    const { parameters, requestBody, ...operation } = membersOf(declared)
    return {
      ...operation,
      ...(Array.isArray(parameters) && { parameters: parameters.map(target) }),
      ...(requestBody !== undefined && { requestBody: target(requestBody) }),
    }
  }
  return mapResponses(mapOperations(document, operationOf), responseOf)
}

const mapOperations = <T extends object>(document: T, change: (operation: JsonObject) => JsonObject): T => ({
  ...document,
  paths: mapValues(membersOf(document)['paths'], (methods) => mapValues(methods, change)),
})

export const mapResponses = <T extends object>(document: T, change: (response: JsonObject) => JsonObject): T =>
  mapOperations(document, (operation) =>
    'responses' in operation ? { ...operation, responses: mapValues(operation['responses'], change) } : operation,
  )

export const mapValues = (value: unknown, change: (value: JsonObject, name: string) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, one]) => [name, change(membersOf(one), name)]))

/** Returns the members of an object, and none of anything else. */
export const membersOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
