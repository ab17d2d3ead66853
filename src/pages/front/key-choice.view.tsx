// Front page: takes the API key from the link or the page. Shows the key in use, how to get one, and a field for the visitor's key.
import { Field } from '../parts/field-frame.view.tsx'
import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxKey } from '../../referral/sandbox-key.schema.ts'
import { sendRequest } from '../api/send-request.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import { Submit, submitHandler } from '../parts/button.view.tsx'
import { Note, Stack } from '../parts/layout.view.tsx'
import { Remark } from '../parts/surfaces.view.tsx'

type Props = {
  keyInUse: KeyInUse | null
  /** True if the visitor tried something that needs a key. */
  isWanted: boolean
  onChoose: (key: KeyInUse) => void
  field: RefObject<HTMLInputElement | null>
}

export function KeyChoice({ keyInUse, isWanted, onChoose, field }: Props) {
  if (keyInUse === null) {
    return (
      <Notice isOffPaper title="Reading a letter takes a key.">
        <p>
          A sandbox key costs nothing and reads the example letters. Keys are requested by e-mail from the operator,
          stating the system being built. On your own machine <code>npm run demo:keys</code> prints one.
        </p>
        <KeyField isWanted={isWanted} onChoose={onChoose} field={field} />
      </Notice>
    )
  }
  return (
    <Stack gap={2} isOffPaper>
      {!isSandbox(keyInUse) && (
        <Remark tone="warn">
          A live key sends the letter to two providers and spends money: invented letters only.{' '}
          <a href="#where">Where the text goes</a>
        </Remark>
      )}
      <details>
        <summary>
          {describeKey(keyInUse)} {isSandbox(keyInUse) ? 'Limits, or another key' : 'Use another key'}
        </summary>
        {isSandbox(keyInUse) && (
          <Note as="p">
            It reads the example letters, from recorded readings. The text goes to no model, and is not stored.
          </Note>
        )}
        <KeyField isWanted={isWanted} onChoose={onChoose} field={field} />
      </details>
    </Stack>
  )
}

function describeKey(keyInUse: KeyInUse): string {
  if (keyInUse.from === 'page') return 'Read with the shared sandbox key of this page.'
  const kind = isSandbox(keyInUse) ? 'sandbox key' : 'live key'
  // Only so much of a key may be shown.
  const masked = `${keyInUse.value.slice(0, 8)}…${keyInUse.value.slice(-4)}`
  return keyInUse.from === 'link'
    ? `Read with the ${kind} from your link, ${masked}.`
    : `Read with your ${kind}, ${masked}.`
}

function KeyField({ isWanted, onChoose, field }: Omit<Props, 'keyInUse'>) {
  const [fault, setFault] = useState<string | null>(null)
  const use = (): void => {
    const value = field.current?.value.trim() ?? ''
    if (!isReferralKey(value)) return setFault('A key that reads letters begins with vk_test_ or vk_live_.')
    setFault(null)
    onChoose({ value, from: 'visitor' })
    if (field.current !== null) field.current.value = ''
  }
  return (
    <Stack as="form" gap={2} onSubmit={submitHandler(use)}>
      <Field
        label="Key"
        hint="Kept in the memory of this page only, until you leave or reload it."
        fault={fault ?? (isWanted ? 'Nothing was sent: a key is needed.' : null)}
      >
        {(control) => (
          <input {...control} ref={field} type="text" autocomplete="off" spellcheck={false} autocapitalize="off" />
        )}
      </Field>
      <Submit label="Use this key" look="" />
    </Stack>
  )
}

/** The key in use: the page's shared key, the link's, or a pasted one. It is only in memory. */
export type KeyInUse = { value: string; from: 'page' | 'link' | 'visitor' }

const isReferralKey = (value: string): boolean => /^vk_(test|live)_[0-9A-Za-z_-]+$/.test(value)

export const isSandbox = ({ value }: KeyInUse): boolean => value.startsWith('vk_test_')

/** Returns the link's key and removes it from the URL. Without one, returns the key that all visitors share, or null. */
export const initialKey = async (): Promise<KeyInUse | null> => takeKeyFromUrl() ?? fetchSharedKey()

export function takeKeyFromUrl(): KeyInUse | null {
  const value = new URLSearchParams(location.hash.slice(1)).get('key')
  if (value === null) return null
  // SECURITY: a key that stays in the URL would stay in the history too, and in every copy of the URL.
  history.replaceState(null, '', location.pathname + location.search)
  return isReferralKey(value) ? { value, from: 'link' } : null
}

/** The page is shown without a shared key if the service does not answer by then. */
const WAITS_FOR_KEY_MS = 3000

async function fetchSharedKey(): Promise<KeyInUse | null> {
  const answer = await sendRequest<SandboxKey>('GET', '/v1/sandbox-key', { withinMs: WAITS_FOR_KEY_MS })
  const value = answer.outcome === 'answered' ? answer.body.key : null
  return value !== null && isReferralKey(value) ? { value, from: 'page' } : null
}
