// API reference: sends the request from this page, with the reader's own key. The key is in the memory of the page only.
import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button, Submit, submitHandler } from '../parts/button.view.tsx'
import { Code, CodeBox } from '../parts/code-tabs.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { play } from '../parts/icons.ts'
import type { Operation } from './openapi-document.ts'
import type { OperationProps } from './operation.view.tsx'
import { formatNumber } from '../text/format.ts'
import { accessOf, bodyOf } from './request-samples.ts'

type Sent =
  | { state: 'none' | 'sending' | 'unreachable' | 'not_json' | 'not_sendable' | 'stopped' }
  | { state: 'answered'; status: number; requestId: string | null; text: string; length: number }

const FAULTS: Readonly<Partial<Record<Sent['state'], string>>> = {
  unreachable: 'The service could not be reached. Check the connection, then send it again.',
  not_json: 'The body is no JSON. Nothing was sent.',
  not_sendable:
    'Nothing was sent: the key or a header has a character that no header takes, or a part of the path is . or ..',
  stopped: 'Stopped. The service may have done all the same what was asked.',
}

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
  const sending = useRef<AbortController>(null)
  const fault = FAULTS[sent.state]
  const field = (name: string, label: string, hint: string | undefined, type: 'text' | 'password') => (
    <Field key={name} label={label} hint={hint}>
      {(control) =>
        // JSX would need a separate element for each type.
        h('input', {
          ...control,
          type,
          autocomplete: 'off',
          spellcheck: false,
          required: true,
          value: values[name] ?? '',
          onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
            setValues({ ...values, [name]: value }),
        })
      }
    </Field>
  )

  const send = async (): Promise<void> => {
    if (sent.state === 'sending') return
    if (body !== null && !isJson(text)) return setSent({ state: 'not_json' })
    const request = requestOf(operation, values, body === null ? null : text)
    if (request === null) return setSent({ state: 'not_sendable' })
    sending.current = new AbortController()
    setSent({ state: 'sending' })
    setSent(await sendTried(request, sending.current.signal))
  }

  return (
    <form class="card stack" aria-label="Try it" onSubmit={submitHandler(() => void send())}>
      {variable !== null && field(KEY, 'Key', KEYS[variable], 'password')}
      {places.map(({ name, description }) => field(name, name, description, 'text'))}
      {body !== null && (
        <Field label="Body" fault={sent.state === 'not_json' ? FAULTS.not_json : null}>
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
        {sent.state === 'sending' && <Button onClick={() => sending.current?.abort()}>Stop</Button>}
        <span class="soft small">It is sent to this service for real. The key stays in the memory of this page.</span>
      </p>
      <div role="status" class="stack-s">
        {fault !== undefined && sent.state !== 'not_json' && <p class="fault">{fault}</p>}
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

/** More of an answer than this is not shown. */
const MOST_SHOWN = 200_000

function Answer({ status, requestId, text, length }: Extract<Sent, { state: 'answered' }>) {
  const isCut = length > MOST_SHOWN
  return (
    <>
      <CodeBox title={`Response ${status}`} what="the response" text={text}>
        <pre tabIndex={0} aria-label="The response">
          <Code text={text === '' ? 'No body.' : text} language={isCut || !isJson(text) ? 'text' : 'json'} />
        </pre>
      </CodeBox>
      {isCut && (
        <p class="small">
          Only the first {formatNumber(MOST_SHOWN)} of {formatNumber(length)} characters are shown and copied.
        </p>
      )}
      {requestId !== null && (
        <p class="small soft">
          Request <span class="hash">{requestId}</span>
        </p>
      )}
    </>
  )
}

/** Returns the request, or null if it cannot be sent as it was meant. */
function requestOf(operation: Operation, values: Readonly<Record<string, string>>, text: string | null) {
  const { method, path, parameters = [] } = operation
  const named = (place: 'header' | 'query'): [string, string][] =>
    parameters.flatMap(({ name, in: found }) =>
      found === place && values[name] !== undefined ? [[name, values[name]]] : [],
    )
  // A browser would take these two for parts of the path, encoded or not.
  if (path.match(/\w+(?=\})/g)?.some((name) => values[name] === '.' || values[name] === '..') === true) return null
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(named('query')).toString()
  try {
    const headers = new Headers(named('header'))
    if (values[KEY]) headers.set('authorization', `Bearer ${values[KEY].trim()}`)
    if (text !== null) headers.set('content-type', 'application/json')
    return new Request(`${filled}${query === '' ? '' : `?${query}`}`, {
      method,
      headers,
      // SECURITY: who has signed in here asks nothing by this form.
      credentials: 'omit',
      ...(text !== null && { body: text }),
    })
  } catch {
    return null
  }
}

/** A stream is shown as it ends. */
async function sendTried(request: Request, signal: AbortSignal): Promise<Sent> {
  try {
    const response = await fetch(request, { signal })
    const answer = await response.text()
    return {
      state: 'answered',
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      text: indented(answer.slice(0, MOST_SHOWN)),
      length: answer.length,
    }
  } catch {
    return { state: signal.aborted ? 'stopped' : 'unreachable' }
  }
}

/** Returns JSON over several lines, or the text as it came where that would change it: a number may not survive. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}
