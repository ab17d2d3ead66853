// The bar that shows while something is changed: what, before and after, and the acts. One save is of the changes of all parts.
import { useState } from 'preact/hooks'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Dock } from '../../parts/dock.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { questionsOf } from './save-questions.view.tsx'
import { MEMBERS, type Member } from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Stack, Row } from '../../parts/layout.view.tsx'

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
              <strong>{plural(changes.length, 'change')}</strong> <span class="soft wide">{namesOf(changes)}</span>
            </span>
            <button type="button" class="as-link small" aria-expanded={isOpen} onClick={() => setCompared(!isCompared)}>
              Compare
            </button>
          </>
        }
      >
        <button type="button" class="button quiet" onClick={discard}>
          Discard
        </button>
        <Button {...(!isAsking && { look: 'first' })} isDisabled={isSaving} onClick={submit}>
          Save changes
        </Button>
      </Dock>
      {isAsking && (
        <Dialog title={`Save ${plural(changes.length, 'change')}?`} onClose={() => setAsking(false)}>
          {questions.map(({ title, text }) => (
            <Stack as="section" gap={2} key={title}>
              <h3>{title}</h3>
              {text}
            </Stack>
          ))}
          <Row as="p">
            <Button
              look="first"
              onClick={() => {
                setAsking(false)
                save()
              }}
            >
              Save changes
            </Button>
            <Button onClick={() => setAsking(false)}>Go back</Button>
          </Row>
        </Dialog>
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
  <dl class="facts before-after">
    {changes.map((name) => (
      <>
        <dt>{MEMBERS[name].label}</dt>
        <dd>
          <del>{MEMBERS[name].words(settings)}</del> <span aria-hidden="true">→</span>{' '}
          <ins>{MEMBERS[name].words(values)}</ins>
        </dd>
      </>
    ))}
  </dl>
)
