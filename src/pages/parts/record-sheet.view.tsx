// A signed record as a sheet with its band. Nothing else looks like this.
import type { ComponentChildren } from 'preact'
import { Band } from './ornament.view.tsx'
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
  <section class={isExpected ? 'sheet expected' : 'sheet'} aria-label={title}>
    <Band />
    <div class="sheet-title">
      <h3>{title}</h3>
      <span class="soft small nowrap">{beside}</span>
    </div>
    {facts.length > 0 && <Facts facts={facts} />}
    <div class="sheet-foot">{children}</div>
  </section>
)
