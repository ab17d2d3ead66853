// Renders a plain text as HTML, RTF and quoted-printable, in the ways in which programs do, and tells where each character went.
import type { Random } from '../../../../../scripts/seeded-random.ts'

/** `starts` and `ends`: the range of `text` that each UTF-16 unit of the plain text became. */
export type Rendered = { readonly text: string; readonly starts: readonly number[]; readonly ends: readonly number[] }

export type Renderer = (plain: string, random: Random) => Rendered

class Page {
  #text = ''
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  get length(): number {
    return this.#text.length
  }

  markup(written: string): void {
    this.#text += written
  }

  /** Writes a character. @param units how many UTF-16 units of the plain text it stands for */
  character(written: string, units = 1): void {
    for (let unit = 0; unit < units; unit += 1) {
      this.#starts.push(this.#text.length)
      this.#ends.push(this.#text.length + written.length)
    }
    this.#text += written
  }

  done(): Rendered {
    return { text: this.#text, starts: this.#starts, ends: this.#ends }
  }
}

/** True where markup can stand without parting a word or number. */
const isEdge = (plain: string, at: number): boolean =>
  at === 0 || /\s/.test(plain.charAt(at - 1)) || /\s/.test(plain.charAt(at) || ' ')

const emptyLines = (plain: string, at: number): number => /^\n*/.exec(plain.slice(at))?.[0].length ?? 0

const INLINE = [
  '<b>',
  '<i>',
  '<strong>',
  '<em>',
  '<u>',
  '<span>',
  '<span class="x">',
  '<font color="red">',
  '<span style="font-size:large">',
  '<a name="top">',
  '<mark>',
  '<o:p>',
]
const EMPTY = ['<wbr>', '<b></b>', '<!-- -->', '<!---->', '<span></span>', '<img src="a.png">']
const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const closing = (tag: string): string => tag.replace(/^<([a-z:]+).*/, '</$1>')

type HtmlStyle = {
  readonly head?: string
  readonly tail?: string
  /** Around each line. */
  readonly line?: readonly [open: string, close: string]
  readonly betweenLines?: string
  readonly betweenParagraphs: string
  /** The share of places with the tag of an element, of empty elements, of character references, and of no-break spaces. */
  readonly tags?: number
  readonly empty?: number
  readonly references?: number
  readonly tied?: number
  /** The share of blanks at which an editor has broken the line. */
  readonly wrapped?: number
  /** True if tags also part words and numbers. */
  readonly splits?: boolean
}

function html(style: HtmlStyle): Renderer {
  const { head = '', tail = '', line: [open, close] = ['', ''], betweenParagraphs, tags = 0.1 } = style
  const { empty = 0, references = 0, tied = 0, wrapped = 0, splits = false, betweenLines = '\n' } = style
  return (plain, random) => {
    const page = new Page()
    const stack: string[] = []
    const closeAll = (): void => {
      for (let tag = stack.pop(); tag !== undefined; tag = stack.pop()) page.markup(closing(tag))
    }
    page.markup(head + open)
    for (let at = 0; at < plain.length; at += 1) {
      const character = plain.charAt(at)
      if (character === '\n') {
        closeAll()
        const count = emptyLines(plain, at)
        page.character(close + (count > 1 ? betweenParagraphs : betweenLines) + open, count)
        at += count - 1
        continue
      }
      if ((splits || isEdge(plain, at)) && !isLowSurrogate(character)) {
        const last = stack.at(-1)
        if (last !== undefined && random.happens(0.45)) {
          page.markup(closing(last))
          stack.pop()
        }
        if (random.happens(tags) && stack.length < 3) {
          stack.push(random.choose(INLINE))
          page.markup(stack.at(-1) ?? '')
        }
        if (random.happens(empty)) page.markup(random.choose(EMPTY))
      }
      const code = plain.codePointAt(at) ?? 0
      const units = code > 0xffff ? 2 : 1
      if (character === ' ' && random.happens(tied)) page.character('&nbsp;')
      else if (character === ' ' && random.happens(wrapped)) page.character('\r\n  ')
      else if (random.happens(references) && !isLowSurrogate(character)) {
        page.character(random.happens(0.5) ? `&#${code};` : `&#x${code.toString(16)};`, units)
        at += units - 1
      } else page.character(REFERENCES[character] ?? character)
    }
    closeAll()
    page.markup(close + tail)
    return page.done()
  }
}

const isLowSurrogate = (unit: string): boolean => /[\udc00-\udfff]/.test(unit)

/** Writes lines as rows, and some blanks as the edges of cells. */
const table: Renderer = (plain, random) => {
  const page = new Page()
  page.markup('<table border="1">\n<tr><td>')
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain.charAt(at)
    if (character === '\n') {
      const count = emptyLines(plain, at)
      page.character(`</td></tr>\n${count > 1 ? '</table>\n<table>' : ''}<tr><td>`, count)
      at += count - 1
    } else if (/^[^ ] [^ ]$/.test(plain.slice(at - 1, at + 2)) && random.happens(0.25)) {
      page.character(random.choose(['</td><td>', '</td>\n  <td align="right">']))
    } else page.character(REFERENCES[character] ?? character)
  }
  page.markup('</td></tr></table>')
  return page.done()
}

