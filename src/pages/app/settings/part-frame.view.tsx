// Shared by the parts of the settings: the frame with the heading, the values as text for people who only read, a switch with its
// hint, and the dialog before an act that cannot be undone.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/send-request.ts'
import { Dialog } from '../../parts/dialog.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { asDisplayed } from '../../text/id-labels.ts'
import { elementOf, type PartId } from './parts.ts'
import { MEMBERS, membersOf, type Member } from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Hash, Note } from '../../parts/layout.view.tsx'
import { CardBody, Badge } from '../../parts/surfaces.view.tsx'

export type PartProps = { editing: Editing }

type Props = {
  id: PartId
  title: ComponentChildren
  lead: ComponentChildren
  /** What is in the first card, below its heading. */
  children: ComponentChildren
  /** Further cards. */
  more?: ComponentChildren
}

export const Part = ({ id, title, lead, children, more }: Props) => (
  <section id={elementOf(id)} class="part stack-m" aria-labelledby={`${elementOf(id)}-title`} tabIndex={-1}>
    <div class="card parts">
      <div class="head">
        <div>
          <h2 id={`${elementOf(id)}-title`}>{title}</h2>
          <Note as="p">{lead}</Note>
        </div>
      </div>
      {children}
    </div>
    {more}
  </section>
)

type CardProps = { title: string; note?: ComponentChildren; act?: ComponentChildren; children: ComponentChildren }

/** A further card of a part. */
export const PartCard = ({ title, note, act, children }: CardProps) => (
  <div class="card parts">
    <div class="head">
      <div>
        <h3>{title}</h3>
        {note !== undefined && <Note as="p">{note}</Note>}
      </div>
      {act}
    </div>
    {children}
  </div>
)

/** The fields of a part, or its values as text where a person may only read. */
export const PartFields = ({ id, editing, children }: PartProps & { id: PartId; children: ComponentChildren }) => (
  <CardBody isStack>
    {editing.mayChange ? (
      children
    ) : (
      <Facts facts={membersOf(id).map((name) => [MEMBERS[name].label, MEMBERS[name].words(editing.settings)])} />
    )}
  </CardBody>
)

/** The badge beside the label of a setting that is not saved yet. */
export const changedMark = ({ changes }: Editing, name: Member): ComponentChildren =>
  changes.includes(name) ? <Badge tone="changed">Changed</Badge> : undefined

/** What is in force where something else is typed: “€12.00 today. ” */
export const inForce = ({ changes, settings }: Editing, name: Member): string =>
  changes.includes(name) ? `${MEMBERS[name].words(settings)} today. ` : ''

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
export const ConfirmByName = ({ title, onClose, children, ...form }: NameTypedProps) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <NameForm {...form} onCancel={onClose} />
  </Dialog>
)

type NameFormProps = Pick<NameTypedProps, 'name' | 'verb' | 'act'> & { onCancel?: () => void }

/** The form of an act that cannot be undone, ready once the organisation's name is typed. */
export function NameForm({ name, verb, act, onCancel }: NameFormProps) {
  const [typed, setTyped] = useState('')
  return (
    <Form
      button={verb}
      isDanger
      isReady={asDisplayed(typed) === asDisplayed(name)}
      ask={act}
      {...(onCancel !== undefined && { onCancel })}
    >
      <InputField
        label="Type the organisation’s name"
        hint={<Hash>{name}</Hash>}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onValue={setTyped}
      />
    </Form>
  )
}
