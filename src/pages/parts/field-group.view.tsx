// Fields that answer one question, and choices that are each as large as what they say.
import type { ComponentChildren } from 'preact'

type GroupProps = {
  legend: ComponentChildren
  isLegendHidden?: boolean
  hint?: string
  gap?: 2 | 4
  isDisabled?: boolean
  children: ComponentChildren
}

/** Fields that answer one question. */
export const FieldGroup = ({ legend, isLegendHidden, hint, gap = 2, isDisabled, children }: GroupProps) => (
  <fieldset class={gap === 2 ? 'stack-s' : 'stack'} disabled={isDisabled}>
    <legend class={isLegendHidden === true ? 'only-read' : undefined}>{legend}</legend>
    {hint !== undefined && <p class="hint">{hint}</p>}
    {children}
  </fieldset>
)

type ChoicesProps = {
  /** True if each takes half of the width. */
  isInTwos?: boolean
  children: ComponentChildren
}

/** The place of choices that are each as large as what they say. */
export const Choices = ({ isInTwos = false, children }: ChoicesProps) => (
  <div class={isInTwos ? 'choices in-twos' : 'choices'}>{children}</div>
)

type FieldsInRowProps = { onSubmit: (event: Event) => void; children: ComponentChildren }

/** A form of few fields beside one another, with its button at the end. */
export const FieldsInRow = ({ onSubmit, children }: FieldsInRowProps) => (
  <form class="filters no-print" onSubmit={onSubmit}>
    {children}
  </form>
)
