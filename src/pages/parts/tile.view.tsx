// Figures at the head of a page: each with its name, its number and a line about it. A tile with a link opens the list behind it.
import type { ComponentChildren } from 'preact'
import { readShown, shownDifference } from '../../platform/shown-difference.ts'
import { formatNumber, formatPercent } from '../text/format.ts'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'
import type { Tone } from './drawn.ts'
import { ParameterLink, type Change } from './url-parameters.view.tsx'

export const Tiles = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <section class="tiles" aria-label={label}>
    {children}
  </section>
)

type TileProps = {
  name: string
  value: string
  icon?: IconPaths
  /** The colour of its icon. */
  tone?: Tone | 'soft'
  /** Null where there is no such list. */
  href?: string | null
  /** What it opens on this page, in the place of an address. */
  change?: Change
  /** True if that is what the page shows. */
  isCurrent?: boolean
  children?: ComponentChildren
}

export function Tile({ name, value, icon, tone, href, change, isCurrent, children }: TileProps) {
  // A link is read as one line: marks that are not seen make pauses in it.
  const pause = (mark: string): ComponentChildren =>
    href == null && change === undefined ? ' ' : <span class="only-read">{mark} </span>
  const content = (
    <>
      <span class="row soft" data-gap="2">
        {icon !== undefined && (
          <span class={tone && `toned ${tone}`}>
            <Icon of={icon} />
          </span>
        )}
        {name}
      </span>
      {pause(':')}
      <b>{value}</b>
      {pause('.')}
      {children !== undefined && <span class="soft">{children}</span>}
    </>
  )
  if (change !== undefined)
    return (
      <ParameterLink look="tile" change={change} isCurrent={isCurrent}>
        {content}
      </ParameterLink>
    )
  return href == null ? (
    <div class="card figure small tile">{content}</div>
  ) : (
    <a class="card figure small tile" href={href}>
      {content}
    </a>
  )
}

/** A figure, and what it is of in a sentence. */
export const Figure = ({ value, children }: { value: string; children: ComponentChildren }) => (
  <p class="figure">
    <b>{value}</b>
    {children}
  </p>
)

type DeltaProps = {
  now: number
  before: number
  /** How both figures are shown. Figures that look the same have not changed. */
  format: (value: number) => string
  /** The figure of the period before, which is then said as well. */
  from?: string
  /** Says the change where it is no percentage: “0.1 s”. */
  by?: ((difference: number) => string) | undefined
}

/** How much a figure changed against the period before, as an arrow and words, without a colour: more is not worse. */
export function Delta({ now, before, format, from, by }: DeltaProps) {
  const difference = shownDifference(now, before, format)
  if (difference === 0) return now === 0 ? null : <>As before</>
  if (before === 0) return <>None before</>
  const direction = now > before ? 'up' : 'down'
  return (
    <>
      <span aria-hidden="true">{direction === 'up' ? '↑\u00A0' : '↓\u00A0'}</span>
      {by?.(Math.abs(difference)) ??
        (from === undefined
          ? changeText(now / before)
          : formatPercent(Math.abs(difference) / readShown(before, format)))}
      {from !== undefined && ` ${direction} from ${from}`}
    </>
  )
}

/** From here on a share says less than how many times it is. */
const MANY_TIMES = 3

const changeText = (times: number): string =>
  times >= MANY_TIMES
    ? `${formatNumber(Math.round(times))}× the figure before`
    : `${formatPercent(Math.round(Math.abs(times - 1) * 100) / 100)} ${times > 1 ? 'more' : 'less'}`

/** A share of a limit, as a bar. Its number is beside it in words. @param share 0 to 1; more is drawn as 1 */
export const Meter = ({ share }: { share: number }) => (
  <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect width="100" height="6" rx="3" />
    <rect width={Math.min(Math.max(share, 0), 1) * 100} height="6" rx="3" />
  </svg>
)
