// The bar that shows while something is changed: what, before and after, and the acts. One save is of the changes of all parts.
import { useState } from 'preact/hooks'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { Dock, IfRoom } from '../../parts/dock.view.tsx'
import { Notice, Facts } from '../../parts/page-blocks.view.tsx'
import { plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { questionsOf } from './save-questions.view.tsx'
import { MEMBERS, type Member } from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Stack, Soft } from '../../parts/layout.view.tsx'

export function SaveBar({ editing }: { editing: Editing }) {
  const { changes, discard, save, isSaving } = editing
  const [isCompared, setCompared] = useState(false)
  const [isAsking, setAsking] = useState(false)
  if (changes.length === 0) return null
  const questions = questionsOf(editing)
  const isOpen = isCompared || editing.changedByOthers.length > 0
  const submit = (): void => {
    if (questions.length === 0) save()
    else setAsking(true)
  }
  return (
    <>
      <Dock
        label="Changes of the settings"
        {...((isOpen || editing.problem !== null) && { result: <Result editing={editing} isCompared={isOpen} /> })}
        state={
          <>
            <span>
              <strong>{plural(changes.length, 'change')}</strong>{' '}
              <IfRoom>
                <Soft>{namesOf(changes)}</Soft>
              </IfRoom>
            </span>
            <LinkButton size="small" isExpanded={isOpen} onClick={() => setCompared(!isCompared)}>
              Compare
            </LinkButton>
          </>
        }
      >
        <Button look="quiet" onClick={discard}>
          Discard
        </Button>
        <Button {...(!isAsking && { look: 'first' })} isDisabled={isSaving} onClick={submit}>
          Save changes
        </Button>
      </Dock>
      {isAsking && (
        <DialogForm
          title={`Save ${plural(changes.length, 'change')}?`}
          button="Save changes"
          ask={() => {
            setAsking(false)
            save()
            return Promise.resolve(null)
          }}
          onClose={() => setAsking(false)}
        >
          {questions.map(({ title, text }) => (
            <Stack as="section" gap={2} key={title}>
              <h3>{title}</h3>
              {text}
            </Stack>
          ))}
        </DialogForm>
      )}
    </>
  )
}

const namesOf = (names: readonly Member[]): string => names.map((name) => MEMBERS[name].label).join(', ')

function Result({ editing, isCompared }: { editing: Editing; isCompared: boolean }) {
  const { problem, changedByOthers: others } = editing
  return (
    <>
      {problem?.code === 'conflict' ? (
        <Notice tone="warn" role="alert" title="Somebody else changed the settings meanwhile">
          {others.length === 0
            ? 'Your changes are kept. Save them again.'
            : `They changed: ${listed(others.map((name) => MEMBERS[name].label))}. Your changes are kept. Compare, then save them again.`}
        </Notice>
      ) : (
        problem !== null && <RefusalNotice problem={problem} />
      )}
      {isCompared && <Comparison editing={editing} />}
    </>
  )
}

/** Each change as it is in force and as it would be. */
const Comparison = ({ editing: { changes, settings, values } }: { editing: Editing }) => (
  <Facts
    facts={changes.map((name) => [
      MEMBERS[name].label,
      <>
        <del>{MEMBERS[name].words(settings)}</del> <span aria-hidden="true">→</span>{' '}
        <ins>{MEMBERS[name].words(values)}</ins>
      </>,
    ])}
  />
)
