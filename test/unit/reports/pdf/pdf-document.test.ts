// Tests what the writer promises of every file, by a reader that knows nothing of the writer.
import { describe, expect, it } from 'vitest'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { face } from '../../../../src/reports/pdf/fonts/typeface.ts'
import { entriesOf, latin1 } from '../../../support/pdf/parse-pdf.ts'
import { listOf, nameOf, readPdf, refOf, resolve } from '../../../support/pdf/read-pdf.ts'
import {
  GREEK_AND_CYRILLIC,
  INK,
  IRISH,
  METADATA,
  NO_FACE_HAS,
  openFlow,
  SAMPLE_SHA256,
  sampleDocument,
  STYLE,
} from '../../../support/pdf/sample-document.ts'

const bytes = sampleDocument()
const pdf = readPdf(bytes)
const streamAt = (ref: number): Uint8Array => pdf.objects.get(ref)?.stream ?? new Uint8Array()

describe('the file', () => {
  it('is the same bytes each time, in every runtime', () => {
    expect(bytesToHex(sha256(sampleDocument()))).toBe(bytesToHex(sha256(bytes)))
    expect(bytesToHex(sha256(bytes))).toBe(SAMPLE_SHA256)
  })

  it('says what PDF/UA-1 and PDF/A-2a ask a catalogue for', () => {
    expect(pdf.catalog['Lang']).toBe('ga')
    expect(pdf.catalog['MarkInfo']).toEqual({ entries: { Marked: true } })
    expect(pdf.catalog['ViewerPreferences']).toEqual({ entries: { DisplayDocTitle: true } })
    const [intent] = listOf(pdf.catalog['OutputIntents'])
    expect(nameOf(entriesOf(intent)['S'])).toBe('GTS_PDFA1')
    expect(latin1(streamAt(refOf(entriesOf(intent)['DestOutputProfile']))).slice(36, 40)).toBe('acsp')
    const xmp = new TextDecoder().decode(streamAt(refOf(pdf.catalog['Metadata'])))
    expect(xmp).toContain('<pdfaid:part>2</pdfaid:part>')
    expect(xmp).toContain('<pdfaid:conformance>A</pdfaid:conformance>')
    expect(xmp).toContain('<pdfuaid:part>1</pdfuaid:part>')
    expect(xmp).toContain('Tuairisc &lt;1&gt; &amp; (2) \\</rdf:li>')
  })

  it('has the same title and time for older readers, and an identifier', () => {
    const information = entriesOf(resolve(pdf, pdf.trailer['Info']))
    expect(information['Title']).toBe(METADATA.title)
    expect(information['Author']).toBe(METADATA.author)
    expect(information['CreationDate']).toBe('D:20261121093000Z')
    const [id, same] = listOf(pdf.trailer['ID'])
    expect(id).toEqual(same)
    expect(id).toHaveLength(16)
  })

  it('shows every page in the order of what it is made of', () => {
    for (const { entries } of pdf.pages) expect(nameOf(entries['Tabs'])).toBe('S')
  })
})

describe('the tree', () => {
  const root = refOf(pdf.catalog['StructTreeRoot'])
  const tree = entriesOf(resolve(pdf, { ref: root }))
  const numbers = listOf(entriesOf(resolve(pdf, tree['ParentTree']))['Nums'])
  const parents = new Map(
    Array.from({ length: numbers.length / 2 }, (_, index) => [Number(numbers[2 * index]), numbers[2 * index + 1]]),
  )

  it('names the parent of every element', () => {
    expect(pdf.root.parent).toBe(root)
    for (const element of pdf.elements) for (const kid of element.kids) expect(kid.parent).toBe(element.ref)
  })

  it('leads from each mark of a page to the element whose content it is', () => {
    for (const { ref, entries, marks } of pdf.pages) {
      const owners = listOf(parents.get(Number(entries['StructParents'])))
      expect(marks).toEqual(owners.map((_, mark) => mark))
      for (const [mark, owner] of owners.entries()) {
        const element = pdf.elements.find((one) => one.ref === refOf(owner))
        expect(element?.marks).toContainEqual({ page: ref, mark })
      }
    }
    const marked = pdf.pages.reduce((sum, { marks }) => sum + marks.length, 0)
    expect(pdf.elements.reduce((sum, { marks }) => sum + marks.length, 0)).toBe(marked)
  })

  it('has a link with the annotation that leads somewhere, which says where', () => {
    const [link] = pdf.withTag('Link')
    const [annotation] = link?.annotations ?? []
    const entries = entriesOf(resolve(pdf, { ref: annotation ?? 0 }))
    expect(entries['Contents']).toBe('Liosta, 1')
    expect(refOf(parents.get(Number(entries['StructParent'])) ?? null)).toBe(link?.ref)
    expect(refOf(listOf(entries['Dest'])[0])).toBe(pdf.pages[0]?.ref)
    expect(tree['ParentTreeNextKey']).toBe(parents.size)
  })

  it('says what a figure shows', () => {
    expect(pdf.withTag('Figure').map(({ entries }) => entries['Alt'])).toEqual(['A'])
  })

  it('has bookmarks of two levels', () => {
    expect(pdf.bookmarks).toEqual([
      { title: 'Tuairisc', level: 1 },
      { title: 'Liosta', level: 2 },
    ])
  })
})

