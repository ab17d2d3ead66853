// Nearly every event of a stream is the one before with another piece of text in it. Its frame is what stays: events that
// fit are read by comparing strings, and every other one is left to JSON and the schemas.

/** An event of one piece of text but for its last brace, cut at the strings that may differ. The first of those is the text. */
export type TextFrame = { readonly start: string; readonly rest: readonly string[] }

/** Any text that needs no escapes, and that no provider sends. */
const PROBE = '~ another text in the same place ~'

/**
 * The frame of an event that says `text` and nothing else, or null where the text cannot be told from the rest of it.
 *
 * A string in JSON may be replaced by any other that needs no escapes: all that stands around it is read as before. So it
 * is enough to see once that a text put in the same place is read as just that text. Where the text stands twice, the other
 * place may be a name or an id, which must not be read as another: nothing is put there.
 *
 * @param read the text an event is read as, if it says one piece of text and nothing else; else null
 */
export function learnFrame(data: string, text: string, read: (data: string) => string | null): TextFrame | null {
  const quoted = `"${text}"`
  const at = data.indexOf(quoted) + 1
  if (at === 0 || at <= data.lastIndexOf(quoted) || !data.endsWith('}')) return null
  if (data.includes(PROBE) || endOfPlain(text, 0) !== text.length) return null
  const frame = { start: data.slice(0, at), rest: cutAtPadding(data.slice(at + text.length, -1).trimEnd()) }
  return read(`${[frame.start, ...frame.rest].join(PROBE)}}`) === PROBE ? frame : null
}

/** The text of an event that fits the frame; null where it does not, or where its text is empty or needs escapes. */
export function readFramed({ start, rest }: TextFrame, data: string): string | null {
  if (!data.startsWith(start)) return null
  let at = start.length
  let text: string | null = null
  for (const part of rest) {
    const end = endOfPlain(data, at)
    if (!data.startsWith(part, end)) return null
    text ??= data.slice(at, end)
    at = end + part.length
  }
  return isLastBrace(data, at) && text !== '' ? text : null
}

/** Anthropic pads its events to like sizes with spaces before it. */
function isLastBrace(data: string, from: number): boolean {
  let at = from
  while (data.charCodeAt(at) === SPACE) at += 1
  return at === data.length - 1 && data.charCodeAt(at) === BRACE
}

/** OpenAI pads its events to like sizes with a string that nobody reads. */
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
const BRACE = 0x7d

/** Where the characters end that stand for themselves in a JSON string. */
export function endOfPlain(data: string, from: number): number {
  let at = from
  for (; at < data.length; at++) {
    const code = data.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH || code < SPACE) break
  }
  return at
}