const WINDOWS_1252: Readonly<Record<string, string>> = {
  '€': '80',
  '‚': '82',
  '„': '84',
  '…': '85',
  '‘': '91',
  '’': '92',
  '“': '93',
  '”': '94',
  '•': '95',
  '–': '96',
  '—': '97',
}
const WORD_PROCESSOR =
  '{\\rtf1\\ansi\\ansicpg1252\\deff0\\deflang6153{\\fonttbl{\\f0\\fnil\\fcharset0 Calibri;}{\\f1\\froman Times New Roman;}}\n' +
  '{\\colortbl ;\\red255\\green0\\blue0;}\n{\\*\\generator Riched20 10.0;}\\viewkind4\\uc1\n\\pard\\sa200\\sl276\\slmult1\\f0\\fs22 '

type RtfStyle = {
  readonly head: string
  /** The share of places with control words, of marks as escapes, and of no-break spaces. */
  readonly words: number
  readonly escapes?: number
  readonly tied?: number
  readonly splits?: boolean
}

function rtf({ head, words, escapes = 0, tied = 0, splits = false }: RtfStyle): Renderer {
  return (plain, random) => {
    const page = new Page()
    page.markup(head)
    let isBold = false
    let groups = 0
    for (let at = 0; at < plain.length; at += 1) {
      const character = plain.charAt(at)
      if ((splits || isEdge(plain, at)) && !isLowSurrogate(character) && random.happens(words)) {
        const kind = random.below(4)
        if (kind === 0) {
          page.markup(isBold ? '\\b0 ' : '\\b ')
          isBold = !isBold
        } else if (kind === 1) {
          page.markup('{\\i ')
          groups += 1
        } else if (kind === 2 && groups > 0) {
          page.markup('}')
          groups -= 1
        } else page.markup('\\f0\\lang6153 ')
      }
      page.character(inRtf(character, random, escapes, tied))
    }
    page.markup(`${'}'.repeat(groups)}\\par}`)
    return page.done()
  }
}

function inRtf(character: string, random: Random, escapes: number, tied: number): string {
  const code = character.charCodeAt(0)
  const hex = WINDOWS_1252[character] ?? (code >= 0xa0 && code <= 0xff ? code.toString(16) : undefined)
  if (character === '\n') return '\\par\r\n'
  if (character === '\t') return '\\tab '
  if (/[\\{}]/.test(character)) return `\\${character}`
  if (character === '\u00a0' || (character === ' ' && random.happens(tied))) return '\\~'
  if (hex !== undefined && random.happens(0.5)) return `\\'${hex}`
  if (code > 0x7e) return `\\u${code > 0x7fff ? code - 0x10000 : code}?`
  if (/[^A-Za-z0-9 ]/.test(character) && random.happens(escapes)) return `\\'${code.toString(16).padStart(2, '0')}`
  return character
}

type MailStyle = { readonly head?: string; readonly width: number; readonly escapedMarks?: number }

