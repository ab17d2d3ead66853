// JSON whose content is not known yet.

export type JsonObject = { readonly [name: string]: unknown }

declare global {
  /** ECMAScript 2026 has these; TypeScript's library does not yet. */
  interface JSON {
    rawJSON?(text: string): object
    isRawJSON?(value: unknown): boolean
  }
}

/** False for a raw number (`JSON.rawJSON`), which is an object to `typeof`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.isRawJSON?.(value) !== true
}

/** The parsed text, or undefined if it is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
