// The frame of every form field (label, hint, error), and ids that are unique on a page.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from './icon.view.tsx'
import { blocked } from './icons.ts'

let ids = 0

/** Returns an id that is unique on the page. Preact's `useId` starts again in each island, and a page can have several. */
export function useUniqueId(): string {
  const id = useRef('')
  if (id.current === '') id.current = `part-${++ids}`
  return id.current
}

/** Attributes to spread on the control: `<input {...control} />`. */
export type Control = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' }

export type FieldDescription = {
  label: ComponentChildren
  /** A badge beside the label, such as “Changed”. */
  mark?: ComponentChildren
  hint?: ComponentChildren
  /** The service's complaint about the value. */
  fault?: string | null | undefined
}

/** The service's complaint about a value, if it has one. */
export const Fault = ({ id, of }: { id?: string; of: string | null }) =>
  of === null ? null : (
    <span class="fault" id={id}>
      <Icon of={blocked} />
      <span>{of}</span>
    </span>
  )

type FieldProps = FieldDescription & { children: (control: Control) => ComponentChildren }

export function Field({ label, mark, hint, fault = null, children }: FieldProps) {
  const id = useUniqueId()
  const described = [hint === undefined ? [] : [`${id}-hint`], fault === null ? [] : [`${id}-fault`]].flat().join(' ')
  const control: Control = {
    id,
    ...(described !== '' && { 'aria-describedby': described }),
    ...(fault !== null && { 'aria-invalid': 'true' }),
  }
  return (
    <div class="field">
      <label for={id}>
        {label}
        {mark !== undefined && <> {mark}</>}
      </label>
      {children(control)}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <Fault id={`${id}-fault`} of={fault} />
    </div>
  )
}
