// A JSON object of which nothing is known yet.

export type JsonObject = { readonly [name: string]: unknown }

declare global {
  /** Of ECMAScript 2026, and not in TypeScript's library yet. */
  interface JSON {
    rawJSON?(text: string): object
    isRawJSON?(value: unknown): boolean
  }
}

/** A number that keeps its digits by `JSON.rawJSON` is none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.isRawJSON?.(value) !== true
}
