// Shared by the parts of the settings: the frame with the heading, the values as text for people who only read, a switch with its
// hint, and the dialog before an act that cannot be undone.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Dialog, DialogButton } from '../../parts/dialog.view.tsx'
import type { Problem } from '../../api/send-request.ts'
import { InputField } from '../../parts/fields.view.tsx'
import { Form, type FormProps } from '../../parts/form.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { asDisplayed } from '../../text/id-labels.ts'
import { organisation } from '../session.ts'
import {
  elementOf,
  focusPart,
  PARTS,
  useNamed,
  type PartId,
  MEMBERS,
  membersShown,
  type Member,
} from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Hash, Pair, Stack } from '../../parts/layout.view.tsx'
import { CardBody, HeadedCard } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'

export type PartProps = { editing: Editing }

type Props = {
  id: PartId
  /** Absent: its name in the list. */
  title?: ComponentChildren
  lead?: ComponentChildren
  /** What is in the first card, below its heading. */
  children: ComponentChildren
  /** Further cards. */
  more?: ComponentChildren
}

export function Part({ id, title = PARTS[id], lead, children, more }: Props) {
  const { part } = useNamed()
  useLayoutEffect(() => {
    if (part === id) focusPart(id)
  }, [part])
  return (
    <Stack as="section" gap={5} id={elementOf(id)} labelledBy={`${elementOf(id)}-title`} tabIndex={-1}>
      <HeadedCard title={title} titleId={`${elementOf(id)}-title`} note={lead} isMain isList>
        {children}
      </HeadedCard>
      {more}
    </Stack>
  )
}

type FieldsProps = PartProps & {
  id: PartId
  /** What the fields are measured against. */
  beside?: ComponentChildren
  children: ComponentChildren
}

/** The fields of a part, or its values as text where a person may only read. */
export function PartFields({ id, editing, beside, children }: FieldsProps) {
  const fields = editing.mayChange ? (
    children
  ) : (
    <Facts
      facts={membersShown(id, editing.settings).map((name) => [
        MEMBERS[name].label,
        MEMBERS[name].words(editing.settings),
      ])}
    />
  )
  if (beside === undefined) return <CardBody isStack>{fields}</CardBody>
  return (
    <CardBody>
      <Pair>
        <Stack>{fields}</Stack>
        <div>{beside}</div>
      </Pair>
    </CardBody>
  )
}

/** The badge beside the label of a setting that is not saved yet. */
export const changedMark = ({ changes }: Editing, name: Member): ComponentChildren =>
  changes.includes(name) ? <Badge tone="changed">Changed</Badge> : undefined

/** What is in force where something else is typed: “€12.00 today. ” */
export const inForce = ({ changes, settings }: Editing, name: Member): string =>
  changes.includes(name) ? `${MEMBERS[name].words(settings)} today. ` : ''

type NameFormProps = Pick<FormProps, 'button' | 'ask' | 'onCancel'>

type ConfirmProps = {
  title: string
  button: string
  ask: (close: () => void) => Promise<Problem | null>
  children: ComponentChildren
}

/** The button of an act that cannot be undone, with its dialog. The person must type the organisation's name. */
export const ConfirmByName = ({ title, button, ask, children }: ConfirmProps) => (
  <DialogButton label={title} look="danger">
    {(close) => (
      <Dialog title={title} onClose={close}>
        {children}
        <NameForm button={button} ask={() => ask(close)} onCancel={close} />
      </Dialog>
    )}
  </DialogButton>
)

/** The form of an act that cannot be undone, ready once the organisation's name is typed. */
export function NameForm(form: NameFormProps) {
  const { name } = organisation()
  const [typed, setTyped] = useState('')
  return (
    <Form {...form} isDanger isReady={asDisplayed(typed) === asDisplayed(name)}>
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
