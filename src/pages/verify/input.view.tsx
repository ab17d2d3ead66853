// A place for a document: a text to paste into, a file to choose, or one to let fall on it.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Field } from '../parts/field.view.tsx'
import { formatBytes } from '../text/format.ts'
import { pasted, type Input } from './told.ts'

/** Null where there is none, or more than one: then nobody can say which was meant. */
export function onlyFile(files: FileList | null | undefined): Input | null {
  const file = files?.length === 1 ? files[0] : undefined
  return file === undefined ? null : { name: file.name, blob: file }
}

type Given = {
  label: string
  hint?: ComponentChildren
  fault?: string | null
  input: Input | undefined
  onGive: (input: Input | undefined) => void
  /** Few lines: keys. */
  isShort?: boolean
  /** What was pasted, to be shown again. */
  text: string
  onText: (text: string) => void
}

export function InputField({ label, hint, fault = null, input, onGive, isShort = false, text, onText }: Given) {
  const chooser = useRef<HTMLInputElement>(null)
  const take = (files: FileList | null | undefined): void => {
    const file = onlyFile(files)
    if (file !== null) onGive(file)
  }
  const paste = (given: string): void => {
    onText(given)
    onGive(given.trim() === '' ? undefined : pasted(given))
  }
  const isFile = input !== undefined && input.name !== null
  return (
    <div
      class="stack-s"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        take(event.dataTransfer?.files)
      }}
    >
      <Field label={label} hint={hint} fault={fault}>
        {(control) =>
          isFile ? (
            <input {...control} readOnly value={`${input.name}, ${formatBytes(input.blob.size)}`} />
          ) : (
            <textarea
              {...control}
              class={isShort ? 'mono short' : 'mono'}
              spellcheck={false}
              autocomplete="off"
              value={text}
              onInput={({ currentTarget: { value } }) => paste(value)}
            />
          )
        }
      </Field>
      <p class="row">
        <button type="button" class="button" onClick={() => chooser.current?.click()}>
          Choose a file<span class="only-read"> for {label}</span>
        </button>
        {input !== undefined && (
          <button type="button" class="button" onClick={() => paste('')}>
            Clear<span class="only-read"> {label}</span>
          </button>
        )}
        <input
          ref={chooser}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            take(currentTarget.files)
            currentTarget.value = ''
          }}
        />
      </p>
    </div>
  )
}
