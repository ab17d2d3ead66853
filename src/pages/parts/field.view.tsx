// A field of a form: its name, what to put in, and what is wrong with it.
import type { ComponentChildren } from 'preact'
import { useUniqueId } from './use-unique-id.ts'

/** What the control takes: `<input {...control} />`. */
export type Control = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' }

type Given = {
  label: ComponentChildren
  hint?: ComponentChildren
  fault?: string | null
  children: (control: Control) => ComponentChildren
}

export function Field({ label, hint, fault = null, children }: Given) {
  const id = useUniqueId()
  const described = [hint === undefined ? [] : [`${id}-hint`], fault === null ? [] : [`${id}-fault`]].flat().join(' ')
  const control: Control = {
    id,
    ...(described !== '' && { 'aria-describedby': described }),
    ...(fault !== null && { 'aria-invalid': 'true' }),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(control)}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault !== null && (
        <span class="fault" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  )
}