describe('text', () => {
  it('is read back as it was written, in three scripts', () => {
    const paragraphs = pdf.withTag('P').map(pdf.textOf)
    expect(paragraphs).toContain(IRISH)
    expect(paragraphs).toContain(GREEK_AND_CYRILLIC)
  })

  it('is read back where no face has its characters, each shown as a box', () => {
    expect(pdf.withTag('P').map(pdf.textOf)).toContain(NO_FACE_HAS)
    const boxes = pdf.pages[0]?.texts.find(({ text }) => text === '病院')
    expect(boxes?.glyphs).toEqual([face('regular').glyphs.get(0x25a1), face('regular').glyphs.get(0x25a1)])
  })

  it('is of glyphs that the faces have, as wide as the file says', async () => {
    const fonts = new Map(pdf.pages.flatMap(({ texts }) => texts).map((one) => [one.font, new Set<number>()]))
    for (const { texts } of pdf.pages)
      for (const { font, glyphs } of texts) for (const one of glyphs) fonts.get(font)?.add(one)
    expect(fonts.size).toBe(2)
    for (const [ref, used] of fonts) {
      const descendant = entriesOf(resolve(pdf, listOf(entriesOf(resolve(pdf, { ref }))['DescendantFonts'])[0]))
      const descriptor = entriesOf(resolve(pdf, descendant['FontDescriptor']))
      const program = await inflate(streamAt(refOf(descriptor['FontFile2'])))
      expect(program.length).toBe(Number(entriesOf(pdf.objects.get(refOf(descriptor['FontFile2']))?.value)['Length1']))
      const advances = advancesOf(program)
      const pairs = listOf(descendant['W'])
      const widths = new Map(
        pairs.flatMap((value, at) => (at % 2 === 0 ? [[Number(value), listOf(pairs[at + 1])[0]]] : [])),
      )
      expect(new Set(widths.keys())).toEqual(used)
      for (const glyph of used) {
        expect(glyph).not.toBe(0)
        expect(widths.get(glyph)).toBe(advances[glyph])
      }
    }
  })

  it('cannot be drawn outside of an element or an artifact', () => {
    const { flow } = openFlow()
    expect(() => flow.page.text([0, 0], STYLE, 'a')).toThrow('neither')
    expect(() => flow.page.rectangle({ x: 0, y: 0, width: 1, height: 1 }, INK)).toThrow('neither')
    expect(() => flow.page.mark(flow.add('P'), () => flow.page.artifact('Layout', () => undefined))).toThrow('within')
  })
})

async function inflate(deflated: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(deflated)]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The widths in a font program: its tables maxp, hhea and hmtx. */
function advancesOf(program: Uint8Array): number[] {
  const view = new DataView(program.buffer)
  const tables = new Map<string, number>()
  for (let index = 0; index < view.getUint16(4); index++) {
    const at = 12 + index * 16
    tables.set(latin1(program.subarray(at, at + 4)), view.getUint32(at + 8))
  }
  const glyphs = view.getUint16((tables.get('maxp') ?? 0) + 4)
  const metrics = view.getUint16((tables.get('hhea') ?? 0) + 34)
  const at = tables.get('hmtx') ?? 0
  return Array.from({ length: glyphs }, (_, glyph) => view.getUint16(at + 4 * Math.min(glyph, metrics - 1)))
}
