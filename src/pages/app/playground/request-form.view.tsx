// Playground: the request that a person writes: model, use case, messages and parameters, and the button that sends it.
import { useState } from 'preact/hooks'
import { Button, submitHandler, LinkButton } from '../../parts/button.view.tsx'
import { AreaField, InputField, SelectField, type Option } from '../../parts/fields.view.tsx'
import { Field } from '../../parts/field-frame.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { close, play, plus } from '../../parts/icons.ts'
import { PARAMETERS, type Draft, type Message, type Role } from './call-request.ts'
import { FormFields } from '../../parts/schema-form.view.tsx'
import { isModelAllowed, type Choices } from './load-choices.ts'
import { Pair, Row, Stack, Columns, OnlyRead, Note } from '../../parts/layout.view.tsx'
import { DividedForm } from '../../parts/surfaces.view.tsx'
import { capitalised } from '../../text/reword-text.ts'
import { SendOrStop } from '../../parts/send-or-stop.view.tsx'

type Props = {
  draft: Draft
  onDraft: (draft: Draft) => void
  choices: Choices
  isSending: boolean
  onSend: () => void
  onStop: () => void
  onClear: () => void
}

export function RequestForm({ draft, onDraft, choices, isSending, onSend, onStop, onClear }: Props) {
  const change = (changed: Partial<Draft>): void => onDraft({ ...draft, ...changed })
  return (
    <DividedForm
      label="Request"
      onSubmit={submitHandler(() => isSending || onSend())}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
    >
      <Pair>
        <ModelField choices={choices} draft={draft} onModel={(model) => change({ model })} />
        <UseCase choices={choices} value={draft.useCase} onValue={(useCase) => change({ useCase })} />
      </Pair>
      <Messages messages={draft.messages} onMessages={(messages) => change({ messages })} />
      <details
        // The browser cannot show what is wrong with a folded field.
        onInvalidCapture={({ currentTarget }) => {
          currentTarget.open = true
        }}
      >
        <summary>
          Parameters <Note>{parameterWords(draft)}</Note>
        </summary>
        <Parameters draft={draft} onChange={change} />
      </details>
      <Row>
        <SendOrStop isSending={isSending} onStop={onStop}>
          {!isSending && <Icon of={play} />}
          {isSending ? 'Stop' : 'Send call'}
        </SendOrStop>
        <Button onClick={onClear}>
          <Icon of={close} />
          Clear
        </Button>
        <Note as="p">{estimateOf(draft, choices)} Uses a temporary key (1 hour).</Note>
      </Row>
    </DividedForm>
  )
}

type ModelProps = { choices: Choices; draft: Draft; onModel: (model: string) => void }

/** A model that the policy blocks can be chosen all the same, to see what a program would be told. */
function ModelField({ choices, draft: { model: chosen, useCase }, onModel }: ModelProps) {
  const { true: allowed = [], false: blocked = [] } = Object.groupBy(choices.models, (model) =>
    isModelAllowed(choices, model, useCase) ? 'true' : 'false',
  )
  const optionOf = (model: string) => (
    <option key={model} value={model} selected={model === chosen}>
      {model}
    </option>
  )
  return (
    <Field label="Model">
      {(control) => (
        <select {...control} value={chosen} onChange={({ currentTarget }) => onModel(currentTarget.value)}>
          {allowed.map(optionOf)}
          {blocked.length > 0 && <optgroup label="Blocked by your policy">{blocked.map(optionOf)}</optgroup>}
        </select>
      )}
    </Field>
  )
}

/** The service takes these names. An empty field declares none. */
const USE_CASE = /^(?:[a-z0-9][a-z0-9._-]*)?$/

const NO_USE_CASE: Option = ['', 'None declared']

type UseCaseProps = { choices: Choices; value: string; onValue: (value: string) => void }

function UseCase({ choices: { useCases, isUseCaseRequired }, value, onValue }: UseCaseProps) {
  if (useCases.length > 0) {
    const options: readonly Option[] = useCases.map((name) => [name, name])
    return (
      <SelectField
        label="Use case"
        value={value}
        onValue={onValue}
        options={isUseCaseRequired ? options : [...options, NO_USE_CASE]}
      />
    )
  }
  const fault = USE_CASE.test(value) ? '' : 'Write a word: a to z, 0 to 9, dot, hyphen and underscore.'
  return (
    <InputField
      label="Use case"
      value={value}
      onValue={onValue}
      fault={fault || null}
      invalid={fault}
      autocomplete="off"
      placeholder="triage-notes"
      spellcheck={false}
      maxLength={64}
      required={isUseCaseRequired}
    />
  )
}

