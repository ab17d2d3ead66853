// Documentation pages: a copy button on each code block, and fields whose values take the place of the variables in the blocks. The
// page is complete without this script.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxKey } from '../../referral/sandbox-key.schema.ts'
import { sendRequest } from '../api/send-request.ts'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { fillVariables, namesIn, type Variables } from './fill-variables.ts'

const commands = Array.from(document.querySelectorAll('.command'), (block) => {
  const code = block.querySelector('code') ?? block
  const copy = block.appendChild(document.createElement('span'))
  return { code, copy, written: code.textContent }
})

function showCommands(values: Variables): void {
  for (const { code, copy, written } of commands) {
    const text = fillVariables(written, values)
    code.textContent = text
    render(<CopyButton text={text} what="these lines" />, copy)
  }
}

/** Asks for the keys that the page's lines use. They stay in the memory of this page. */
function KeyFields({ names, first }: { names: readonly string[]; first: Variables }) {
  const [values, setValues] = useState(first)
  const change = (name: string, value: string): void => {
    const changed = { ...values, [name]: value.trim() }
    setValues(changed)
    showCommands(changed)
  }
  return (
    <div class="stack">
      {names.map((name) => (
        <Field key={name} label={name} hint={HINTS[name]}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              spellcheck={false}
              autocapitalize="off"
              value={values[name] ?? ''}
              onInput={({ currentTarget: { value } }) => change(name, value)}
            />
          )}
        </Field>
      ))}
      <p class="small soft">Kept in the memory of this page only, until you leave or reload it.</p>
    </div>
  )
}

const HINTS: Readonly<Record<string, string>> = {
  KEY: 'A sandbox key: vk_test_…',
  LIVE_KEY: 'A live key: vk_live_…',
  GATEWAY_KEY: 'A key for calls to models: aqta_…',
  MANAGEMENT_KEY: 'A key with the scope manage: aqta_…',
  EMAIL: 'The e-mail address of an owner.',
}

/** The fields are shown without a shared key if the service does not answer by then. */
const WAITS_FOR_KEY_MS = 3000

async function fetchSandboxKey(): Promise<string> {
  const signal = AbortSignal.timeout(WAITS_FOR_KEY_MS)
  const answer = await sendRequest<SandboxKey>('GET', '/v1/sandbox-key', { signal })
  return answer.outcome === 'answered' ? (answer.body.key ?? '') : ''
}

/** Nothing is filled in before somebody opens the fields, because longer lines would move the page. */
function offerKeyFields(): void {
  const fields = document.querySelector('#key-fields')
  const names = namesIn(commands.map(({ written }) => written)).filter((name) => name in HINTS)
  const open = async (): Promise<void> => {
    const first = { URL: location.origin, ...(names.includes('KEY') && { KEY: await fetchSandboxKey() }) }
    showCommands(first)
    if (fields !== null) render(<KeyFields names={names} first={first} />, fields)
  }
  fields?.closest('details')?.addEventListener('toggle', () => void open(), { once: true })
}

showCommands({})
offerKeyFields()
