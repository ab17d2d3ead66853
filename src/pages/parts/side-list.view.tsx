// The list of the parts of a page, of which one is open. In a narrow window a choice takes its place.
import type { ComponentChildren } from 'preact'
import { ParameterLink } from './url-parameters.view.tsx'

/** Any list of what can be opened. In a narrow window steps from one to the next take its place, or nothing. */
export const ListOrSteps = ({ list, steps }: { list: ComponentChildren; steps: ComponentChildren }) => (
  <>
    <div class="no-narrow">{list}</div>
    {steps !== false && <div class="only-narrow">{steps}</div>}
  </>
)

export type SideItem<Id> = { id: Id; name: string; state: string; mark?: ComponentChildren }

type Props<Id> = {
  label: string
  /** The parameter of the address that names the open part. */
  parameter: string
  items: readonly SideItem<Id>[]
  open: Id
  onOpen: (id: Id) => void
}

export const SideList = <Id extends string>({ label, parameter, items, open, onOpen }: Props<Id>) => (
  <nav class="side-list no-print" aria-label={label}>
    <select
      class="only-narrow"
      aria-label={`Part of the ${label.toLowerCase()}`}
      value={open}
      onChange={({ currentTarget }) => {
        const item = items.find(({ id }) => id === currentTarget.value)
        if (item !== undefined) onOpen(item.id)
      }}
    >
      {items.map(({ id, name, state }) => (
        <option key={id} value={id} selected={id === open}>
          {state === '' ? name : `${name}: ${state}`}
        </option>
      ))}
    </select>
    <ul class="menu no-narrow">
      {items.map(({ id, name, state, mark }) => (
        <li key={id}>
          <ParameterLink change={{ [parameter]: id }} isCurrent={id === open}>
            {name}
            {mark ?? <small class="to-end">{state}</small>}
          </ParameterLink>
        </li>
      ))}
    </ul>
  </nav>
)