type MessagesProps = { messages: readonly Message[]; onMessages: (messages: readonly Message[]) => void }

function Messages({ messages, onMessages }: MessagesProps) {
  const [added, setAdded] = useState<number | null>(null)
  const add = (role: Role): void => {
    const message: Message = { id: Math.max(0, ...messages.map(({ id }) => id)) + 1, role, text: '' }
    onMessages(role === 'system' ? [message, ...messages] : [...messages, message])
    setAdded(message.id)
  }
  const canRemove = messages.filter(({ role }) => role === 'user').length > 1
  return (
    <Stack>
      {messages.map((message) => {
        const { id, role, text } = message
        const name = nameOf(message, messages)
        const change = (next: string): void =>
          onMessages(messages.map((one) => (one === message ? { ...one, text: next } : one)))
        return (
          <Stack key={id} gap={2}>
            <AreaField
              label={name}
              isShort
              takesFocus={id === added}
              value={text}
              required={role === 'user'}
              onValue={change}
            />
            {(canRemove || role === 'system') && (
              <LinkButton size="small" onClick={() => onMessages(messages.filter((one) => one !== message))}>
                Remove the message<OnlyRead> {name}</OnlyRead>
              </LinkButton>
            )}
          </Stack>
        )
      })}
      <Row as="p">
        <AddButton label="Add a user message" onAdd={() => add('user')} />
        {!messages.some(({ role }) => role === 'system') && (
          <AddButton label="Add a system message" onAdd={() => add('system')} />
        )}
      </Row>
    </Stack>
  )
}

const AddButton = ({ label, onAdd }: { label: string; onAdd: () => void }) => (
  <Button onClick={onAdd}>
    <Icon of={plus} />
    {label}
  </Button>
)

function nameOf({ id, role }: Message, messages: readonly Message[]): string {
  const same = messages.filter((one) => one.role === role)
  const name = capitalised(role)
  return same.length === 1 ? name : `${name} ${same.findIndex((one) => one.id === id) + 1}`
}

/** English has about so many characters to a token. */
const CHARACTERS_A_TOKEN = 4

/** The tokens that the call may take, and what they cost at today's prices. */
function estimateOf({ model, messages, parameters: { max_tokens: most } }: Draft, { prices }: Choices): string {
  const characters = messages.reduce((sum, { text }) => sum + text.length, 0)
  if (characters === 0) return ''
  const tokens = Math.ceil(characters / CHARACTERS_A_TOKEN)
  const words = `About ${formatNumber(tokens)} tokens in`
  const price = prices.get(model)
  if (price === undefined || !/^[1-9]\d{0,5}$/.test(most)) return `${words}.`
  const eur = (tokens * price.input + Number(most) * price.output) / 1e6
  return `${words}, at most ${formatNumber(Number(most))} out: up to about ${formatEuro(eur)}.`
}

/** The parameters in a few words, beside the part that is folded. */
const parameterWords = ({ parameters: { temperature, max_tokens: most, stream } }: Draft): string =>
  [
    ...(temperature === '' ? [] : [`temperature ${temperature}`]),
    ...(most === '' ? [] : [`at most ${most} tokens`]),
    stream === 'true' ? 'streamed' : 'in one piece',
  ].join(', ')

type ParametersProps = { draft: Draft; onChange: (changed: Partial<Draft>) => void }

function Parameters({ draft: { parameters: text }, onChange }: ParametersProps) {
  const set = (name: keyof typeof text, value: string): void => onChange({ parameters: { ...text, [name]: value } })
  const fields = { of: { ...PARAMETERS, text, set }, faultOf: () => null }
  return (
    <Stack>
      <Columns least={9}>
        <FormFields {...fields} only={['temperature', 'max_tokens']} />
      </Columns>
      <FormFields {...fields} only={['stream']} />
    </Stack>
  )
}
