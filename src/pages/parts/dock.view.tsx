// A bar at the foot of a page that stays in sight: what has changed, and the acts that settle it.
import type { ComponentChildren } from 'preact'

type Props = {
  label: string
  /** The line above the acts: what is known about the change. */
  result?: ComponentChildren
  /** What has changed, at the left of the acts. */
  state: ComponentChildren
  /** The acts, in the order in which they are done. */
  children: ComponentChildren
}

export const Dock = ({ label, result, state, children }: Props) => (
  <section class="dock sticky card no-print" aria-label={label}>
    {result !== undefined && (
      <div class="dock-result row small" role="status">
        {result}
      </div>
    )}
    <div class="row between">
      <div class="row">{state}</div>
      <div class="row">{children}</div>
    </div>
  </section>
)
