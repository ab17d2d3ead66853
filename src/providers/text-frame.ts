// Nearly every event of a stream is the one before with another piece of text in it. Its frame is what stays: events that
// fit are told by comparing bytes, and every other one is left to JSON and the schemas.

/**
 * An event of one piece of text, its lines and their ends included, but for the spaces before its last brace: cut at the
 * strings that may differ. The first of those is the text.
 */
export type TextFrame = { readonly start: Uint8Array; readonly rest: readonly Uint8Array[]; readonly end: Uint8Array }

/** Any text that needs no escapes, and that no provider sends. */
const PROBE = '~ another text in the same place ~'

/** An event of one line of data, after an `event` line or alone. */
const ONE_LINE = /^((?:event: [^\r\n]+\r?\n)?data: )([^\r\n]*)(\r?\n\r?\n)$/

const encoder = new TextEncoder()

/**
 * The frame of an event that says `text` and nothing else, or null where the text cannot be told from the rest of it.
 *
 * A string in JSON may be replaced by any other that needs no escapes: all that stands around it is read as before. So it
 * is enough to see once that a text put in the same place is read as just that text. Where the text stands twice, the other
 * place may be a name or an id, which must not be read as another: nothing is put there.
 *
 * @param event as it came
 * @param read the text that an event's data is read as, if it says one piece of text and nothing else; else null
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
 * The end of the text in an event that fits the frame; it begins after `start`. -1 if the event does not fit, or its text
 * is empty or needs escapes.
 */
export function endOfFramedText({ start, rest, end }: TextFrame, event: Uint8Array): number {
  if (!standsAt(start, event, 0)) return -1
  let at = start.length
  let textEnd = -1
  for (const part of rest) {
    const plainEnd = endOfPlainBytes(event, at)
    if (!standsAt(part, event, plainEnd)) return -1
    if (textEnd === -1) textEnd = plainEnd
    at = plainEnd + part.length
  }
  // Anthropic pads its events to like sizes with spaces before the last brace.
  while (event[at] === SPACE) at += 1
  return standsAt(end, event, at) && at + end.length === event.length && textEnd > start.length ? textEnd : -1
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

/** True if a character, or a byte of one in UTF-8, needs no escape in a JSON string. */
const isPlain = (code: number): boolean => code !== QUOTE && code !== BACKSLASH && code >= SPACE

/** The end of the characters that need no escape in a JSON string. */
export function endOfPlain(data: string, from: number): number {
  let at = from
  while (at < data.length && isPlain(data.charCodeAt(at))) at += 1
  return at
}

/** The same in UTF-8: the bytes of a character of several are all above those that end it. */
function endOfPlainBytes(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isPlain(bytes[at] ?? QUOTE)) at += 1
  return at
}

export function standsAt(part: Uint8Array, bytes: Uint8Array, at: number): boolean {
  if (at + part.length > bytes.length) return false
  for (let offset = 0; offset < part.length; offset++) {
    if (bytes[at + offset] !== part[offset]) return false
  }
  return true
}
