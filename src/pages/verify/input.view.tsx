// A place for a document: a text to paste into, a file to choose, or one to let fall on it.
import { Button } from '../parts/button.view.tsx'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Field } from '../parts/field.view.tsx'
import { formatBytes } from '../text/format.ts'
import { pasted, type Input } from './told.ts'

/** Characters in a field: an evidence bundle has some thousands. */
const MOST_SHOWN = 200_000

type Given = {
  label: string
  hint?: ComponentChildren
  fault?: string | null
  input: Input | undefined
  onGive: (input: Input | undefined) => void
  onFiles: (files: FileList | null | undefined) => void
  /** Few lines: keys. */
  isShort?: boolean
  /** What was pasted, to be shown again. */
  text: string
  onText: (text: string) => void
}

export function InputField({
  label,
  hint,
  fault = null,
  input,
  onGive,
  onFiles,
  isShort = false,
  text,
  onText,
}: Given) {
  const chooser = useRef<HTMLInputElement>(null)
  const paste = (given: string): void => {
    onText(given)
    onGive(given.trim() === '' ? undefined : pasted(given))
  }
  /** What is too long to be drawn at once is taken as a file would be. */
  const pasteWhole = (event: ClipboardEvent): void => {
    const given = event.clipboardData?.getData('text') ?? ''
    if (given.length <= MOST_SHOWN) return
    event.preventDefault()
    onGive({ ...pasted(given), name: 'Pasted text' })
  }
  const isFile = input !== undefined && input.name !== null
  return (
    <div
      class="stack-s"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onFiles(event.dataTransfer?.files)
      }}
    >
      <Field label={label} hint={hint} fault={fault}>
        {(control) =>
          isFile ? (
            <input {...control} readOnly value={`${input.name}, ${formatBytes(input.blob.size)}`} />
          ) : (
            <textarea
              {...control}
              class={isShort ? 'code short' : 'code'}
              spellcheck={false}
              autocomplete="off"
              value={text}
              onInput={({ currentTarget: { value } }) => paste(value)}
              onPaste={pasteWhole}
            />
          )
        }
      </Field>
      <p class="row">
        <Button onClick={() => chooser.current?.click()}>
          Choose a file<span class="only-read"> for {label}</span>
        </Button>
        {input !== undefined && (
          <Button onClick={() => paste('')}>
            Clear<span class="only-read"> {label}</span>
          </Button>
        )}
        <input
          ref={chooser}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            onFiles(currentTarget.files)
            currentTarget.value = ''
          }}
        />
      </p>
    </div>
  )
}
