// Account page: the dialogs that set up, rename and remove a second factor, and the recovery codes, which are shown once.
import { useRef, useState } from 'preact/hooks'
import type {
  ConfirmedTotpSchema,
  FactorsSchema,
  NewPasskeySchema,
  RecoveryCodesSchema,
  TotpToConfirmSchema,
} from '../../../accounts/second-factor/second-factor.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { makePasskey, passkeyProblem, type CreationOptions } from '../../api/passkeys.ts'
import { refusalOf, type Problem } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { DialogForm, ShownOnce } from '../../parts/dialog.view.tsx'
import { TextField } from '../../parts/fields.view.tsx'
import { useUnsavedWarning, type FaultOf } from '../../parts/form.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { save } from '../../parts/icons.ts'
import { Hash, Row } from '../../parts/layout.view.tsx'
import { lazy } from '../../parts/lazy.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { AppCodeField, digitsOf } from '../../parts/second-step.view.tsx'
import { callApi, session } from '../session.ts'

export type Factor = Infer<typeof FactorsSchema>['data'][number]
export type Passkey = Extract<Factor, { object: 'passkey' }>

/** @param onDone gets what was done, and new recovery codes */
export type DialogProps = { onClose: () => void; onDone: (done: string, codes?: readonly string[]) => void }

type LoadedOptions = { expires_at: string; options: CreationOptions }

export const loadCreationOptions = () =>
  callApi<LoadedOptions>('POST', '/api/auth/passkeys/options', { body: { purpose: 'register' } })

export const beginApp = () => callApi<Infer<typeof TotpToConfirmSchema>>('POST', '/api/auth/totp')

type NameProps = { value: string; onValue: (value: string) => void; faultOf: FaultOf }

const NameField = ({ faultOf, ...given }: NameProps) => (
  <TextField
    label="Name"
    hint="Only you see it."
    most={60}
    fault={faultOf('name')}
    invalid={given.value.trim() === '' ? 'Type a name.' : ''}
    {...given}
  />
)

/** The browser's word for its device, by which a person tells passkeys apart on another one. */
const DEVICE = /iPhone|iPad|Android|Windows|Mac|CrOS|Linux/.exec(navigator.userAgent)?.[0] ?? 'Device'

type AddPasskeyProps = DialogProps & { loaded: LoadedOptions; number: number }

/** @param loaded the browser's options, which are there before the click that uses them */
export function AddPasskey({ loaded, number, onClose, onDone }: AddPasskeyProps) {
  const options = useRef(loaded)
  const [name, setName] = useState(number === 1 ? DEVICE : `${DEVICE}, device ${number}`)
  const add = async (): Promise<Problem | null> => {
    if (Date.parse(options.current.expires_at) < Date.now()) {
      const problem = await refusalOf(loadCreationOptions(), (renewed) => void (options.current = renewed))
      if (problem !== null) return problem
    }
    try {
      const body = { name, passkey: await makePasskey(options.current.options) }
      return await refusalOf(
        callApi<Infer<typeof NewPasskeySchema>>('POST', '/api/auth/passkeys', { body }),
        ({ recovery_codes: codes }) => onDone('The passkey is added. All other sessions were ended.', codes),
      )
    } catch (thrown) {
      return passkeyProblem(thrown)
    }
  }
  return (
    <DialogForm title="Add a passkey" button="Make the passkey" ask={add} onClose={onClose}>
      {(faultOf) => (
        <>
          <p>
            Your browser asks for your finger, face or PIN. The passkey stays on the device or in its password manager.
          </p>
          <NameField value={name} onValue={setName} faultOf={faultOf} />
        </>
      )}
    </DialogForm>
  )
}

const QrCode = lazy<{ text: string; label: string }>(10, async () => {
  const { QrCode: View } = await import('../../parts/qr-code.view.tsx')
  return View
})

type SetUpAppProps = DialogProps & { app: Infer<typeof TotpToConfirmSchema>; isReplaced: boolean }

