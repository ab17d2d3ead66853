// Inputs of the verifier page: a text or file to paste, choose or drop, the choice of trusted keys, and where to get keys.
import { Button } from '../parts/button.view.tsx'
import { CopyableText } from '../parts/copy-button.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { EvidenceArea } from '../parts/verdict.view.tsx'
import { formatBytes } from '../text/format.ts'
import { pasted, type DocumentInput } from './detect-document.ts'
import { INPUTS, publishedKeys, type ChosenTrust, type InputName } from './verifier-inputs.ts'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Choice, OnlyRead, Row, Stack, Text } from '../parts/layout.view.tsx'

/** The most characters that the field shows. An evidence bundle has some thousands. */
const MOST_SHOWN = 200_000

type Props = {
  name: InputName
  fault: string | null
  input: DocumentInput | undefined
  /** @param text what the field shows; a file shows none */
  onInputChange: (input: DocumentInput | undefined, text?: string) => void
  onFiles: (files: FileList | null | undefined) => void
  /** True for a field with few lines, such as the keys. */
  isShort: boolean
  /** The pasted text, shown in the field. */
  text: string
}

/** A heading or a choice above these fields names them already. */
const NAMED_ABOVE: ReadonlySet<InputName> = new Set(['document', 'keys'])

export function EvidenceInput({ name, fault, input, onInputChange, onFiles, isShort, text }: Props) {
  const [label, hint] = INPUTS[name]
  const chooser = useRef<HTMLInputElement>(null)
  const paste = (given: string): void => onInputChange(given.trim() === '' ? undefined : pasted(given), given)
  /** Takes a pasted text as a file if it is too long to show. */
  const pasteWhole = (event: ClipboardEvent): void => {
    const given = event.clipboardData?.getData('text') ?? ''
    if (given.length <= MOST_SHOWN) return
    event.preventDefault()
    onInputChange({ ...pasted(given), name: 'Pasted text' })
  }
  const isFile = input !== undefined && input.name !== null
  return (
    <div
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onFiles(event.dataTransfer?.files)
      }}
    >
      <Field label={NAMED_ABOVE.has(name) ? <OnlyRead>{label}</OnlyRead> : label} hint={hint} fault={fault}>
        {(control) => (
          <Row gap={2} align="start" isSingle>
            {isFile ? (
              <input {...control} readOnly value={`${input.name}, ${formatBytes(input.blob.size)}`} />
            ) : (
              <EvidenceArea
                {...control}
                isShort={isShort}
                rows={isShort ? 1 : 3}
                value={text}
                onInput={({ currentTarget: { value } }) => paste(value)}
                onPaste={pasteWhole}
              />
            )}
            <Button onClick={() => (input === undefined ? chooser.current?.click() : paste(''))}>
              <Text isOneLine>{input === undefined ? 'Choose a file' : 'Clear'}</Text>
              <OnlyRead>
                {input === undefined && ' for'} {label}
              </OnlyRead>
            </Button>
          </Row>
        )}
      </Field>
      <input
        ref={chooser}
        type="file"
        hidden
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files)
          currentTarget.value = ''
        }}
      />
    </div>
  )
}

type TrustChoiceProps = {
  trust: ChosenTrust
  onTrust: (trust: ChosenTrust) => void
  /** The field of the keys that the visitor gives. */
  keys: ComponentChildren
}

/** The choice of trusted keys. It says what each way of getting a key proves. */
export function TrustChoice({ trust, onTrust, keys }: TrustChoiceProps) {
  const choice = (value: ChosenTrust, title: string, meaning: string) => (
    <Choice>
      <input type="radio" name="trust" checked={trust === value} onChange={() => onTrust(value)} />
      <span>
        <b>{title}</b> <small>{meaning}</small>
      </span>
    </Choice>
  )
  return (
    <Stack as="fieldset" gap={2}>
      <legend>
        <OnlyRead>Which keys to trust</OnlyRead>
      </legend>
      {choice('given', 'Keys that I give', 'Valid then means: one of them signed it.')}
      {publishedKeys() !== undefined &&
        choice('published', 'The keys that this service publishes', 'Weaker: you trust the service for the keys.')}
      {choice('none', 'No key: was a record changed?', 'Never says valid: anyone can make a record.')}
      {trust === 'given' && keys}
    </Stack>
  )
}

export function KeySources() {
  const isServed = location.origin.startsWith('http')
  const origin = isServed ? location.origin : 'https://THE-ISSUER'
  return (
    <details>
      <summary>Where to get keys, and what that is worth</summary>
      <Stack>
        <p>
          Never from the evidence itself, nor from the person who hands it to you: its maker would choose the key that
          finds it valid.
        </p>
        <p>From a contract, an audit report or your own archive. This page cannot fetch keys.</p>
        <p>
          As the issuer publishes them: this trusts that address on that day. Keep the file: it tells for which time
          each key counts.
        </p>
        {isServed && (
          <p>
            <a href="/v1/attestation/keys" download="kept-keys.json">
              Save the keys that this site publishes
            </a>
            , or in a terminal:
          </p>
        )}
        <CopyableText
          line={`curl -o kept-keys.json ${origin}/v1/attestation/keys`}
          what="the command that keeps the keys"
        />
      </Stack>
    </details>
  )
}
