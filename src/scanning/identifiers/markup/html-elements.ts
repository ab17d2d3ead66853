// The elements and attributes of HTML and XML: how they part the text around them, and which of them hold words.
import { isSnomedConcept } from '../context/clinical-codes.ts'
import { BREAK, CELL, LINE, NOTHING, PARAGRAPH, TIED } from './rendering.ts'

const named = (effect: number, names: string): (readonly [string, number])[] =>
  names.split(' ').map((name) => [name, effect])

const HTML: ReadonlyMap<string, number> = new Map([
  ...named(
    NOTHING,
    'a abbr acronym audio b bdi bdo big blink canvas cite code data datalist del dfn em embed font i iframe img ins kbd label map mark marquee meta meter noscript object output param picture progress q rp rt ruby s samp slot small source span strike strong svg template time track tt u var video wbr link base area basefont col colgroup frame style script nobr',
  ),
  ...named(
    LINE,
    'address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset head header hgroup html legend li main menu nav optgroup option search section summary tbody tfoot thead title tr',
  ),
  ...named(PARAGRAPH, 'p h1 h2 h3 h4 h5 h6 ul ol table blockquote pre hr'),
  ...named(TIED, 'sub sup'),
  ...named(BREAK, 'br'),
  ...named(CELL, 'td th input textarea select button'),
])

/** The elements of CDA, DocBook, word processors and other XML, without their prefix. */
const XML: ReadonlyMap<string, number> = new Map([
  ...named(LINE, 'paragraph item list para note entry component textbox row'),
  ...named(CELL, 'tc tab'),
  ...named(BREAK, 'line-break'),
])

/** Returns true for an element of HTML, which may have attributes in any form. */
export const isHtml = (name: string): boolean => HTML.has(name)

/** Returns what an element does to the text around it. @param name in small letters, with its prefix */
export function effectOf(name: string): number {
  const known = HTML.get(name)
  if (known !== undefined) return known
  // Word writes the empty element o:p inside words.
  if (name.startsWith('o:')) return NOTHING
  const local = name.slice(name.indexOf(':') + 1)
  return XML.get(local) ?? (local === name ? NOTHING : (HTML.get(local) ?? NOTHING))
}

/** Names that may name the value behind them. */
export const LABEL =
  /m[._-]?r[._-]?n|hrn|d\.?o\.?b|birth|born|phone|(?<![a-z])tel(?![a-z])|mobile|(?<![a-z])fax|nhs|(?<![a-z])chi(?![a-z])|hcn|h[&-]?c(?![a-z])|pps|eir-?code|post-?code|(?<![a-z])zip|chart|hospital|patient-?_?(?:id|no|num)|record|(?<![a-z])e-?mail/i

/** The heading of a column that is a label and nothing else. */
const HEADING =
  /^(?:patient'?s? |hospital |our )?(?:m\.?r\.?n|h\.?r\.?n|chart|hosp(?:ital)?|patient|record|case|p\.?p\.?s\.?n?|n\.?h\.?s|chi|hcn|h ?(?:&|&amp;) ?c|c\/n|d\.?o\.?b|date of birth|born|tel(?:ephone)?|phone|mobile|mob|fax|eir ?code|post ?code|lmp|edd)\.?(?: ?(?:no|number|nr|id|code|#)\.?)?:?$/i
const LONGEST_HEADING = 160

/** Returns the words in the heading of a column if they are a label. @param written with its tags */
export function headingIn(written: string): string | undefined {
  if (written.length > LONGEST_HEADING) return undefined
  const words = written.replace(/<[^<>]*>/g, ' ').trim()
  return HEADING.test(words) ? words : undefined
}

/** Attributes whose values a person may read, or a program takes for the value. */
const VALUES = new Set(
  'value content title alt placeholder label aria-label aria-valuetext extension datetime displayname summary'.split(
    ' ',
  ),
)
/** Attributes whose values may name what follows. */
const NAMES = new Set('name id class for itemprop property type use scheme'.split(' '))
const LINK = /^(?:tel|mailto|sms|callto|skype|whatsapp):/i
/** Attributes that hold no words: only programs read them, and many write long numbers there. */
const UNREAD = new Set(
  'class id for headers style lang xml:lang dir align valign width height color bgcolor link vlink alink text face size border cellpadding cellspacing colspan rowspan http-equiv rel target action srcset sizes d points viewbox transform coordsize path'.split(
    ' ',
  ),
)
const UNREAD_NAME = /^xmlns|(?:^|:)(?:rsid\w*|paraid|textid)$/
/** Elements that say by which program or standard a document was made, and when, or load a part of it. */
const ABOUT_DOCUMENT = new Set('typeid templateid ins del w:ins w:del link script w:rsid w:rsidroot w:id'.split(' '))
const META_ABOUT_DOCUMENT =
  /\s(?:name|http-equiv|property)\s*=\s*["']?(?:dc(?:terms)?\.)?(?:created|changed|date|(?:last-?)?modified|(?:modification|creation)date|article:\w+_time|generator|progid|originator|viewport)["'\s]/i

/** Returns true for an element whose attributes no person reads. @param tag as it is written */
export const isAboutDocument = (name: string, tag: string): boolean =>
  ABOUT_DOCUMENT.has(name) || (name === 'meta' && META_ABOUT_DOCUMENT.test(tag))

/** `name`: the value names what follows. `words`: the value may be read. `other`: it is searched as written. */
export type AttributeKind = 'unread' | 'name' | 'words' | 'other'

/** @param element and @param attribute in small letters */
export function attributeKind(element: string, attribute: string, value: string): AttributeKind {
  if (NAMES.has(attribute) && LABEL.test(value)) return 'name'
  const isUnread = UNREAD.has(attribute) || UNREAD_NAME.test(attribute)
  const isCode = (attribute === 'code' || (element === 'code' && attribute === 'value')) && isSnomedConcept(value)
  if (isCode || /^(?:data:image\/|bbox \d)/.test(value) || (isUnread && !LABEL.test(value))) return 'unread'
  const isLink = (attribute === 'href' || attribute === 'src') && LINK.test(value)
  return isLink || VALUES.has(attribute) || attribute.startsWith('data-') ? 'words' : 'other'
}

/** "dateOfBirth" is "date Of Birth", "patient_id" is "patient id", "birthTime" is CDA's date of birth. */
export const asWords = (name: string): string =>
  name
    .replace(/birth_?time/i, 'birthDate')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replace(/[_.:-]+/g, ' ')
