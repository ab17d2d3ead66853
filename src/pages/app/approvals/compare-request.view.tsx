// Whether a text at hand is the request that waits: its hash is made here, and nothing is sent.
import { useState } from 'preact/hooks'
import { readJsonObject } from '../../../evidence/records/read-json.ts'
import { requestHash } from '../../../evidence/records/request-hash.ts'
import { Field } from '../../parts/field.view.tsx'

export function CompareRequest({ hash }: { hash: string }) {
  const [text, setText] = useState('')
  return (
    <details>
      <summary>Is this the request that you have seen?</summary>
      <div class="stack">
        <p>
          The text of a request that waits is not kept: see it where it comes from. Its body makes the same hash as the
          one above. The body stays in this page.
        </p>
        <Field label="Body of the request, as JSON">
          {(control) => (
            <textarea
              {...control}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
        <p role="status">{text.trim() === '' ? '' : judge(text, hash)}</p>
      </div>
    </details>
  )
}

function judge(text: string, hash: string): string {
  const read = readJsonObject(new TextEncoder().encode(text))
  if (!read.readable) return 'This is not one JSON object.'
  try {
    return requestHash(read.object) === hash
      ? 'The same: this is the request that waits.'
      : 'Another: this is not the request that waits.'
  } catch {
    return 'This has no canonical form.'
  }
}
