// Names and what they are.
import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

/** What is null is said to be “none”. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value ?? <span class="soft">none</span>}</dd>
        </>
      ))}
    </dl>
  )
}
