// The policy as JSON, whole.
import { Field } from '../../parts/field.view.tsx'
import type { Draft } from './draft.ts'

type Given = { draft: Draft; isReadOnly: boolean; onText: (text: string) => void }

export function PolicyJson({ draft, isReadOnly, onText }: Given) {
  return (
    <Field
      label="The policy as JSON"
      hint="At most 16 KiB. Each member is a rule; one that is left out is not applied."
      fault={draft.fault}
    >
      {(control) => (
        <textarea
          {...control}
          class="code"
          rows={24}
          spellcheck={false}
          autocapitalize="none"
          readOnly={isReadOnly}
          value={draft.text}
          onInput={({ currentTarget: { value } }) => onText(value)}
        />
      )}
    </Field>
  )
}
