// Makes a part out of an element and its class. What a part says beside that becomes classes and attributes by these tables, so that a
// page has neither.
import { h, type ComponentChildren, type VNode } from 'preact'

/** One meaning each: it holds; a person must act; refused or failing. */
export type Tone = 'good' | 'warn' | 'bad'

/** What is so or is not, by its class. */
const CLASSES: Readonly<Record<string, string>> = {
  isApart: 'between',
  isAsWritten: 'lines',
  isAtEnd: 'to-end',
  isCode: 'code',
  isCard: 'card',
  isInTwos: 'in-twos',
  isNumber: 'number',
  isOffPaper: 'no-print',
  isOneLine: 'nowrap',
  isShort: 'short',
  isLine: 'line',
  isStack: 'stack',
  isWideOnly: 'wide-only',
}

/** What has a value, by its attribute. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  align: 'data-align',
  describedBy: 'aria-describedby',
  gap: 'data-gap',
  isBusy: 'aria-busy',
  isDisabled: 'aria-disabled',
  isExpanded: 'aria-expanded',
  isHidden: 'hidden',
  isInert: 'inert',
  isOff: 'disabled',
  isSingle: 'data-single',
  isWhole: 'data-whole',
  label: 'aria-label',
  labelledBy: 'aria-labelledby',
  least: 'data-least',
}

/** True for a member that is a class itself: `tone="soft"`. */
const isLook = (name: string): boolean => name === 'tone' || name === 'size' || name === 'look'

export const classes = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined

/** Attributes of an element. @param base the classes of the part */
export function attributesOf(base: string, given: object): Record<string, unknown> {
  const names = [base]
  const attributes: Record<string, unknown> = {}
  const all: [name: string, value: unknown][] = Object.entries(given)
  for (const [name, value] of all) {
    const named = isLook(name) ? value : CLASSES[name]
    const attribute = ATTRIBUTES[name] ?? name
    // What is not so has no attribute. Only screen readers are told that it could be.
    if (value === undefined || (value === false && !attribute.startsWith('aria-'))) continue
    if (typeof named === 'string') names.push(named)
    else attributes[attribute] = value
  }
  return { ...attributes, class: classes(...names) }
}

/** What every part may have. */
export type Placed = {
  id?: string | undefined
  /** Named for screen readers. */
  label?: string
  /** The id of the heading that names it. */
  labelledBy?: string
  role?: 'group' | 'status' | 'alert'
  /** -1 if a program may give it the focus. */
  tabIndex?: -1
  isOffPaper?: boolean
  children?: ComponentChildren
}

type Part<Props> = (given: Props & { as?: string; children?: ComponentChildren }) => VNode

/** A part that is one element. @param tag where no other is named @param base its classes */
export const drawn =
  <Props extends object>(tag: string, base: string): Part<Props> =>
  ({ as = tag, ...given }) =>
    h(as, attributesOf(base, given))
