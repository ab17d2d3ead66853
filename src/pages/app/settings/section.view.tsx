// One part of the settings, with an anchor: a link to it opens the page there.
import type { ComponentChildren } from 'preact'

/** In the order of the page. `id` is the anchor. */
export const SECTIONS = {
  organisation: 'Organisation',
  providers: 'Providers',
  limits: 'Limits and budget',
  loops: 'Loops',
  repeats: 'Cache and replays',
  retention: 'Retention',
  content: 'Content logging',
  webhook: 'Webhook',
  export: 'Export',
  erasure: 'Erasure',
} as const

export type SectionId = keyof typeof SECTIONS

export function Section({ id, children }: { id: SectionId; children: ComponentChildren }) {
  return (
    <section id={id} class="card stack" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <h2 id={`${id}-title`}>{SECTIONS[id]}</h2>
      {children}
    </section>
  )
}
