// API reference: sends the request from this page, with the reader's own key. The key is in the memory of the page only.
import { useState } from 'preact/hooks'
import { Submit, submitHandler } from '../parts/button.view.tsx'
import { Code, CodeBox } from '../parts/code-tabs.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { play } from '../parts/icons.ts'
import type { Operation } from './openapi-document.ts'
import type { OperationProps } from './operation.view.tsx'
import { accessOf, bodyOf } from './request-samples.ts'

type Sent =
  | { state: 'none' | 'sending' | 'unreachable' | 'not_json' }
  | { state: 'answered'; status: number; requestId: string | null; text: string; isJson: boolean }

const KEYS: Readonly<Record<string, string>> = {
  KEY: 'A key of the referral service: vk_test_… or vk_live_…',
  GATEWAY_KEY: 'A key for calls to models: aqta_…',
  MANAGEMENT_KEY: 'A key with the scope manage: aqta_…',
}

/** What the button is about, or why there is none. */
function offerOf(operation: Operation): { variable: string | null } | { reason: string } {
  const access = accessOf(operation)
  if (access === 'none') return { variable: null }
  if (typeof access === 'object' && access.variable in KEYS) return { variable: access.variable }
  return typeof access === 'object'
    ? { reason: 'Not from here: the operator’s token belongs in no page.' }
    : { reason: 'Not from here: it is for people who have signed in, on the pages of the dashboard.' }
}

export function TryIt({ document, operation }: OperationProps) {
  const [isOpen, setOpen] = useState(false)
  const offer = offerOf(operation)
  if ('reason' in offer) return <p class="small soft">{offer.reason}</p>
  if (isOpen) return <TryForm document={document} operation={operation} variable={offer.variable} />
  return (
    <p>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon of={play} />
        {offer.variable === null ? 'Try it' : 'Try it with your key'}
      </button>
    </p>
  )
}

function TryForm({ document, operation, variable }: OperationProps & { variable: string | null }) {
  const body = bodyOf(document, operation)
  const places = (operation.parameters ?? []).filter(
    ({ in: place, required }) => place === 'path' || (place !== 'cookie' && required === true),
  )
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [text, setText] = useState(body === null ? '' : JSON.stringify(body, null, 2))
  const [sent, setSent] = useState<Sent>({ state: 'none' })
  const change = (name: string, value: string): void => setValues({ ...values, [name]: value })

  const send = async (): Promise<void> => {
    if (sent.state === 'sending') return
    if (body !== null && !isJson(text)) return setSent({ state: 'not_json' })
    setSent({ state: 'sending' })
    setSent(await sendTried(operation, { values, text: body === null ? null : text, key: values[KEY] ?? '' }))
  }

  return (
    <form class="card stack" aria-label="Try it" onSubmit={submitHandler(() => void send())}>
      {variable !== null && (
        <Field label="Key" hint={KEYS[variable]}>
          {(control) => (
            <input
              {...control}
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              value={values[KEY] ?? ''}
              onInput={({ currentTarget: { value } }) => change(KEY, value)}
            />
          )}
        </Field>
      )}
      {places.map(({ name, description }) => (
        <Field key={name} label={name} hint={description}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              spellcheck={false}
              required
              value={values[name] ?? ''}
              onInput={({ currentTarget: { value } }) => change(name, value)}
            />
          )}
        </Field>
      ))}
      {body !== null && (
        <Field label="Body" fault={sent.state === 'not_json' ? 'This is no JSON. Nothing was sent.' : null}>
          {(control) => (
            <textarea
              {...control}
              class="code short"
              spellcheck={false}
              value={text}
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
      )}
      <p class="row">
        <Submit label={sent.state === 'sending' ? 'Sending …' : 'Send'} isDisabled={sent.state === 'sending'} />
        <span class="soft small">It is sent to this service for real. The key stays in the memory of this page.</span>
      </p>
      <div role="status" class="stack-s">
        {sent.state === 'unreachable' && (
          <p class="fault">The service could not be reached. Check the connection, then send it again.</p>
        )}
        {sent.state === 'answered' && <Answer {...sent} />}
      </div>
    </form>
  )
}

/** The name of the key among the values: no parameter is called so. */
const KEY = ' key'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function Answer({ status, requestId, text, isJson: isJsonText }: Extract<Sent, { state: 'answered' }>) {
  return (
    <>
      <CodeBox title={`Answer ${status}`} what="the answer" text={text}>
        <pre tabIndex={0} aria-label="The answer">
          <Code text={text === '' ? 'No body.' : text} language={isJsonText ? 'json' : 'text'} />
        </pre>
      </CodeBox>
      {requestId !== null && (
        <p class="small soft">
          Request <span class="hash">{requestId}</span>
        </p>
      )}
    </>
  )
}

type Given = { values: Readonly<Record<string, string>>; text: string | null; key: string }

/** A stream is shown as it ends. More of an answer than this is not shown. */
const MOST_SHOWN = 200_000

async function sendTried(operation: Operation, { values, text, key }: Given): Promise<Sent> {
  const { method, path, parameters = [] } = operation
  const named = (place: 'header' | 'query'): [string, string][] =>
    parameters.flatMap(({ name, in: found }) =>
      found === place && values[name] !== undefined ? [[name, values[name]]] : [],
    )
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(named('query')).toString()
  const headers = new Headers(named('header'))
  if (key !== '') headers.set('authorization', `Bearer ${key.trim()}`)
  if (text !== null) headers.set('content-type', 'application/json')
  try {
    const response = await fetch(`${filled}${query === '' ? '' : `?${query}`}`, {
      method,
      headers,
      // SECURITY: who has signed in here asks nothing by this form.
      credentials: 'omit',
      ...(text !== null && { body: text }),
    })
    const answer = (await response.text()).slice(0, MOST_SHOWN)
    const isJsonText = isJson(answer)
    return {
      state: 'answered',
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      text: isJsonText ? JSON.stringify(JSON.parse(answer), null, 2) : answer,
      isJson: isJsonText,
    }
  } catch {
    return { state: 'unreachable' }
  }
}
