// Writes the structure tree of a PDF, which screen readers use: headings, paragraphs, lists, tables and figures.
import type { PdfFile, Ref } from './pdf-file.ts'

export type Tag =
  | 'Document'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'P'
  | 'L'
  | 'LI'
  | 'Lbl'
  | 'LBody'
  | 'TOC'
  | 'TOCI'
  | 'Reference'
  | 'Link'
  | 'Table'
  | 'Caption'
  | 'THead'
  | 'TBody'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Figure'

/** Content of an element: marked content of a page, or an annotation on it. */
type Content = { page: Ref } & ({ mark: number } | { annotation: Ref })

export type Element = {
  readonly ref: Ref
  readonly tag: Tag
  readonly parent: Element | null
  /** More entries of its dictionary, such as `/Alt`. */
  readonly entries: string
  readonly kids: (Element | Content)[]
}

/** @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf (14.7, 14.8) */
export class StructureTree {
  readonly #file: PdfFile
  readonly #elements: Element[] = []
  /** The elements of each page's marks, by the page's key in the parent tree. */
  readonly #marks: Ref[][] = []
  readonly #annotations: Ref[] = []
  readonly document: Element

  constructor(file: PdfFile) {
    this.#file = file
    this.document = this.#make('Document', null, '')
  }

  add(tag: Tag, parent: Element, entries = ''): Element {
    const element = this.#make(tag, parent, entries)
    parent.kids.push(element)
    return element
  }

  /**
   * Returns the number of a new mark on a page.
   * @param key the page's key in the parent tree
   */
  mark(element: Element, page: Ref, key: number): number {
    const marks = (this.#marks[key] ??= [])
    const mark = marks.push(element.ref) - 1
    element.kids.push({ page, mark })
    return mark
  }

  /** Returns the annotation's key in the parent tree, which follows the `pages` keys of pages. */
  annotate(element: Element, page: Ref, annotation: Ref, pages: number): number {
    element.kids.push({ page, annotation })
    return pages + this.#annotations.push(element.ref) - 1
  }

  /**
   * Returns the root of the tree.
   * @param pages the number of pages
   */
  write(pages: number): Ref {
    const root = this.#file.reserve()
    for (const element of this.#elements) this.#file.write(element.ref, dictionaryOf(element, root))
    const entries: string[] = []
    for (let key = 0; key < pages; key++) {
      entries.push(`${key}[${(this.#marks[key] ?? []).map((ref) => `${ref} 0 R`).join(' ')}]`)
    }
    for (const [index, ref] of this.#annotations.entries()) entries.push(`${pages + index} ${ref} 0 R`)
    const parents = this.#file.add(`<</Nums[${entries.join('\n')}]>>`)
    const next = pages + this.#annotations.length
    this.#file.write(
      root,
      `<</Type/StructTreeRoot/K ${this.document.ref} 0 R/ParentTree ${parents} 0 R/ParentTreeNextKey ${next}>>`,
    )
    return root
  }

  #make(tag: Tag, parent: Element | null, entries: string): Element {
    const element: Element = { ref: this.#file.reserve(), tag, parent, entries, kids: [] }
    this.#elements.push(element)
    return element
  }
}

function dictionaryOf({ tag, parent, entries, kids }: Element, root: Ref): string {
  const page = kids.find((kid): kid is Content => 'page' in kid)?.page ?? null
  const written = kids.map((kid) => {
    if ('ref' in kid) return `${kid.ref} 0 R`
    if ('annotation' in kid) return `<</Type/OBJR/Pg ${kid.page} 0 R/Obj ${kid.annotation} 0 R>>`
    return kid.page === page ? String(kid.mark) : `<</Type/MCR/Pg ${kid.page} 0 R/MCID ${kid.mark}>>`
  })
  const pageEntry = page === null ? '' : `/Pg ${page} 0 R`
  return `<</S/${tag}/P ${parent?.ref ?? root} 0 R${pageEntry}${entries}/K[${written.join(' ')}]>>`
}
