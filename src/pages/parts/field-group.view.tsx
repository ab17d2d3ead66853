// Fields that answer one question.
import type { ComponentChildren } from 'preact'
import { Fault, useUniqueId } from './field-frame.view.tsx'

type GroupProps = {
  legend: ComponentChildren
  isLegendHidden?: boolean
  hint?: string | undefined
  fault?: string | null
  gap?: 2 | 4
  isDisabled?: boolean
  children: ComponentChildren
}

export function FieldGroup({ legend, isLegendHidden, hint, fault = null, gap = 2, isDisabled, children }: GroupProps) {
  const id = useUniqueId()
  return (
    <fieldset
      class={gap === 2 ? 'stack-s' : 'stack'}
      disabled={isDisabled}
      aria-describedby={fault === null ? undefined : id}
    >
      <legend class={isLegendHidden === true ? 'only-read' : undefined}>{legend}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
      <Fault id={id} of={fault} />
    </fieldset>
  )
}

type FieldsInRowProps = { onSubmit: (event: Event) => void; children: ComponentChildren }

/** A form of few fields beside one another, with its button at the end. */
export const FieldsInRow = ({ onSubmit, children }: FieldsInRowProps) => (
  <form class="columns filters no-print" onSubmit={onSubmit}>
    {children}
  </form>
)