function quotedPrintable({ head = '', width, escapedMarks = 0 }: MailStyle): Renderer {
  const encoder = new TextEncoder()
  return (plain, random) => {
    const page = new Page()
    page.markup(head)
    let lineStart = head.length
    for (let at = 0; at < plain.length; at += 1) {
      const character = String.fromCodePoint(plain.codePointAt(at) ?? 0)
      if (character === '\n') {
        page.character('\n')
        lineStart = page.length
        continue
      }
      const endsLine = plain.charAt(at + 1) === '\n' || at === plain.length - 1
      const isPlain =
        /^[ -<>-~\t]$/.test(character) &&
        !(/[ \t]/.test(character) && endsLine) &&
        !(/[^A-Za-z0-9]/.test(character) && random.happens(escapedMarks))
      const bytes = Array.from(
        encoder.encode(character),
        (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      )
      const written = isPlain ? character : bytes.join('')
      if (page.length - lineStart + written.length > width - 1) {
        page.markup('=\r\n')
        lineStart = page.length
      }
      page.character(written, character.length)
      at += character.length - 1
    }
    return page.done()
  }
}

/** Renders what another renderer made, as mail carries HTML. */
function within(inner: Renderer, outer: Renderer): Renderer {
  return (plain, random) => {
    const first = inner(plain, random)
    const second = outer(first.text, random)
    return {
      text: second.text,
      starts: first.starts.map((start) => second.starts[start] ?? second.text.length),
      ends: first.ends.map((end) => second.ends[end - 1] ?? 0),
    }
  }
}

/** Renderers that part no word and no number: what is found in a rendering is exactly what is found in its plain text. */
export const RENDERERS: Readonly<Record<string, Renderer>> = {
  'HTML with words marked': html({
    head: '<p>',
    tail: '</p>',
    betweenLines: '<br>\n',
    betweenParagraphs: '<br>\n<br>\n',
  }),
  'HTML of a page': html({
    head: '<html><head><style>p{margin:0}</style></head><body>',
    tail: '</body></html>',
    line: ['<div>', '</div>'],
    betweenParagraphs: '\n<p></p>\n',
    wrapped: 0.1,
  }),
  'HTML of a list': html({
    head: '<ul>',
    tail: '</ul>',
    line: ['<li>', '</li>'],
    betweenParagraphs: '</ul><ul>',
    references: 0.02,
  }),
  'HTML of a word processor': html({
    head: '<!--[if gte mso]><xml></xml><![endif]--><body lang="EN-IE">',
    tail: '</body>',
    line: ['<div class="MsoNormal" style="margin:0cm"><span lang="EN-IE">', '<o:p></o:p></span></div>'],
    betweenParagraphs: '<h1></h1>',
    tied: 0.15,
  }),
  'HTML with references': html({
    head: '<div>',
    tail: '</div>',
    betweenLines: '<br>\n',
    betweenParagraphs: '<br><br>',
    references: 0.4,
  }),
  'an HTML table': table,
  RTF: rtf({ head: '{\\rtf1\\ansi ', words: 0.08 }),
  'RTF of a word processor': rtf({ head: WORD_PROCESSOR, words: 0.12, escapes: 0.04, tied: 0.15 }),
  'quoted-printable': quotedPrintable({ width: 76 }),
  'narrow quoted-printable': quotedPrintable({
    head: 'Content-Transfer-Encoding: quoted-printable\r\n\r\n',
    width: 30,
    escapedMarks: 0.3,
  }),
  'HTML in quoted-printable': within(
    html({
      head: '<body>',
      tail: '</body>',
      line: ['<div>', '</div>'],
      betweenParagraphs: '<p></p>',
      references: 0.03,
      tied: 0.1,
    }),
    quotedPrintable({ width: 76 }),
  ),
}

/** Renderers that also part words and numbers. The words that excuse a number may be parted too: more may be found. */
export const SPLITTING: Readonly<Record<string, Renderer>> = {
  'HTML split anywhere': html({
    head: '<p>',
    tail: '</p>',
    betweenLines: '<br>\n',
    betweenParagraphs: '<br><br>',
    splits: true,
    empty: 0.06,
  }),
  'RTF split anywhere': rtf({ head: '{\\rtf1 ', words: 0.15, escapes: 0.2, tied: 0.2, splits: true }),
}
