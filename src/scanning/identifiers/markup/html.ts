// Reads HTML and XML as a person reads it in a browser: without tags, comments, scripts and styles, references decoded.
import type { Steps } from '../../../platform/computation-steps.ts'
import { characterOf, REFERENCE } from '../normalise/decode-escapes.ts'
import { COPIED, DECODED, SET, type Insertions, type Reading } from './reading.ts'
import { BREAK, CELL, CHARACTERS_PER_STEP, LINE, NOTHING, PARAGRAPH, Rendering, TIED } from './rendering.ts'

/** Matches what can begin markup. A text without it is not read as HTML. */
const MAY_BE_HTML = /(?:<|&lt;)(?:\\?\/[a-z]|[a-z]|\?|!(?:--|\[|doctype))/i

/** A closing tag is `<\/b>` in JSON of some programs. */
const TAG =
  /<(\\?\/|)([a-z][a-z0-9]{0,30}(?:[:._-][a-z0-9._-]{1,40})?)((?:[\s/][^<>"']{0,2048}(?:(?:"(?:data:image\/[^"<>]*|[^"]{0,2048})"|'[^']{0,2048}')[^<>"']{0,2048}){0,64})?)>/iy
/** What may follow the name of an element that HTML does not know: `x<y and y>z` has no tag. */
const XML_ATTRIBUTES = /^(?:\s+[a-z_:][\w:.-]{0,64}\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?$/i
const ATTRIBUTE = /([a-z_:][\w:.-]{0,64})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi

const INLINE =
  'a abbr acronym audio b bdi bdo big blink button canvas cite code data datalist del dfn em embed font i iframe img input ins kbd label map mark marquee meta meter noscript object output param picture progress q rp rt ruby s samp select slot small source span strike strong svg template textarea time track tt u var video wbr link base area basefont col colgroup frame style script nobr'
const LINES =
  'address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset head header hgroup html legend li main menu nav optgroup option search section summary tbody tfoot thead title tr'
const PARAGRAPHS = 'p h1 h2 h3 h4 h5 h6 ul ol table blockquote pre hr'
const EFFECTS: ReadonlyMap<string, number> = new Map([
  ...INLINE.split(' ').map((name) => [name, NOTHING] as const),
  ...LINES.split(' ').map((name) => [name, LINE] as const),
  ...PARAGRAPHS.split(' ').map((name) => [name, PARAGRAPH] as const),
  ...['sub', 'sup'].map((name) => [name, TIED] as const),
  ['br', BREAK],
  ...['td', 'th'].map((name) => [name, CELL] as const),
])

/** Attributes whose values a person may read, or a program takes for the value. */
const VALUES = new Set(
  'value content title alt placeholder label aria-label aria-valuetext extension datetime displayname summary'.split(
    ' ',
  ),
)
/** Attributes whose values may name what follows. */
const NAMES = new Set('name id class for itemprop property type use scheme'.split(' '))
const LABEL =
  /m[._-]?r[._-]?n|hrn|d\.?o\.?b|birth|born|phone|(?<![a-z])tel(?![a-z])|mobile|(?<![a-z])fax|nhs|(?<![a-z])chi(?![a-z])|hcn|h[&-]?c(?![a-z])|pps|eir-?code|post-?code|(?<![a-z])zip|chart|hospital|patient-?_?(?:id|no|num)|record|(?<![a-z])e-?mail/i
const LINK = /^(?:tel|mailto|sms|callto|skype|whatsapp):/i
/** Attributes that hold no words: only programs read them, and many write long numbers there. */
const UNREAD = new Set(
  'class id style lang xml:lang dir align valign width height color bgcolor link vlink alink text face size border cellpadding cellspacing colspan rowspan http-equiv rel target srcset sizes d points viewbox transform'.split(
    ' ',
  ),
)
/** Elements that say by which program or standard a document was made, and when. */
const ABOUT_DOCUMENT = new Set(['typeid', 'templateid'])
const META_ABOUT_DOCUMENT =
  /\sname\s*=\s*["']?(?:created|changed|date|dcterms\.\w+|generator|progid|originator|viewport)["'\s]/i
/** How far behind the name of an element or field its value may be. */
const NAME_REACH = 48

/** A style may hold words in what it writes, and in comments. */
const WORDS_OF_STYLE = /"[^"\n]{4,2048}"|\/\*[^*]{4,2048}\*\//g

const RAW_TEXT = new Set(['script', 'style'])

export function* readHtml(text: string): Steps<Reading[]> {
  if (!MAY_BE_HTML.test(text)) return []
  const rendering = new Rendering(text)
  let at = 0
  let inCell = false
  /** Of the tag that was read last. */
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
      if (text.startsWith('<!--', start)) return endAfter('-->', start + 4)
      if (text.startsWith('<![CDATA[', start)) return start + 9
      return /[[a-z]/i.test(text.charAt(start + 2)) && nextEnd - start < 2048 ? nextEnd + 1 : -1
    }
    if (second === 0x3f /* ? */) return endAfter('?>', start + 2)
    TAG.lastIndex = start
    const match = TAG.exec(text)
    if (match === null) return -1
    const written = match[2] ?? ''
    tagName = written.toLowerCase()
    attributesLength = (match[3] ?? '').length
    const isKnown = EFFECTS.has(tagName)
    // "joe <at> example <dot> ie" is an address.
    if (!isKnown && (!XML_ATTRIBUTES.test(match[3] ?? '') || tagName === 'at' || tagName === 'dot')) return -1
    return TAG.lastIndex
  }

  /** Returns where reading continues. */
  function readMarkup(start: number, end: number): number {
    const second = text.charCodeAt(start + 1)
    if (second === 0x21 || second === 0x3f) {
      rendering.markup(NOTHING, start)
      rendering.hide(start, end)
      return end
    }
    const isClosing = second === 0x2f || second === 0x5c /* \\ */
    const name = tagName
    let effect = EFFECTS.get(name) ?? NOTHING
    if (effect === CELL) inCell = !isClosing
    else if (name === 'tr' || name === 'table') inCell = false
    // Paragraphs within a cell are part of it.
    else if (inCell && effect === PARAGRAPH) effect = CELL
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
    if (ABOUT_DOCUMENT.has(name) || (name === 'meta' && META_ABOUT_DOCUMENT.test(text.slice(start, end)))) return
    let reach = 0
    let hasWords = false
    let hideFrom = start
    const begin = (): void => {
      if (!hasWords) rendering.inside.begin()
      hasWords = true
    }
    if (!EFFECTS.has(name) && LABEL.test(name)) {
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
      const isImage = value.startsWith('data:image/')
      if (isImage || ((UNREAD.has(attribute) || attribute.startsWith('xmlns')) && !LABEL.test(value))) {
        rendering.hide(hideFrom, attributeStart)
        hideFrom = attributeStart + match[0].length
        continue
      }
      const isLink = (attribute === 'href' || attribute === 'src') && LINK.test(value)
      const isName = NAMES.has(attribute) && LABEL.test(value)
      if (!isLink && !isName && !VALUES.has(attribute) && !attribute.startsWith('data-')) continue
      const valueEnd = attributeStart + match[0].length - (match[4] === undefined ? 1 : 0)
      const valueStart = valueEnd - value.length
      begin()
      rendering.inside.put(SET, ' ', valueStart, valueStart)
      if (isName) {
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

/** Puts an attribute's value with its references decoded. */
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

/** "dateOfBirth" is "date Of Birth", "patient_id" is "patient id". */
const asWords = (name: string): string => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replace(/[_.:-]+/g, ' ')
