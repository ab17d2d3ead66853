// API reference: sends the request from this page: with the reader's own key, with a key made for an hour, or as who has signed in.
import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Infer, InferInput } from '../../platform/once.ts'
import type { CreatedKeySchema, CreateGatewayKeySchema } from '../../keys/key.schema.ts'
import type { SandboxKey } from '../../referral/sandbox-key.schema.ts'
import { HOUR_MS, keepKey, keptKey } from '../api/kept-keys.ts'
import { sendRequest } from '../api/send-request.ts'
import { signInPath, type User } from '../api/sign-in.ts'
import { Button, Submit, submitHandler } from '../parts/button.view.tsx'
import { Code, CodeBox } from '../parts/code-tabs.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { Foldable } from '../parts/foldable.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { play } from '../parts/icons.ts'
import type { Operation, Parameter } from './openapi-document.ts'
import type { OperationProps } from './operation.view.tsx'
import { formatNumber, plural } from '../text/format.ts'
import { accessOf, bodyOf } from './request-samples.ts'

type Sent =
  | { state: 'none' | 'sending' | 'unreachable' | 'not_json' | 'not_sendable' | 'stopped' | 'no_session' }
  | { state: 'no_key'; message: string }
  | { state: 'answered'; status: number; requestId: string | null; text: string; length: number }

const FAULTS: Readonly<Partial<Record<Sent['state'], string>>> = {
  unreachable: 'The service could not be reached. Check the connection, then send it again.',
  not_json: 'The body is no JSON. Nothing was sent.',
  not_sendable:
    'Nothing was sent: the key or a header has a character that no header takes, or a part of the path is . or ..',
  no_session: 'Nothing was sent: nobody has signed in here. Sign in, or type a key.',
  stopped: 'Stopped. The service may have done all the same what was asked.',
}

const KEYS: Readonly<Record<string, string>> = {
  KEY: 'A key of the referral service: vk_test_… or vk_live_…',
  GATEWAY_KEY: 'A key for calls to models: aqta_…',
  MANAGEMENT_KEY: 'A key with the scope manage: aqta_…',
}

/** `without`: what is sent where no key is typed. */
type Offer = { variable: string | null; without: 'nothing' | 'session' | 'made_key' | 'sandbox_key' | 'refused' }

const HINTS: Readonly<Partial<Record<Offer['without'], string>>> = {
  session: ' Left empty, it is sent as the person who has signed in here.',
  sandbox_key: ' Left empty, the sandbox key of this site is used.',
  made_key: ' Left empty, a key for an hour is made for the person who has signed in here.',
}

const KEYLESS: Readonly<Record<string, Offer['without']>> = { KEY: 'sandbox_key', GATEWAY_KEY: 'made_key' }

/** What the button is about, or why there is none. */
function offerOf(operation: Operation): Offer | { reason: string } {
  const access = accessOf(operation)
  if (access === 'none') return { variable: null, without: 'nothing' }
  if (access === 'session') return { variable: null, without: 'session' }
  if (access === 'own_pages') return { reason: 'Not from here: it is for the pages of sign-in.' }
  const { variable } = access
  if (!(variable in KEYS)) return { reason: 'Not from here: the operator’s token belongs in no page.' }
  if (operation.security.some((one) => 'session' in one)) return { variable, without: 'session' }
  return { variable, without: KEYLESS[variable] ?? 'refused' }
}

export function TryIt({ document, operation }: OperationProps) {
  const [isOpen, setOpen] = useState(false)
  const offer = offerOf(operation)
  if ('reason' in offer) return <p class="small soft">{offer.reason}</p>
  if (isOpen) return <TryForm document={document} operation={operation} {...offer} />
  return (
    <p>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon of={play} />
        Try it
      </button>
    </p>
  )
}

/** A member of several organisations must name one. */
const isInSight = (one: Parameter): boolean => isNeeded(one) || one.name === 'x-aqta-organisation'

const isNeeded = ({ in: place, required }: Parameter): boolean => place === 'path' || required === true

