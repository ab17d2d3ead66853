// JSON whose shape is not known yet.

export type JsonObject = { readonly [name: string]: unknown }

/** undefined where the text is no JSON, which no JSON text means. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** null where the text is no JSON, or JSON but no object. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isJsonObject(value) ? value : null
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
