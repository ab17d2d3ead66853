// Reads JSON of unknown content, and finds what JSON.parse should refuse: duplicate names, deep nesting, too many values.

export type JsonObject = { readonly [name: string]: unknown }

declare global {
  /** ECMAScript 2026 has these; TypeScript's library does not yet. */
  interface JSON {
    rawJSON?(text: string): object
    isRawJSON?(value: unknown): boolean
  }
}

/** Returns false for a raw number (`JSON.rawJSON`), which is an object to `typeof`. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.isRawJSON?.(value) !== true

/** Returns the record's own member of this name, or undefined. Inherited members, such as `constructor`, do not count. */
export const ownMember = <T>(record: Readonly<Record<string, T>> | undefined, name: string | null): T | undefined =>
  record !== undefined && name !== null && Object.hasOwn(record, name) ? record[name] : undefined

/** Returns the parsed text, or undefined if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the object in the text; an empty object if the text is anything else, or null. */
export function readJsonObject(text: string | null): JsonObject {
  const value = readJson(text ?? '')
  return isJsonObject(value) ? value : {}
}

export type StructureFault = { fault: 'duplicate_member'; name: string } | { fault: 'too_deep' }

const BLANK = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Returns the first fault that JSON.parse accepts, or null. A member named twice: two readers could understand it differently.
 * Deep nesting: it uses up a recursive reader's stack. Too many values: building them takes long.
 * Reads the text once. The result is meaningless for text that is not JSON: JSON.parse reports that.
 * @param mostLevels the maximum depth of nested objects and lists
 * @param mostValues the maximum number of members and entries of all objects and lists
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-4
 */
export function findStructureFault(json: string, mostLevels: number): StructureFault | null
export function findStructureFault(
  json: string,
  mostLevels: number,
  mostValues: number,
): StructureFault | { fault: 'too_many' } | null
export function findStructureFault(
  json: string,
  mostLevels: number,
  mostValues = Infinity,
): StructureFault | { fault: 'too_many' } | null {
  /** The names so far of each open object, null for each open list; innermost last. */
  const open: (Set<string> | null)[] = []
  let names: Set<string> | null = null
  let isNameNext = false
  let values = 0
  /** True right after an opening bracket. The first value is counted there, each further one at a comma. */
  let isFirst = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code <= BLANK) continue
    if (code === COMMA || (isFirst && code !== CLOSE_OBJECT && code !== CLOSE_LIST)) {
      values += 1
      if (values > mostValues) return { fault: 'too_many' }
    }
    isFirst = code === OPEN_OBJECT || code === OPEN_LIST
    switch (code) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        isNameNext = code === OPEN_OBJECT
        names = isNameNext ? new Set() : null
        if (open.push(names) > mostLevels) return { fault: 'too_deep' }
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        open.pop()
        names = open.at(-1) ?? null
        isNameNext = false
        break
      case COMMA:
        isNameNext = names !== null
        break
      case COLON:
        isNameNext = false
        break
      case QUOTE: {
        const end = closingQuote(json, at)
        if (isNameNext && names !== null) {
          const name = unescaped(json.slice(at, end + 1))
          const before = names.size
          if (names.add(name).size === before) return { fault: 'duplicate_member', name }
          isNameNext = false
        }
        at = end
      }
    }
  }
  return null
}

/** Returns true if objects and lists are nested deeper than `mostLevels`. Ignores other faults of the text. */
export function isTooDeep(json: string, mostLevels: number): boolean {
  let levels = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = closingQuote(json, at)
    else if (code === OPEN_OBJECT || code === OPEN_LIST) levels += 1
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) levels -= 1
    if (levels > mostLevels) return true
  }
  return false
}

/** Returns the index of the string's closing quote: the next with an even number of backslashes before it. */
function closingQuote(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end
    while (json.charCodeAt(first - 1) === BACKSLASH) first--
    if ((end - first) % 2 === 0) return end
  }
  return json.length
}

/** Decodes escapes, because "a" and "\u0061" are the same name. */
function unescaped(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
