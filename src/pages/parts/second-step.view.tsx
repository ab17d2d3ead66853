// Proves who somebody is by a passkey, a code or a password: for the second step of a sign-in, and to confirm a session.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OwnFactor } from '../../accounts/access/session-proof.policy.ts'
import type { Purpose } from '../../accounts/second-factor/second-factor.schema.ts'
import { hasPasskeys, namesPasskey, offerPasskey, type loadOptions, type UsedPasskey } from '../api/passkeys.ts'
import { withOwnMessage, type Problem } from '../api/send-request.ts'
import { signIn } from '../api/sign-in.ts'
import { ProblemNotice } from './answer-notices.view.tsx'
import { Button } from './button.view.tsx'
import { TextField } from './fields.view.tsx'
import { Form } from './form.view.tsx'
import { Notice } from './page-blocks.view.tsx'
import { HiddenUsername, PasswordField } from './password.view.tsx'

type PasskeyFormProps = {
  purpose: Purpose
  button: string
  look?: ''
  /** True if the address field offers passkeys too. */
  isSuggested?: boolean
  /** Returns null if the passkey was right. */
  send: (passkey: UsedPasskey) => Promise<Problem | null>
  onOver?: (() => void) | undefined
  onCancel?: (() => void) | undefined
}

const WRONG_PASSKEY = { invalid_credentials: 'This passkey was not taken. Try again, or use another way.' }

/** A button that asks the browser for a passkey. */
export function PasskeyForm({ purpose, isSuggested = false, send, onOver, ...form }: PasskeyFormProps) {
  const [refused, setRefused] = useState<Problem | null>(null)
  const prove = async (passkey: UsedPasskey): Promise<Problem | null> => {
    const problem = await send(passkey)
    return problem && withOwnMessage(problem, WRONG_PASSKEY)
  }
  const proveSuggested = async (passkey: UsedPasskey): Promise<Problem | null> => {
    const problem = await prove(passkey)
    setRefused(problem)
    return problem
  }
  const [offer] = useState(() => offerPasskey(purpose, isSuggested ? proveSuggested : null))
  useLayoutEffect(() => () => offer.end(), [])
  const ask = async (): Promise<Problem | null> => {
    setRefused(null)
    return unlessOver(await offer.use(prove), onOver)
  }
  return (
    <Form {...form} ask={ask}>
      {refused !== null && <ProblemNotice problem={refused} />}
    </Form>
  )
}

/** Calls `onOver` if the first step is too long ago, or the session has ended. Returns any other problem. */
function unlessOver(problem: Problem | null, onOver?: () => void): Problem | null {
  if (problem?.code !== 'session_required' || onOver === undefined) return problem
  onOver()
  return null
}

/** The ways to prove it, by the words of the link to each. `lost` tells what to do without any. */
const WAYS = {
  passkey: 'Use your passkey',
  totp: 'Use a code of your app',
  recovery_code: 'Use a recovery code',
  password: 'Use your password',
  lost: 'I lost my device',
} as const
type Way = keyof typeof WAYS

type ProofProps = {
  purpose: 'second_factor' | 'confirm'
  methods: readonly Way[]
  /** The address, if a code is not enough without the password. */
  passwordOf?: string | null
  /** Returns null if the proof was right. */
  send: (proof: object) => Promise<Problem | null>
  onOver: () => void
  onCancel?: (() => void) | undefined
}

