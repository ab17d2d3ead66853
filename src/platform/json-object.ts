// JSON of which nothing is known yet.

export type JsonObject = { readonly [name: string]: unknown }

declare global {
  /** Of ECMAScript 2026, and not in TypeScript's library yet. */
  interface JSON {
    rawJSON?(text: string): object
    isRawJSON?(value: unknown): boolean
  }
}

/** False for a raw number (`JSON.rawJSON`), which is an object to `typeof`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.isRawJSON?.(value) !== true
}

/** What the text says; undefined where it is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
