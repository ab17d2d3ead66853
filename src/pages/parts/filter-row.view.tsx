// The row of filters above a list, what is applied below it, the search at its end, and its room while it loads.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { submitHandler } from './button.view.tsx'
import { FilterMenu } from './filter-menu.view.tsx'
import { Icon } from './icon.view.tsx'
import { close, search } from './icons.ts'
import { Menu } from './surfaces.view.tsx'
import { ParameterLink, type Change } from './url-parameters.view.tsx'

type RowProps = {
  label?: string
  /** True for what is applied. */
  isChips?: boolean
  children: ComponentChildren
}

export const FilterRow = ({ label, isChips, children }: RowProps) => (
  <div
    class="filter-row row no-print"
    data-gap="2"
    role={label === undefined ? undefined : 'group'}
    aria-label={label}
    data-chips={isChips}
  >
    {children}
  </div>
)

/** The room of a row of filters that is on its way, so that the list below does not move. */
export const FilterRoom = ({ hasChips }: { hasChips: boolean }) => (
  <div class="stack-s no-print" aria-hidden="true">
    <div class="filter-row row" data-gap="2">
      <div class="segments" />
      <div class="filter-row" />
    </div>
    {hasChips && <div class="filter-row" data-chips />}
  </div>
)

type SegmentsProps = { label: string; chosen: string; children: ComponentChildren }

/** Segments that scroll in a narrow window, with the chosen one in sight. */
export function FilterSegments({ label, chosen, children }: SegmentsProps) {
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = row
    const chosenOne = current?.querySelector<HTMLElement>('[aria-current]')
    if (current != null && chosenOne != null) current.scrollLeft = chosenOne.offsetLeft - current.clientWidth / 3
  }, [chosen])
  return (
    <div ref={row} class="segments" role="group" aria-label={label}>
      {children}
    </div>
  )
}

type ChoicesProps = {
  options: readonly (readonly [value: string, name: string])[]
  value: string
  /** Returns the change of the address for a choice. */
  changeOf: (value: string) => Change
}

export const ChoiceLinks = ({ options, value, changeOf }: ChoicesProps) => (
  <Menu>
    {options.map(([one, name]) => (
      <li key={one}>
        <ParameterLink change={changeOf(one)} isCurrent={one === value}>
          {name}
        </ParameterLink>
      </li>
    ))}
  </Menu>
)

/** A filter with its choices. @param any what the button says without a choice */
export const ChoiceMenu = ({ label, any, ...choices }: ChoicesProps & { label: string; any?: string }) => {
  const { options, value } = choices
  const named = options.find(([one]) => one === value)?.[1] ?? value
  return (
    <FilterMenu
      label={label}
      content={
        <>
          {label} <b>{value === '' ? (any ?? named) : named}</b>
        </>
      }
    >
      {() => <ChoiceLinks {...choices} />}
    </FilterMenu>
  )
}

type ChipProps = { label: string; change: Change; children: ComponentChildren }

/** A filter that is applied. A press removes it. */
export const AppliedFilter = ({ label, change, children }: ChipProps) => (
  <ParameterLink look="applied" change={change}>
    {children}
    <Icon of={close} />
    <span class="only-read">, remove the filter {label}</span>
  </ParameterLink>
)

type SearchProps = {
  label: string
  placeholder: string
  value: string
  /** Called with what was typed, and with '' once the field is emptied. */
  onSearch: (text: string) => void
}

export function FilterSearch({ label, placeholder, value, onSearch }: SearchProps) {
  const [text, setText] = useState(value)
  useLayoutEffect(() => setText(value), [value])
  return (
    <form class="filter-search" role="search" onSubmit={submitHandler(() => onSearch(text.trim()))}>
      <Icon of={search} />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          // The browser's own button to empty the field sends no form.
          if (currentTarget.value === '' && value !== '') onSearch('')
        }}
      />
    </form>
  )
}