/** Asks for one proof, and offers the other ways below it. */
export function ProofForm({ purpose, methods, passwordOf = null, send, onOver, onCancel }: ProofProps) {
  const usable = methods.filter((method) => method !== 'passkey' || hasPasskeys())
  const [way, setWay] = useState(usable[0] ?? 'lost')
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.querySelector<HTMLElement>('input, button, [tabindex]')?.focus(), [way])
  const others = usable.filter((other) => other !== way)
  const given = { send, onOver, onCancel }
  return (
    <div class="stack" ref={element}>
      {way === 'lost' && (
        <ol tabIndex={-1}>
          <li>Use a recovery code, if you have one.</li>
          <li>
            If not, ask an owner or admin of your organisation to reset your second factor. A second one must agree.
          </li>
          <li>
            A day later, <a href="/reset?for=factor">ask for the link</a>. A mail says from when.
          </li>
        </ol>
      )}
      {way === 'passkey' && <p>Your browser asks for your finger, face or PIN.</p>}
      {way === 'passkey' && (
        <PasskeyForm
          {...given}
          purpose={purpose}
          button="Confirm with your passkey"
          send={(passkey) => send({ passkey })}
        />
      )}
      {way !== 'lost' && way !== 'passkey' && <CodeForm key={way} {...given} way={way} passwordOf={passwordOf} />}
      {others.length > 0 && (
        <div class="row" data-gap="2">
          {others.map((other) => (
            <Button key={other} onClick={() => setWay(other)}>
              {WAYS[other]}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** The code as the service takes it: apps show it in two groups. */
export const digitsOf = (code: string): string => code.replaceAll(/\s/g, '')

export const AppCodeField = (given: { hint?: string; value: string; onValue: (value: string) => void }) => (
  <TextField
    {...given}
    label="Code of your authenticator app"
    inputMode="numeric"
    autocomplete="one-time-code"
    most={12}
    invalid={/^\d{6}$/.test(digitsOf(given.value)) ? '' : 'Type the six digits that the app shows.'}
  />
)

type CodeFormProps = Pick<ProofProps, 'send' | 'onOver' | 'onCancel'> & {
  way: 'totp' | 'recovery_code' | 'password'
  passwordOf: string | null
}

function CodeForm({ way, passwordOf, send, onOver, onCancel }: CodeFormProps) {
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const hasPassword = way !== 'recovery_code' && passwordOf !== null
  const ask = async (): Promise<Problem | null> =>
    unlessOver(
      await send({
        ...(way === 'totp' && { totp: digitsOf(code) }),
        ...(way === 'recovery_code' && { recovery_code: code }),
        ...(hasPassword && { password }),
      }),
      onOver,
    )
  return (
    <Form button="Confirm" ask={ask} onCancel={onCancel}>
      {way === 'totp' && <AppCodeField value={code} onValue={setCode} />}
      {way === 'recovery_code' && (
        <TextField
          label="Recovery code"
          hint="Each works once. Case, spaces and dashes make no difference."
          most={60}
          value={code}
          onValue={setCode}
        />
      )}
      {hasPassword && (
        <>
          <PasswordField
            label={`Password of ${passwordOf}`}
            autocomplete="current-password"
            value={password}
            onValue={setPassword}
          />
          <HiddenUsername email={passwordOf} />
        </>
      )}
    </Form>
  )
}

/** The factors that the second step waits for, `over` if it no longer does, or null before it. */
export type Begun = readonly OwnFactor[] | 'over' | null

/** Tells it from the options of the second step. They name passkeys only, so any other factor is possible. */
export function beganWith(loaded: Awaited<ReturnType<typeof loadOptions>>): Begun {
  if (loaded.outcome === 'refused' && loaded.problem.code === 'session_required') return 'over'
  const mayHavePasskey = loaded.outcome === 'refused' || namesPasskey(loaded.body.options)
  return mayHavePasskey ? ['passkey', 'totp', 'recovery_code'] : ['totp', 'recovery_code']
}

type SignInBy = (by: 'login' | 'passkeys/sign-in', body: object) => Promise<Problem | null>

type StepsProps = {
  begun?: Begun
  /** The title of the second step. */
  title: ComponentChildren
  onSignedIn: () => Promise<Problem | null>
  onCancel?: () => void
  /** Returns the first step. @param signInBy sends it, and leads to the second if there is one */
  children: (signInBy: SignInBy) => ComponentChildren
}

const focusField = (element: HTMLElement | null): void => element?.querySelector('input')?.focus()

/** Signs somebody in, by a second factor too if they have one. */
export function SignInSteps({ begun = null, title, onSignedIn, onCancel, children }: StepsProps) {
  const [step, setStep] = useState<Begun>(begun)
  const signInBy = async (by: Parameters<typeof signIn>[0], body: object): Promise<Problem | null> => {
    const answer = await signIn(by, body)
    if (answer.outcome === 'refused') return answer.problem
    if (answer.body.object === 'session') return onSignedIn()
    setStep(answer.body.methods)
    return null
  }
  if (step === null) return <>{children(signInBy)}</>
  if (step === 'over')
    return (
      <div class="stack" ref={focusField}>
        <Notice tone="warn" role="alert" title="This took longer than ten minutes.">
          Begin again.
        </Notice>
        {children(signInBy)}
      </div>
    )
  return (
    <>
      {title}
      <ProofForm
        purpose="second_factor"
        methods={[...step, 'lost']}
        send={(proof) => signInBy('login/second-factor', proof)}
        onOver={() => setStep('over')}
        onCancel={onCancel}
      />
    </>
  )
}
