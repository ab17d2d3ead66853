// The numbered sections of a report, and the list of contents, which is drawn last on the second page.
import { type Flow, baselineOf } from '../../pdf/layout/flow.ts'
import { GAP, SECTION, SECTION_GAP, SUBSECTION, BODY, FRAME, MUTED, RULE } from './styles.ts'
import { widthOf } from '../../pdf/fonts/typeface.ts'
import type { Place } from '../../pdf/pdf-document.ts'
import type { Page } from '../../pdf/page.ts'
import type { Element } from '../../pdf/structure.ts'

/** The room that a heading needs below it. */
const FOLLOWS = 96

export class Sections {
  readonly #flow: Flow
  readonly #contents: Contents
  #count = 0

  constructor(flow: Flow, contents: Contents) {
    this.#flow = flow
    this.#contents = contents
  }

  /** `room`: the section begins a new page if less than this is left. */
  begin(title: string, { room = FOLLOWS }: { room?: number } = {}): void {
    const flow = this.#flow
    this.#count += 1
    const numbered = `${this.#count} ${title}`
    flow.space(SECTION_GAP)
    const place = flow.heading('H2', numbered, SECTION, { follows: room, bookmark: 1 })
    this.#contents.note({ number: this.#count, title, place })
    flow.space(6)
  }

  part(title: string, { room = FOLLOWS }: { room?: number } = {}): void {
    this.#flow.space(GAP + 4)
    this.#flow.heading('H3', title, SUBSECTION, { follows: room, bookmark: 2 })
    this.#flow.space(4)
  }
}

type Entry = { number: number; title: string; place: Place }

const MOST_ENTRIES = 12
const ROW = 21

export class Contents {
  readonly #flow: Flow
  readonly #page: Page
  readonly #list: Element
  readonly #entries: Entry[] = []
  readonly #top: number

  /** Reserves space at the current position. */
  constructor(flow: Flow) {
    this.#flow = flow
    flow.heading('H2', 'Contents', SECTION, { follows: 0, bookmark: 1 })
    flow.space(6)
    this.#page = flow.page
    this.#top = flow.y
    this.#list = flow.add('TOC')
    flow.y += MOST_ENTRIES * ROW + SECTION_GAP
  }

  note(entry: Entry): void {
    this.#entries.push(entry)
  }

  draw(): void {
    if (this.#entries.length > MOST_ENTRIES) throw new Error('there are more sections than there is room for')
    for (const [index, entry] of this.#entries.entries()) this.#drawEntry(entry, this.#top + index * ROW)
  }

  #drawEntry({ number, title, place }: Entry, top: number): void {
    const { pdf } = this.#flow
    const page = this.#page
    const baseline = top + 2 + baselineOf(BODY)
    const right = FRAME.left + FRAME.width
    const pageNumber = String(place.page.index + 1)
    const link = this.#flow.add('Link', this.#flow.add('Reference', this.#flow.add('TOCI', this.#list)))
    page.mark(link, () => {
      page.text([FRAME.left, baseline], { ...BODY, colour: MUTED }, `${number} `)
      page.text([FRAME.left + 22, baseline], BODY, `${title} `)
      page.text([right - widthOf(BODY.face, BODY.size, pageNumber), baseline], BODY, pageNumber)
    })
    page.artifact('Layout', () =>
      page.line(
        [
          [FRAME.left, top + ROW - 1],
          [right, top + ROW - 1],
        ],
        RULE,
        0.5,
      ),
    )
    const box = { x: FRAME.left, y: top, width: FRAME.width, height: ROW - 1 }
    pdf.link({ box, from: page, to: place, says: `${title}, page ${pageNumber}`, element: link })
  }
}