function TryForm({ document, operation, variable, without }: OperationProps & Offer) {
  const body = bodyOf(document, operation)
  const parameters = (operation.parameters ?? []).filter(({ in: place }) => place !== 'cookie')
  const optional = parameters.filter((one) => !isInSight(one))
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => ({ [KEY]: keptKey(variable ?? '') }))
  const [text, setText] = useState(body === null ? '' : JSON.stringify(body, null, 2))
  const [sent, setSent] = useState<Sent>({ state: 'none' })
  const sending = useRef<AbortController>(null)
  const fault = FAULTS[sent.state]
  const field = (name: string, label: string, hint: string | undefined, type: 'text' | 'password', required = true) => (
    <Field key={name} label={label} hint={hint}>
      {(control) =>
        // JSX would need a separate element for each type.
        h('input', {
          ...control,
          type,
          autocomplete: 'off',
          spellcheck: false,
          required,
          value: values[name] ?? '',
          onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
            setValues({ ...values, [name]: value }),
        })
      }
    </Field>
  )
  const parameterField = (one: Parameter) => field(one.name, one.name, one.description, 'text', isNeeded(one))

  const send = async (): Promise<void> => {
    if (sent.state === 'sending') return
    if (body !== null && !isJson(text)) return setSent({ state: 'not_json' })
    let key = values[KEY]?.trim() ?? ''
    const source = key === '' ? SOURCES[without] : undefined
    if (source !== undefined) {
      setSent({ state: 'sending' })
      const made = await source()
      if ('state' in made) return setSent(made)
      key = made.key
      setValues({ ...values, [KEY]: key })
    } else if (variable !== null) keepKey(variable, key, null)
    const request = requestOf(operation, { ...values, [KEY]: key }, body === null ? null : text, without)
    if (request === null) return setSent({ state: 'not_sendable' })
    sending.current = new AbortController()
    setSent({ state: 'sending' })
    setSent(await sendTried(request, sending.current.signal))
  }

  return (
    <form class="card stack" aria-label="Try it" onSubmit={submitHandler(() => void send())}>
      {variable !== null &&
        field(KEY, 'Key', `${KEYS[variable]}${HINTS[without] ?? ''}`, 'password', without === 'refused')}
      {parameters.filter(isInSight).map(parameterField)}
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
      {optional.length > 0 && (
        <Foldable summary={plural(optional.length, 'optional parameter')}>
          {() => <div class="stack">{optional.map(parameterField)}</div>}
        </Foldable>
      )}
      <p class="row">
        <Submit label={sent.state === 'sending' ? 'Sending …' : 'Send'} isDisabled={sent.state === 'sending'} />
        {sent.state === 'sending' && <Button onClick={() => sending.current?.abort()}>Stop</Button>}
        <span class="soft small">
          It is sent to this service for real
          {variable === null && without === 'session' && ', as the person who has signed in here'}.
          {variable !== null && ' The key is kept in this tab until you sign out or close it.'}
        </span>
      </p>
      <div role="status" class="stack-s">
        {fault !== undefined && sent.state !== 'not_json' && <p class="fault">{fault}</p>}
        {sent.state === 'no_key' && <p class="fault">{sent.message}</p>}
        {(sent.state === 'no_session' ||
          (without === 'session' && sent.state === 'answered' && sent.status === 401)) && (
          <p>
            <a href={signInPath()}>Sign in</a>
          </p>
        )}
        {sent.state === 'answered' && <Answer {...sent} />}
      </div>
    </form>
  )
}

/** Makes a key for an hour, in the person's first organisation, and keeps it. */
async function makeKey(): Promise<{ key: string } | Sent> {
  const me = await sendRequest<User>('GET', '/api/auth/me')
  if (me.outcome === 'refused')
    return me.problem.status === 401 ? { state: 'no_session' } : { state: 'no_key', message: me.problem.message }
  const organisation = me.body.organisations[0]?.id
  if (organisation === undefined) return { state: 'no_key', message: 'You are in no organisation. Type a key.' }
  const body: InferInput<typeof CreateGatewayKeySchema> = {
    name: 'API reference',
    scopes: ['chat'],
    expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
  }
  const made = await sendRequest<Infer<typeof CreatedKeySchema>>('POST', '/api/keys', { body, organisation })
  if (made.outcome === 'refused') return { state: 'no_key', message: made.problem.message }
  keepKey('GATEWAY_KEY', made.body.key, { id: made.body.id, organisation })
  return made.body
}

/** Returns the key that the operator shares with all visitors. */
async function sharedKey(): Promise<{ key: string } | Sent> {
  const shared = await sendRequest<SandboxKey>('GET', '/v1/sandbox-key')
  if (shared.outcome === 'refused') return { state: 'no_key', message: shared.problem.message }
  const { key } = shared.body
  return key === null ? { state: 'no_key', message: 'This site shares no sandbox key. Type a key.' } : { key }
}

/** Each makes or finds a key if none is typed. */
const SOURCES: Readonly<Partial<Record<Offer['without'], typeof makeKey>>> = {
  sandbox_key: sharedKey,
  made_key: makeKey,
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
function requestOf(
  operation: Operation,
  values: Readonly<Record<string, string>>,
  text: string | null,
  without: Offer['without'],
) {
  const { method, path, parameters = [] } = operation
  const named = (place: 'header' | 'query'): [string, string][] =>
    parameters.flatMap(({ name, in: found }) => (found === place && values[name] ? [[name, values[name]]] : []))
  // A browser would take these two for parts of the path, encoded or not.
  if (path.match(/\w+(?=\})/g)?.some((name) => values[name] === '.' || values[name] === '..') === true) return null
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(named('query')).toString()
  try {
    const headers = new Headers(named('header'))
    if (values[KEY]) headers.set('authorization', `Bearer ${values[KEY]}`)
    if (text !== null) headers.set('content-type', 'application/json')
    return new Request(`${filled}${query === '' ? '' : `?${query}`}`, {
      method,
      headers,
      // SECURITY: who has signed in here asks by this form only what a session may ask, and never beside a key.
      credentials: without === 'session' && !values[KEY] ? 'same-origin' : 'omit',
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
