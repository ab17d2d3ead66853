// A row of a list that opens below itself: what it is, what it says in a line, and its state at the end.
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.view.tsx'
import { chevron } from './icons.ts'
import { OnlyRead } from './layout.view.tsx'

type Props = {
  /** Its place in an address. */
  id: string
  title: string
  about: ComponentChildren
  /** At the end of the row. */
  end: ComponentChildren
  isOpen: boolean
  onToggle: () => void
  /** What is open, with everything that it has. */
  children: ComponentChildren
}

export const OpeningRow = ({ id, title, about, end, isOpen, onToggle, children }: Props) => (
  <li id={id}>
    <h3>
      <button
        type="button"
        class="list-row row"
        data-single
        aria-expanded={isOpen}
        aria-controls={`${id}-form`}
        onClick={onToggle}
      >
        <Icon of={chevron} />
        <div class="row" data-gap="1">
          <strong>
            {title}
            <OnlyRead>: </OnlyRead>
          </strong>
          <span class="soft">
            {about}
            <OnlyRead>. </OnlyRead>
          </span>
        </div>
        <span class="row">{end}</span>
      </button>
    </h3>
    <div id={`${id}-form`} class="opened" hidden={!isOpen}>
      {isOpen && children}
    </div>
  </li>
)
