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

/** How much a figure changed against the period before, as an arrow and words, without a colour: more is not worse. */
export function Delta({ now, before }: { now: number; before: number }) {
  if (before === 0) return <>none in the period before</>
  const change = (now - before) / before
  if (change === 0) return <>as many as before</>
  return (
    <span class="delta">
      <span class={change > 0 ? 'up' : 'down'}>
        <Icon of={arrow} />
      </span>
      {formatPercent(Math.abs(change))} {change > 0 ? 'more' : 'less'} than before
    </span>
  )
}

/** A share of a limit, as a bar. Its number is beside it in words. @param share 0 to 1; more is drawn as 1 */
export const Meter = ({ share }: { share: number }) => (
  <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect width="100" height="6" rx="3" />
    <rect width={Math.min(Math.max(share, 0), 1) * 100} height="6" rx="3" />
  </svg>
)
