// Reads a PDF as a reader does: pages with their text, the structure tree, bookmarks. For tests.
import { entriesOf, latin1, parsePdf, Parser, type Dictionary, type ParsedPdf, type Value } from './parse-pdf.ts'

/** `mark`: null in an artifact. `text`: with what stands for what no face has. Lengths in points, from below. */
export type ShownText = {
  mark: number | null
  artifact: string | null
  text: string
  font: number
  glyphs: number[]
  x: number
  y: number
  width: number
}

export type ReadPage = { ref: number; entries: Dictionary; texts: ShownText[]; marks: number[] }

export type ReadElement = {
  ref: number
  tag: string
  parent: number
  entries: Dictionary
  kids: ReadElement[]
  marks: { page: number; mark: number }[]
  annotations: number[]
}

export type ReadPdf = ParsedPdf & {
  catalog: Dictionary
  pages: ReadPage[]
  root: ReadElement
  elements: ReadElement[]
  bookmarks: { title: string; level: number }[]
  /** The text of an element and of all within it. */
  textOf: (element: ReadElement) => string
  withTag: (tag: string) => ReadElement[]
  /** Text of all pages in the order of their content, without artifacts. */
  text: string
}

type Font = { characters: Map<number, string>; widths: Map<number, number> }

export function readPdf(bytes: Uint8Array): ReadPdf {
  const parsed = parsePdf(bytes)
  const follow = (value: Value | undefined): Dictionary => entriesOf(resolve(parsed, value))
  const catalog = follow(parsed.trailer['Root'])
  const fonts = new Map<number, Font>()
  const pages = listOf(follow(catalog['Pages'])['Kids']).map((kid) => readPage(parsed, refOf(kid), fonts))
  const root = readElement(parsed, refOf(follow(catalog['StructTreeRoot'])['K']))
  const elements = flatten(root)
  const byPage = new Map(pages.map((page) => [page.ref, page]))
  const textOf = (element: ReadElement): string =>
    element.kids.map(textOf).join('') +
    element.marks
      .flatMap(({ page, mark }) => byPage.get(page)?.texts.filter((one) => one.mark === mark) ?? [])
      .map(({ text }) => text)
      .join('')
  return {
    ...parsed,
    catalog,
    pages,
    root,
    elements,
    bookmarks: readBookmarks(parsed, follow(catalog['Outlines']), 1),
    textOf,
    withTag: (tag) => elements.filter((element) => element.tag === tag),
    text: pages
      .flatMap(({ texts }) => texts.filter(({ mark }) => mark !== null))
      .map(({ text }) => text)
      .join(''),
  }
}

export function resolve({ objects }: ParsedPdf, value: Value | undefined): Value {
  if (value === undefined) throw new Error('an entry is missing')
  if (value === null || typeof value !== 'object' || !('ref' in value)) return value
  const found = objects.get(value.ref)
  if (found === undefined) throw new Error(`there is no object ${value.ref}`)
  return found.value
}

export const refOf = (value: Value | undefined): number => {
  if (value === null || typeof value !== 'object' || !('ref' in value)) throw new Error('not a reference')
  return value.ref
}

export const nameOf = (value: Value | undefined): string => {
  if (value === null || typeof value !== 'object' || !('name' in value)) throw new Error('not a name')
  return value.name
}

export const textIn = (value: Value | undefined): string => {
  if (typeof value !== 'string') throw new Error('not a text')
  return value
}

export const listOf = (value: Value | undefined): Value[] => {
  if (!Array.isArray(value)) throw new Error('not a list')
  return value
}

const flatten = (element: ReadElement): ReadElement[] => [element, ...element.kids.flatMap(flatten)]

function readElement(parsed: ParsedPdf, ref: number): ReadElement {
  const entries = entriesOf(resolve(parsed, { ref }))
  const element: ReadElement = {
    ref,
    tag: nameOf(entries['S']),
    parent: refOf(entries['P']),
    entries,
    kids: [],
    marks: [],
    annotations: [],
  }
  for (const kid of listOf(entries['K'])) {
    if (typeof kid === 'number') element.marks.push({ page: refOf(entries['Pg']), mark: kid })
    else if (kid !== null && typeof kid === 'object' && 'ref' in kid) element.kids.push(readElement(parsed, kid.ref))
    else {
      const dictionary = entriesOf(kid)
      if (nameOf(dictionary['Type']) === 'OBJR') element.annotations.push(refOf(dictionary['Obj']))
      else element.marks.push({ page: refOf(dictionary['Pg']), mark: Number(dictionary['MCID']) })
    }
  }
  return element
}

