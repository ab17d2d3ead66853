// A signed record as a sheet with its band. Nothing else looks like this.
import type { ComponentChildren, ComponentProps } from 'preact'
import { Note } from './layout.view.tsx'
import { Band } from './ornament.view.tsx'
import { OutcomeBadge } from './outcome-badge.view.tsx'
import { Facts, type Fact } from './page-blocks.view.tsx'

type Props = {
  title: string
  /** What stands at the right of the title: the number of the entry. */
  beside?: ComponentChildren
  facts: readonly Fact[]
  /** True for one that does not exist yet. */
  isExpected?: boolean
  /** Below the dashed line: the seal, and what was checked. */
  children: ComponentChildren
}

export const RecordSheet = ({ title, beside, facts, isExpected = false, children }: Props) => (
  <section class={isExpected ? 'card parts sheet expected' : 'card parts sheet'} aria-label={title}>
    <Band />
    <div class="head">
      <h3 class="subject">{title}</h3>
      <span class="soft small nowrap">{beside}</span>
    </div>
    {facts.length > 0 && (
      <div class="body">
        <Facts facts={facts} />
      </div>
    )}
    <div class="foot-line row">{children}</div>
  </section>
)

/** The decision of a record: the outcome, and the word that is signed for it. */
export const SignedOutcome = ({ signed, ...shown }: ComponentProps<typeof OutcomeBadge> & { signed: string }) => (
  <>
    <OutcomeBadge {...shown} />{' '}
    <Note>
      signed as <code>{signed}</code>
    </Note>
  </>
)
