// Writes a PDF from its pages, bookmarks and links. It is tagged for screen readers (PDF/UA-1,
// https://www.iso.org/standard/64599.html) and made for archives (PDF/A-2a, https://www.iso.org/standard/50655.html).
import { UsedGlyphs, type FontPrograms } from './fonts/typeface.ts'
import { infoDictionary, xmp, type Metadata, srgbProfile } from './pdfa-metadata.ts'
import { Page, PAGE_HEIGHT, PAGE_WIDTH, type Box } from './pdf-page.ts'
import { PdfFile, type Ref, formatNumber, formatNumbers, textString } from './pdf-file.ts'
import { StructureTree, type Element } from './structure-tree.ts'

export type PagePosition = { page: Page; y: number }

/** `level`: 1 for the outermost. */
export type Bookmark = PagePosition & { title: string; level: 1 | 2 }

type Link = { box: Box; from: Page; to: PagePosition; targetText: string; element: Element }

export class PdfDocument {
  readonly #file = new PdfFile()
  readonly #glyphs = new UsedGlyphs()
  readonly #metadata: Metadata
  readonly #links: Link[] = []
  readonly structure = new StructureTree(this.#file)
  readonly pages: Page[] = []
  readonly bookmarks: Bookmark[] = []

  constructor(metadata: Metadata) {
    this.#metadata = metadata
  }

  addPage(): Page {
    const place = { ref: this.#file.reserve(), index: this.pages.length }
    const page = new Page(place, this.structure, this.#glyphs)
    this.pages.push(page)
    return page
  }

  /** Adds a link. `element`: the Link with the text in the box. `targetText`: its target, for readers who do not see it. */
  link(link: Link): void {
    this.#links.push(link)
  }

  /** Returns the file. Draw nothing afterwards. */
  finish(programs: FontPrograms): Uint8Array {
    const file = this.#file
    const pages = file.reserve()
    const fonts = this.#glyphs.embed(file, programs)
    const annotations = this.#writeLinks()
    for (const page of this.pages) {
      const content = file.addStream('', page.content)
      const links = annotations.get(page) ?? []
      file.write(
        page.ref,
        `<</Type/Page/Parent ${pages} 0 R/MediaBox[0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}]/Resources<</Font${fonts}>>`,
        `/Contents ${content} 0 R/StructParents ${page.index}/Tabs/S`,
        links.length === 0 ? '>>' : `/Annots[${links.map((ref) => `${ref} 0 R`).join(' ')}]>>`,
      )
    }
    const kids = this.pages.map(({ ref }) => `${ref} 0 R`).join(' ')
    file.write(pages, `<</Type/Pages/Count ${this.pages.length}/Kids[${kids}]>>`)
    const profile = file.addStream('/N 3', srgbProfile())
    const intent = `<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/DestOutputProfile ${profile} 0 R>>`
    const metadata = file.addStream('/Type/Metadata/Subtype/XML', xmp(this.#metadata))
    const root = file.add(
      `<</Type/Catalog/Pages ${pages} 0 R/Lang(${this.#metadata.language})/MarkInfo<</Marked true>>`,
      `/ViewerPreferences<</DisplayDocTitle true>>/StructTreeRoot ${this.structure.write(this.pages.length)} 0 R`,
      `/Outlines ${this.#writeBookmarks()} 0 R/PageMode/UseOutlines/Metadata ${metadata} 0 R/OutputIntents[${intent}]>>`,
    )
    return file.finish({ root, info: file.add(infoDictionary(this.#metadata)) })
  }

  #writeLinks(): Map<Page, Ref[]> {
    const annotations = new Map<Page, Ref[]>()
    for (const { box, from, to, targetText, element } of this.#links) {
      const ref = this.#file.reserve()
      const key = this.structure.annotate(element, from.ref, ref, this.pages.length)
      const corners = formatNumbers(box.x, PAGE_HEIGHT - box.y - box.height, box.x + box.width, PAGE_HEIGHT - box.y)
      this.#file.write(
        ref,
        `<</Type/Annot/Subtype/Link/Rect[${corners}]/Border[0 0 0]/F 4/Dest${destination(to)}`,
        `/Contents ${textString(targetText)}/StructParent ${key}>>`,
      )
      annotations.set(from, [...(annotations.get(from) ?? []), ref])
    }
    return annotations
  }

  /** Writes two levels: each inner bookmark is under the outer one before it. */
  #writeBookmarks(): Ref {
    const file = this.#file
    const root = file.reserve()
    const groups: { outer: Bookmark; inner: Bookmark[] }[] = []
    for (const bookmark of this.bookmarks) {
      const group = groups.at(-1)
      if (bookmark.level === 1 || group === undefined) groups.push({ outer: bookmark, inner: [] })
      else group.inner.push(bookmark)
    }
    const outer = groups.map(() => file.reserve())
    for (const [index, group] of groups.entries()) {
      const parent = outer[index] ?? root
      const inner = group.inner.map(() => file.reserve())
      for (const [place, bookmark] of group.inner.entries()) {
        file.write(inner[place] ?? parent, bookmarkEntries(bookmark, parent, inner, place), '>>')
      }
      file.write(parent, bookmarkEntries(group.outer, root, outer, index), firstAndLast(inner, -inner.length), '>>')
    }
    file.write(root, '<</Type/Outlines', firstAndLast(outer, outer.length), '>>')
    return root
  }
}

const destination = ({ page, y }: PagePosition): string =>
  `[${page.ref} 0 R/XYZ null ${formatNumber(PAGE_HEIGHT - y)} null]`

/** Returns the entries of a list of bookmarks. A negative count is the number of closed ones. */
const firstAndLast = (refs: readonly Ref[], count: number): string =>
  refs.length === 0 ? '' : `/First ${refs[0]} 0 R/Last ${refs.at(-1)} 0 R/Count ${count}`

function bookmarkEntries({ title, ...place }: Bookmark, parent: Ref, siblings: readonly Ref[], index: number): string {
  const before = siblings[index - 1]
  const after = siblings[index + 1]
  const neighbours = `${before === undefined ? '' : `/Prev ${before} 0 R`}${after === undefined ? '' : `/Next ${after} 0 R`}`
  return `<</Title ${textString(title)}/Parent ${parent} 0 R/Dest${destination(place)}${neighbours}`
}
