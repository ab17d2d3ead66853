// Figures at the head of a page: each with its name, its number and a line about it. A tile with a link opens the list behind it.
import type { ComponentChildren } from 'preact'
import { formatPercent } from '../text/format.ts'
import { Icon } from './icon.view.tsx'
import { arrow, type IconPaths } from './icons.ts'

export const Tiles = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <section class="tiles" aria-label={label}>
    {children}
  </section>
)

type TileProps = { name: string; value: string; icon?: IconPaths; href?: string; children?: ComponentChildren }

export function Tile({ name, value, icon, href, children }: TileProps) {
  const content = (
    <>
      <span>
        {icon !== undefined && <Icon of={icon} />}
        {name}
      </span>{' '}
      <b>{value}</b> <span>{children}</span>
    </>
  )
  return href === undefined ? (
    <div class="card tile">{content}</div>
  ) : (
    <a class="card tile" href={href}>
      {content}
    </a>
  )
}

type DeltaProps = {
  now: number
  before: number
  /** The figure of the period before, which is then said as well. */
  from?: string
  /** The change, where it is no percentage: “0.1 s”. */
  by?: string
}

/** How much a figure changed against the period before, as an arrow and words, without a colour: more is not worse. */
export function Delta({ now, before, from, by }: DeltaProps) {
  if (before === 0) return <>none in the period before</>
  const change = (now - before) / before
  if (change === 0) return <>as many as before</>
  const [direction, word] = change > 0 ? ['up', 'more'] : ['down', 'less']
  return (
    <>
      <span class="delta">
        <span class={direction}>
          <Icon of={arrow} />
        </span>
        {by ?? formatPercent(Math.abs(change))} {from === undefined ? `${word} than before` : direction}
      </span>
      {from !== undefined && ` from ${from}`}
    </>
  )
}

/** A share of a limit, as a bar. Its number is beside it in words. @param share 0 to 1; more is drawn as 1 */
export const Meter = ({ share }: { share: number }) => (
  <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect width="100" height="6" rx="3" />
    <rect width={Math.min(Math.max(share, 0), 1) * 100} height="6" rx="3" />
  </svg>
)
