// The numbered parts of a report.
import type { Flow } from '../../pdf/layout/flow.ts'
import type { Contents } from './contents.ts'
import { GAP, SECTION, SECTION_GAP, SUBSECTION } from './styles.ts'

/** Room that a heading has something below in. */
const FOLLOWS = 96

export class Sections {
  readonly #flow: Flow
  readonly #contents: Contents
  #count = 0

  constructor(flow: Flow, contents: Contents) {
    this.#flow = flow
    this.#contents = contents
  }

  /** `room`: how much of a page the section wants at least, else it begins another. */
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