function readBookmarks(parsed: ParsedPdf, parent: Dictionary, level: number): ReadPdf['bookmarks'] {
  const found: ReadPdf['bookmarks'] = []
  for (let next = parent['First']; next !== undefined;) {
    const entries = entriesOf(resolve(parsed, next))
    found.push({ title: textIn(entries['Title']), level }, ...readBookmarks(parsed, entries, level + 1))
    next = entries['Next']
  }
  return found
}

function readPage(parsed: ParsedPdf, ref: number, fonts: Map<number, Font>): ReadPage {
  const entries = entriesOf(resolve(parsed, { ref }))
  const named = entriesOf(entriesOf(entries['Resources'])['Font'])
  const content = parsed.objects.get(refOf(entries['Contents']))?.stream
  if (content === undefined || content === null) throw new Error('a page has no content')
  const fontOf = (name: string): { ref: number; font: Font } => {
    const fontRef = refOf(named[name])
    const font = fonts.get(fontRef) ?? readFont(parsed, fontRef)
    fonts.set(fontRef, font)
    return { ref: fontRef, font }
  }
  return { ref, entries, ...readContent(latin1(content), fontOf) }
}

type Scope = { mark: number | null; artifact: string | null; actual: string | null }

function readContent(content: string, fontOf: (name: string) => { ref: number; font: Font }) {
  const texts: ShownText[] = []
  const marks: number[] = []
  const scopes: Scope[] = []
  const parser = new Parser(content)
  let stack: Value[] = []
  let [x, y, size] = [0, 0, 0]
  let current: ReturnType<typeof fontOf> | null = null
  while (!parser.isDone) {
    const operator = parser.operator()
    if (operator === null) {
      stack.push(parser.value())
      continue
    }
    if (operator === 'BDC') {
      const properties = entriesOf(stack[1])
      const isArtifact = nameOf(stack[0]) === 'Artifact'
      const outer = scopes.at(-1)
      const mark = properties['MCID']
      if (typeof mark === 'number') marks.push(mark)
      scopes.push({
        mark: typeof mark === 'number' ? mark : (outer?.mark ?? null),
        artifact: isArtifact ? nameOf(properties['Type']) : (outer?.artifact ?? null),
        actual: properties['ActualText'] === undefined ? null : textIn(properties['ActualText']),
      })
    } else if (operator === 'EMC') {
      if (scopes.pop() === undefined) throw new Error('a mark ends that did not begin')
    } else if (operator === 'Tf') {
      current = fontOf(nameOf(stack[0]))
      size = Number(stack[1])
    } else if (operator === 'Td') {
      x = Number(stack[0])
      y = Number(stack[1])
    } else if (operator === 'Tj') {
      const scope = scopes.at(-1)
      if (scope === undefined || current === null) throw new Error('a text is in no mark, or has no font')
      const codes = stack[0]
      if (!(codes instanceof Uint8Array)) throw new Error('a text is not of glyphs')
      const glyphs = Array.from(
        { length: codes.length / 2 },
        (_, at) => (codes[2 * at] ?? 0) * 256 + (codes[2 * at + 1] ?? 0),
      )
      const { font } = current
      const width = glyphs.reduce((sum, glyph) => sum + (font.widths.get(glyph) ?? Number.NaN), 0) * (size / 1000)
      const shown = glyphs.map((glyph) => font.characters.get(glyph) ?? '\uFFFF').join('')
      texts.push({ ...scope, text: scope.actual ?? shown, font: current.ref, glyphs, x, y, width })
      x += width
    }
    stack = []
  }
  if (scopes.length > 0) throw new Error('a mark does not end')
  return { texts, marks }
}

function readFont(parsed: ParsedPdf, ref: number): Font {
  const entries = entriesOf(resolve(parsed, { ref }))
  const [descendant] = listOf(entries['DescendantFonts'])
  const widths = new Map<number, number>()
  const pairs = listOf(entriesOf(resolve(parsed, descendant))['W'])
  for (let at = 0; at < pairs.length; at += 2) {
    const first = Number(pairs[at])
    for (const [index, width] of listOf(pairs[at + 1]).entries()) widths.set(first + index, Number(width))
  }
  const map = latin1(parsed.objects.get(refOf(entries['ToUnicode']))?.stream ?? new Uint8Array())
  const characters = new Map(
    [...map.matchAll(/^<([0-9a-f]{4})><([0-9a-f]{4})>$/gm)].map(([, glyph = '', point = '']) => [
      Number.parseInt(glyph, 16),
      String.fromCodePoint(Number.parseInt(point, 16)),
    ]),
  )
  return { characters, widths }
}
