// Reads HTML and XML as a person reads it in a browser: without tags, comments, scripts and styles, references decoded.
import type { Steps } from '../../../platform/computation-steps.ts'
import { characterOf, REFERENCE } from '../normalise/decode-escapes.ts'
import { COPIED, DECODED, SET, type Insertions, type Reading } from './reading.ts'
import { asWords, attributeKind, effectOf, headingIn, isAboutDocument, isHtml, LABEL } from './html-elements.ts'
import { CELL, CHARACTERS_PER_STEP, NOTHING, PARAGRAPH, Rendering } from './rendering.ts'

/** Matches what can begin markup. A text without it is not read as HTML. */
const MAY_BE_HTML = /(?:<|&lt;)(?:\\?\/[a-z]|[a-z]|\?|!(?:--|\[|doctype))/i

/** A closing tag is `<\/b>` in JSON of some programs. */
const TAG =
  /<(\\?\/|)([a-z][a-z0-9]{0,30}(?:[:._-][a-z0-9._-]{1,40})?)((?:[\s/][^<>"']{0,2048}(?:(?:"(?:data:image\/[^"<>]*|[^"]{0,2048})"|'[^']{0,2048}')[^<>"']{0,2048}){0,64})?)>/iy
/** Attributes as XML writes them. Only these may follow a name that HTML does not know: `x<y and y>z` has no tag. */
const XML_ATTRIBUTES = /^(?:\s+[a-z_:][\w:.-]{0,64}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?$/i
const ATTRIBUTE = /([a-z_:][\w:.-]{0,64})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi

/** How far behind the name of an element or field its value may be. */
const NAME_REACH = 48

/** A style may hold words in what it writes, and in comments. */
const WORDS_OF_STYLE = /"[^"\n]{4,2048}"|\/\*[^*]{4,2048}\*\//g

/** Matches what only a whole document has: there a line end is a blank. In a text with a few tags it ends a line. */
const DOCUMENT = /<(?:!doctype|\?xml|html|body|div|p|br|table|td|tr|ul|ol|li|h[1-6]|section|text|paragraph|item)[\s>/]/i
const CONDITION = /^<!--\[if (?:(supportFields)|[^\]]{1,56})\]>(<xml>)?/i
const LONGEST_CONDITION = 72

const PREFORMATTED = new Set(['pre', 'textarea', 'listing', 'xmp'])

const RAW_TEXT = new Set(['script', 'style'])

export function* readHtml(text: string): Steps<Reading[]> {
  if (!MAY_BE_HTML.test(text)) return []
  const rendering = new Rendering(text)
  const isDocument = DOCUMENT.test(text)
  rendering.collapses = isDocument
  let at = 0
  let inCell = false
  const table = new Headings()
  let tagName = ''
  let attributesLength = 0
  const ends = new Map<string, boolean>()
  /** Returns the end of `closing` after `from`, or -1. A search that failed once is not repeated. */
  const endAfter = (closing: string, from: number): number => {
    if (ends.get(closing) === false) return -1
    const found = text.indexOf(closing, from)
    if (found === -1) ends.set(closing, false)
    return found === -1 ? -1 : found + closing.length
  }
  let nextTag = text.indexOf('<')
  let nextReference = text.indexOf('&')
  let nextEnd = text.indexOf('>')
  let stepTo = CHARACTERS_PER_STEP
  for (;;) {
    const isTag = nextTag !== -1 && (nextReference === -1 || nextTag < nextReference)
    const next = isTag ? nextTag : nextReference
    if (next === -1) break
    if (next >= stepTo) {
      yield next - stepTo + CHARACTERS_PER_STEP
      stepTo = next + CHARACTERS_PER_STEP
    }
    if (!isTag) {
      REFERENCE.lastIndex = next
      const match = REFERENCE.exec(text)
      const character = match === null ? undefined : characterOf(match)
      if (match !== null && character !== undefined) {
        rendering.text(at, next)
        at = next + match[0].length
        rendering.character(character, next, at)
      }
      nextReference = text.indexOf('&', Math.max(at, next + 1))
      continue
    }
    if (nextEnd !== -1 && nextEnd < next) nextEnd = text.indexOf('>', next)
    let end = nextEnd === -1 ? -1 : endOfMarkup(next)
    if (end !== -1) {
      rendering.text(at, next)
      at = readMarkup(next, end)
      if (nextReference !== -1 && nextReference < at) nextReference = text.indexOf('&', at)
    } else end = next + 1
    nextTag = text.indexOf('<', Math.max(at, end))
  }
  rendering.text(at, text.length)
  return yield* rendering.finish()

  /** Returns where the markup that begins at `start` ends, or -1 if it is none. */
  function endOfMarkup(start: number): number {
    const second = text.charCodeAt(start + 1)
    if (second === 0x21 /* ! */) {
      if (text.startsWith('<!-->', start)) return start + 5
      if (text.startsWith('<!--[if ', start)) return endOfCondition(start)
      if (text.startsWith('<!--', start)) return endAfter('-->', start + 4)
      if (text.startsWith('<![CDATA[', start)) return start + 9
      return /[[a-z]/i.test(text.charAt(start + 2)) && nextEnd - start < 2048 ? nextEnd + 1 : -1
    }
    if (second === 0x3f /* ? */) return text.startsWith('<?xml:', start) ? nextEnd + 1 : endAfter('?>', start + 2)
    TAG.lastIndex = start
    const match = TAG.exec(text)
    if (match === null) return -1
    const written = match[2] ?? ''
    tagName = written.toLowerCase()
    attributesLength = (match[3] ?? '').length
    const isKnown = isHtml(tagName)
    // "joe <at> example <dot> ie" is an address.
    if (!isKnown && (!XML_ATTRIBUTES.test(match[3] ?? '') || tagName === 'at' || tagName === 'dot')) return -1
    return TAG.lastIndex
  }

  /** Word shows what is in a conditional comment, except its settings and the codes of fields. */
  function endOfCondition(start: number): number {
    const [condition = '', isFields, isSettings] = CONDITION.exec(text.slice(start, start + LONGEST_CONDITION)) ?? []
    if (condition === '' || isFields !== undefined || isSettings !== undefined) return endAfter('-->', start + 4)
    return start + condition.length
  }

  /** Returns where reading continues. */
  function readMarkup(start: number, end: number): number {
    const second = text.charCodeAt(start + 1)
    if (second === 0x21 || second === 0x3f) {
      rendering.markup(NOTHING, start)
      const [, , isSettings] = CONDITION.exec(text.slice(start, Math.min(end, start + LONGEST_CONDITION))) ?? []
      if (isSettings === undefined) rendering.hide(start, end)
      return end
    }
    const isClosing = second === 0x2f || second === 0x5c /* \\ */
    const name = tagName
    let effect = effectOf(name)
    if (name === 'td' || name === 'th') inCell = !isClosing
    else if (name === 'tr' || name === 'table') inCell = false
    // Paragraphs within a cell are part of it.
    else if (inCell && effect === PARAGRAPH) effect = CELL
    if (PREFORMATTED.has(name)) rendering.collapses = isDocument && isClosing
    const heading = table.read(name, isClosing, text, start, end)
    if (heading !== undefined) {
      rendering.inside.begin()
      rendering.inside.put(SET, ` ${heading} `, start, start)
      rendering.inside.end(NAME_REACH)
    }
    rendering.tag(effect, start, isClosing)
    if (isClosing) {
      rendering.hide(start, end)
      return end
    }
    readAttributes(name, start, end)
    if (!RAW_TEXT.has(name)) return end
    const close = endAfter(`</${name}>`, end)
    if (close === -1) return end
    rendering.markup(NOTHING, end)
    if (name !== 'style') rendering.hide(end, close)
    else
      for (const { 0: words, index } of text.slice(end, close).matchAll(WORDS_OF_STYLE))
        rendering.hide(end + index, end + index + words.length)
    return close
  }

  function readAttributes(name: string, start: number, end: number): void {
    if (isAboutDocument(name, text.slice(start, end))) return
    let reach = 0
    let hasWords = false
    let hideFrom = start
    const begin = (): void => {
      if (!hasWords) rendering.inside.begin()
      hasWords = true
    }
    if (!isHtml(name) && LABEL.test(name)) {
      const local = text.slice(start + 1, start + 1 + name.length).replace(/^.*:/, '')
      begin()
      rendering.inside.put(DECODED, ` ${asWords(local)} `, start + 1, start + 1 + name.length)
      reach = NAME_REACH
    }
    const from = start + 1 + name.length
    for (const match of attributesLength > 3 ? text.slice(from, end).matchAll(ATTRIBUTE) : []) {
      const attribute = (match[1] ?? '').toLowerCase()
      const value = match[2] ?? match[3] ?? match[4] ?? ''
      if (value === '') continue
      const attributeStart = from + match.index
      const kind = attributeKind(name, attribute, value)
      if (kind === 'unread') {
        rendering.hide(hideFrom, attributeStart)
        hideFrom = attributeStart + match[0].length
      }
      if (kind === 'unread' || kind === 'other') continue
      const valueEnd = attributeStart + match[0].length - (match[4] === undefined ? 1 : 0)
      const valueStart = valueEnd - value.length
      begin()
      rendering.inside.put(SET, ' ', valueStart, valueStart)
      if (kind === 'name') {
        rendering.inside.put(DECODED, asWords(value), valueStart, valueEnd)
        reach = NAME_REACH
      } else putDecoded(rendering.inside, value, valueStart)
    }
    rendering.hide(hideFrom, end)
    if (!hasWords) return
    rendering.inside.put(SET, ' ', end, end)
    rendering.inside.end(reach)
  }
}

/** The headings of a table's columns, which are labels of the cells below. A row with a figure in it has none. */
class Headings {
  #headings: (string | undefined)[] = []
  #hasFigure = false
  #row = 0
  #column = -1
  #cellStart = -1

  /** Reads a tag. Returns the heading of the column if a cell below it begins. */
  read(name: string, isClosing: boolean, text: string, start: number, end: number): string | undefined {
    const isCell = name === 'td' || name === 'th'
    if (isCell || name === 'tr') this.#endCell(text, start)
    if (isClosing) return undefined
    if (name === 'table') {
      this.#headings = []
      this.#hasFigure = false
      this.#row = 0
    } else if (name === 'tr') {
      this.#row += 1
      this.#column = -1
    } else if (isCell) {
      this.#column += 1
      this.#cellStart = end
      return this.#row > 1 && !this.#hasFigure ? this.#headings[this.#column] : undefined
    }
    return undefined
  }

  #endCell(text: string, end: number): void {
    if (this.#cellStart !== -1 && this.#row === 1) {
      const cell = text.slice(this.#cellStart, end)
      this.#headings[this.#column] = headingIn(cell)
      this.#hasFigure ||= /\d/.test(cell.replace(/<[^<>]*>/g, ''))
    }
    this.#cellStart = -1
  }
}

function putDecoded(words: Insertions, value: string, at: number): void {
  let from = 0
  for (let next = value.indexOf('&'); next !== -1; next = value.indexOf('&', next + 1)) {
    REFERENCE.lastIndex = next
    const match = REFERENCE.exec(value)
    const character = match === null ? undefined : characterOf(match)
    if (match === null || character === undefined) continue
    words.put(COPIED, '', at + from, at + next)
    from = next + match[0].length
    words.put(DECODED, character, at + next, at + from)
  }
  words.put(COPIED, '', at + from, at + value.length)
}