export function SetUpApp({ app: { secret, otpauth_url: url }, isReplaced, onClose, onDone }: SetUpAppProps) {
  const [code, setCode] = useState('')
  const confirm = () =>
    refusalOf(
      callApi<Infer<typeof ConfirmedTotpSchema>>('POST', '/api/auth/totp/confirm', { body: { code: digitsOf(code) } }),
      ({ recovery_codes: codes }) => onDone('The app is set up. All other sessions were ended.', codes),
    )
  return (
    <DialogForm
      title={isReplaced ? 'Replace the app' : 'Set up an app'}
      button="Confirm the code"
      ask={confirm}
      onClose={onClose}
    >
      <p>
        Scan this with an authenticator app on your phone, type the secret into it, or{' '}
        <a href={url}>open it in an app</a> on this device.
        {isReplaced && ' The app that you have works until you confirm.'}
      </p>
      <QrCode text={url} label="QR code with the secret for your authenticator app" />
      <Row gap={2}>
        <Hash as="code">{secret.match(/.{1,4}/g)?.join(' ')}</Hash>
        <CopyButton text={secret} what="the secret" />
      </Row>
      <AppCodeField hint="Six digits. Confirm within 15 minutes." value={code} onValue={setCode} />
    </DialogForm>
  )
}

export function RenewCodes({ onClose, onDone }: DialogProps) {
  const renew = () =>
    refusalOf(callApi<Infer<typeof RecoveryCodesSchema>>('POST', '/api/auth/recovery-codes'), ({ codes }) =>
      onDone('The new recovery codes are in force.', codes),
    )
  return (
    <DialogForm title="New recovery codes" button="Make new codes" ask={renew} onClose={onClose}>
      <p>The recovery codes that you have stop working.</p>
    </DialogForm>
  )
}

/** @param onDone closes it, which nothing else does */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  useUnsavedWarning(true)
  const text = codes.join('\n')
  const content = () => new Blob([`Recovery codes of ${location.host}\n${text}\n`], { type: 'text/plain' })
  return (
    <ShownOnce title="Your recovery codes" button="I have saved them" onDone={onDone}>
      <p>These are shown only now. Keep them where your phone is not. Each signs you in once, after your password.</p>
      <pre tabIndex={0}>{text}</pre>
      <Row>
        <CopyButton text={text} what="the recovery codes" look="" />
        <Button onClick={() => saveFile({ name: 'countersign-recovery-codes.txt', content: content() })}>
          <Icon of={save} />
          Save as a file
        </Button>
        <Button onClick={() => print()}>Print</Button>
      </Row>
    </ShownOnce>
  )
}

export function RenamePasskey({ of: { id, name: before }, onClose, onDone }: DialogProps & { of: Passkey }) {
  const [name, setName] = useState(before)
  const rename = () =>
    refusalOf(callApi('PATCH', `/api/auth/passkeys/${id}`, { body: { name } }), () => onDone('The passkey is renamed.'))
  return (
    <DialogForm title="Rename the passkey" button="Save name" ask={rename} onClose={onClose}>
      {(faultOf) => <NameField value={name} onValue={setName} faultOf={faultOf} />}
    </DialogForm>
  )
}

type RemoveProps = DialogProps & { of: { id: string; name: string }; isLast: boolean }

export function RemoveFactor({ of: { id, name }, isLast, onClose, onDone }: RemoveProps) {
  const first = session().user.methods.includes('password') ? 'your password' : 'your provider'
  const remove = () =>
    refusalOf(callApi('DELETE', `/api/auth/factors/${id}`), () =>
      onDone(`“${name}” is removed. All other sessions were ended.`),
    )
  return (
    <DialogForm title={`Remove “${name}”`} button="Remove" isDanger ask={remove} onClose={onClose}>
      <p>It no longer signs you in. All other sessions end.</p>
      {isLast && (
        <p>It is your last second factor: {first} is then enough again, and your recovery codes stop working.</p>
      )}
    </DialogForm>
  )
}
