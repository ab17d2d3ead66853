// Speeds up streams: nearly every event equals the one before except for its text. The constant part is the frame. Events that
// match the frame are recognised by comparing bytes; only others are parsed.

/**
 * The constant bytes of an event with one piece of text. `start` ends where the text begins. `rest` has the parts after the text
 * and after any padding, `end` begins at the last brace. Spaces before that brace belong to none of them.
 */
export type TextFrame = { readonly start: Uint8Array; readonly rest: readonly Uint8Array[]; readonly end: Uint8Array }

/** Any text that needs no escapes, and that no provider sends. */
const PROBE = '~ another text in the same place ~'

/** Matches an event of one line of data, after an `event` line or alone. */
const ONE_LINE = /^((?:event: [^\r\n]+\r?\n)?data: )([^\r\n]*)(\r?\n\r?\n)$/

const encoder = new TextEncoder()

/**
 * Returns the frame of an event that contains only `text`, or null if the text cannot be located with certainty.
 *
 * A JSON string can be replaced by any other that needs no escapes: everything around it is read as before. So one test is
 * enough: another text at the same position must be read as just that text. If the text occurs twice, the other position may be a
 * name or an id: then there is no frame.
 *
 * @param event as it came
 * @param read returns the text of an event's data if it is one piece of text and nothing else; else null
 */
export function learnFrame(event: string, text: string, read: (data: string) => string | null): TextFrame | null {
  const [, before, data, behind] = ONE_LINE.exec(event) ?? []
  if (before === undefined || data === undefined || behind === undefined) return null
  const quoted = `"${text}"`
  const at = data.indexOf(quoted) + 1
  if (at === 0 || at <= data.lastIndexOf(quoted) || !data.endsWith('}')) return null
  if (data.includes(PROBE) || endOfPlain(text, 0) !== text.length) return null
  const start = data.slice(0, at)
  const rest = cutAtPadding(data.slice(at + text.length, -1).trimEnd())
  if (read(`${[start, ...rest].join(PROBE)}}`) !== PROBE) return null
  return {
    start: encoder.encode(before + start),
    rest: rest.map((part) => encoder.encode(part)),
    end: encoder.encode(`}${behind}`),
  }
}

/**
 * Returns the end of the text in an event that matches the frame; it begins after `start`. Returns -1 for no match, for an empty
 * text and for one with escapes.
 */
export function endOfFramedText({ start, rest, end }: TextFrame, event: Uint8Array): number {
  if (!bytesMatchAt(start, event, 0)) return -1
  let at = start.length
  let textEnd = -1
  for (const part of rest) {
    const plainEnd = endOfPlainBytes(event, at)
    if (!bytesMatchAt(part, event, plainEnd)) return -1
    if (textEnd === -1) textEnd = plainEnd
    at = plainEnd + part.length
  }
  // Anthropic pads its events to equal sizes with spaces before the last brace.
  while (event[at] === SPACE) at += 1
  return bytesMatchAt(end, event, at) && at + end.length === event.length && textEnd > start.length ? textEnd : -1
}

/** OpenAI pads its events to equal sizes with a string that nobody reads. */
const PADDING = '"obfuscation":"'

function cutAtPadding(data: string): string[] {
  const at = data.indexOf(PADDING)
  if (at === -1) return [data]
  const start = at + PADDING.length
  return [data.slice(0, start), data.slice(endOfPlain(data, start))]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** Returns true if a character, or a UTF-8 byte of one, needs no escape in a JSON string. */
const isPlain = (code: number): boolean => code !== QUOTE && code !== BACKSLASH && code >= SPACE

/** Returns the end of the characters that need no escape in a JSON string. */
export function endOfPlain(data: string, from: number): number {
  let at = from
  while (at < data.length && isPlain(data.charCodeAt(at))) at += 1
  return at
}

/** Returns the same end in UTF-8 bytes: all bytes of a multi-byte character are above those that end the run. */
function endOfPlainBytes(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isPlain(bytes[at] ?? QUOTE)) at += 1
  return at
}

export function bytesMatchAt(part: Uint8Array, bytes: Uint8Array, at: number): boolean {
  if (at + part.length > bytes.length) return false
  for (let offset = 0; offset < part.length; offset++) {
    if (bytes[at + offset] !== part[offset]) return false
  }
  return true
}
