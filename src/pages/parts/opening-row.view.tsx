// A row of a list that opens below itself: its state, what it is, and what it says in a line.
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.view.tsx'
import { chevron } from './icons.ts'
import { OnlyRead } from './layout.view.tsx'

type Props = {
  /** Its place in an address. */
  id: string
  /** Its state, before the title. */
  start: ComponentChildren
  title: string
  about: ComponentChildren
  /** At the end of the row, or false. */
  end: ComponentChildren
  /** A link beside the row, or false. */
  beside: ComponentChildren
  isOpen: boolean
  onToggle: () => void
  /** What is open, with everything that it has. */
  children: ComponentChildren
}

export const OpeningRow = ({ id, start, title, about, end, beside, isOpen, onToggle, children }: Props) => (
  <li id={id}>
    <div class="opening row" data-gap="2" data-align="baseline">
      <h3>
        <button
          type="button"
          class="list-row row"
          data-align="baseline"
          data-single
          aria-expanded={isOpen}
          aria-controls={`${id}-form`}
          onClick={onToggle}
        >
          <Icon of={chevron} />
          <span>
            {start}
            <OnlyRead>: </OnlyRead>
          </span>
          <div class="row" data-gap="1" data-align="baseline">
            <strong>
              {title}
              <OnlyRead>: </OnlyRead>
            </strong>
            <div class="soft">
              {about}
              <OnlyRead>. </OnlyRead>
            </div>
          </div>
          {end !== false && <span class="row">{end}</span>}
        </button>
      </h3>
      {beside !== false && <span class="to-end">{beside}</span>}
    </div>
    <div id={`${id}-form`} class="opened" hidden={!isOpen}>
      {isOpen && children}
    </div>
  </li>
)
