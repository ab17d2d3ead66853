// Building blocks of pages: a section or card with a heading, a notice with a title, facts as names with values, and sentences.
import { h, type ComponentChildren } from 'preact'
import { useUniqueId } from './field-frame.view.tsx'
import { attributesOf, type Tone } from './drawn.ts'

type SectionProps = {
  title: ComponentChildren
  level?: 2 | 3
  isCard?: boolean
  children: ComponentChildren
}

/** A section of a page, named by its heading. */
export function Section({ title, level = 2, isCard = false, children }: SectionProps) {
  const id = useUniqueId()
  return (
    <section class={isCard ? 'card stack' : 'stack'} aria-labelledby={id}>
      {h(`h${level}`, { id }, title)}
      {children}
    </section>
  )
}

/** A card in a drawer or on a page about one thing. */
export const Card = (given: { title: string; children: ComponentChildren }) => <Section {...given} level={3} isCard />

type NoticeProps = {
  title: ComponentChildren
  tone?: Tone | undefined
  role?: 'status' | 'alert' | 'note'
  /** Names it as a place of the page. */
  label?: string
  isOffPaper?: boolean
  children?: ComponentChildren
}

/** A notice with a title. A plain text becomes one paragraph. */
export const Notice = ({ title, children, ...given }: NoticeProps) =>
  h(
    'div',
    attributesOf('notice stack-s', { role: given.label === undefined ? undefined : 'region', ...given }),
    <p>{title}</p>,
    typeof children === 'string' ? <p>{children}</p> : children,
  )

export type Fact = readonly [name: ComponentChildren, value: ComponentChildren]

/** Returns the facts if the condition is true, otherwise none. */
export const factsIf = (isThere: boolean, ...facts: readonly Fact[]): readonly Fact[] => (isThere ? facts : [])

/** Facts as names with values. Null is shown as “none”. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value ?? <span class="soft">none</span>}</dd>
      </>
    ))}
  </dl>
)

/** Shows sentences as a list. @param isInColumns true if there are many */
export const Sentences = ({ of, isInColumns = false }: { of: readonly string[]; isInColumns?: boolean }) => (
  <ul class={isInColumns ? 'text-columns' : undefined}>
    {of.map((sentence) => (
      <li key={sentence}>{sentence}</li>
    ))}
  </ul>
)
