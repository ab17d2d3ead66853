// Shared by the settings sections: their list and frame, the form, and the dialog before an act that cannot be undone.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import type { Problem } from '../../api/send-request.ts'
import { Button, submitHandler, Submit } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { faultsIn, Form, useUnsavedWarning, type FaultOf } from '../../parts/form.view.tsx'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { asDisplayed } from '../../text/id-labels.ts'

/** Sections in the order of the page. A section's name is its anchor, so a link can open the page there. */
export const SECTIONS = {
  organisation: 'Organisation',
  providers: 'Providers',
  limits: 'Limits and budget',
  loops: 'Loops',
  repeats: 'Cache and replays',
  retention: 'Retention',
  content: 'Content logging',
  webhook: 'Webhook',
  erasure: 'Erasure',
} as const

export type SectionId = keyof typeof SECTIONS

export const SettingsSection = ({ id, children }: { id: SectionId; children: ComponentChildren }) => (
  <section id={id} class="card stack" aria-labelledby={`${id}-title`} tabIndex={-1}>
    <h2 id={`${id}-title`}>{SECTIONS[id]}</h2>
    {children}
  </section>
)

/** The settings as last loaded, and the function that changes them. */
export type SettingsState = {
  settings: Settings
  mayChange: boolean
  /** Returns null on success. The service refuses the change if somebody else changed the settings meanwhile. */
  change: (values: UpdateSettings) => Promise<Problem | null>
  /** Loads the current settings and resets each form to them. */
  reload: () => void
}

export type SectionProps = { state: SettingsState }

type Props = SectionProps & {
  /** The section that contains the form. */
  id: SectionId
  /** The values in the form. Unchanged members are not sent. */
  values: UpdateSettings
  /** The question to confirm before sending, or null. */
  question?: { title: string; text: ComponentChildren } | null
  children: (faultOf: FaultOf) => ComponentChildren
}

type Step = 'ready' | 'asking' | 'sending' | 'saved'

/** A form that sends only what differs from the settings in force. */
export function SettingsForm({ state, id, values, question = null, children }: Props) {
  const { mayChange } = state
  const [step, setStep] = useState<Step>('ready')
  const [problem, setProblem] = useState<Problem | null>(null)
  const differing = differingFrom(state.settings, values)
  const isSame = Object.keys(differing).length === 0
  useUnsavedWarning(!isSame)

  const send = async (): Promise<void> => {
    setStep('sending')
    const found = await state.change(differing)
    setProblem(found)
    setStep(found === null ? 'saved' : 'ready')
  }
  const submit = (): void => {
    if (isSame || step === 'sending') return
    if (question === null) void send()
    else setStep('asking')
  }

  return (
    <form class="stack" onSubmit={submitHandler(submit)}>
      <fieldset class="stack" disabled={!mayChange}>
        {children(faultsIn(problem))}
      </fieldset>
      {problem !== null && <RefusalNotice problem={problem} />}
      {problem?.code === 'conflict' && (
        <p class="row">
          <Button onClick={() => reloadAt(state, id)}>Show the settings as they are now</Button>
          <span class="soft">What is not saved on this page goes.</span>
        </p>
      )}
      {mayChange && (
        <p class="row">
          <Submit label="Save" isDisabled={isSame || step === 'sending'} />
          <span role="status" class="soft">
            {step === 'sending' ? 'Saving' : step === 'saved' && isSame ? 'Saved' : isSame ? '' : 'Not saved yet'}
          </span>
        </p>
      )}
      {step === 'asking' && question !== null && (
        <Dialog title={question.title} onClose={() => setStep('ready')}>
          {question.text}
          <p class="row">
            <Button look="first" onClick={() => void send()}>
              Save it so
            </Button>
            <Button onClick={() => setStep('ready')}>Leave it as it is</Button>
          </p>
        </Dialog>
      )}
    </form>
  )
}

/** Reloads the settings and scrolls to this section. */
function reloadAt({ reload }: SettingsState, id: SectionId): void {
  history.replaceState(history.state, '', `#${id}`)
  reload()
}

function differingFrom(settings: Settings, values: UpdateSettings): UpdateSettings {
  const before: Readonly<Record<string, unknown>> = settings
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => textOf(value) !== textOf(before[name])))
}

/** Makes a value comparable. Sorts lists: the order of providers has no meaning, and no other member is a list. */
const textOf = (value: unknown): string => JSON.stringify(Array.isArray(value) ? value.map(String).toSorted() : value)

type NameTypedProps = {
  title: string
  /** The organisation's name. */
  name: string
  /** The label of the button. */
  verb: string
  /** Returns null on success. The dialog then closes. */
  act: () => Promise<Problem | null>
  onClose: () => void
  children: ComponentChildren
}

/** The dialog before an act that cannot be undone. The person must type the organisation's name. */
export function ConfirmByName({ title, name, verb, act, onClose, children }: NameTypedProps) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form button={verb} isDanger isReady={asDisplayed(typed) === asDisplayed(name)} ask={act} onCancel={onClose}>
        <InputField
          label={
            <>
              Type the organisation’s name: <span class="hash">{name}</span>
            </>
          }
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onValue={setTyped}
        />
      </Form>
    </Dialog>
  )
}
