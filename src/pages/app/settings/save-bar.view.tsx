// The bar that shows while something is changed: what, before and after, and the acts. One save is of the changes of all parts.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { retentionWarningText, SIX_MONTHS_DAYS } from '../../../policies/log-retention.policy.ts'
import { tierPlan } from '../../../policies/tier.policy.ts'
import type { Problem } from '../../api/send-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { Dock } from '../../parts/dock.view.tsx'
import { Notice, Facts } from '../../parts/page-blocks.view.tsx'
import { formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { listed } from '../../text/reword-text.ts'
import { isMember, MEMBERS, type Member } from './settings-members.ts'
import type { Editing } from './use-settings-editing.ts'
import { Soft, Stack, Text } from '../../parts/layout.view.tsx'

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
              <Text isWideOnly>
                <Soft>{namesOf(changes)}</Soft>
              </Text>
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
      {problem?.param === 'if_version' ? (
        <Notice tone="warn" role="alert" title="Somebody else changed the settings meanwhile">
          {others.length === 0
            ? 'Your changes are kept. Save them again.'
            : `They changed: ${listed(others.map((name) => MEMBERS[name].label))}. Your changes are kept. Compare, then save them again.`}
        </Notice>
      ) : (
        problem !== null && <RefusalNotice problem={labelled(problem)} />
      )}
      {isCompared && <Comparison editing={editing} />}
    </>
  )
}

/** Says each fault of a setting by the setting's label. */
const labelled = (problem: Problem): Problem =>
  problem.fields.length === 0
    ? problem
    : {
        ...problem,
        message: problem.fields
          .map(({ path, rule }) => `${isMember(path) ? MEMBERS[path].label : path}: ${rule}.`)
          .join(' '),
        fields: [],
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

/** What is asked before a change is saved: what it refuses or shortens from then on. */
type Question = { title: string; text: ComponentChildren }

const questionsOf = (editing: Editing): readonly Question[] =>
  [providersOff, lowerBudget, shorterRetention].flatMap((ask) => ask(editing) ?? [])

function providersOff({ settings, values }: Editing): Question | null {
  const off = settings.enabled_providers.filter((id) => !values.enabled_providers.includes(id)).map(providerLabel)
  if (off.length === 0) return null
  return {
    title: `Turn ${listed(off)} off`,
    text: <p>From the next call on, calls to models of {listed(off)} are blocked. Calls under way are not ended.</p>,
  }
}

function lowerBudget({ settings, values }: Editing): Question | null {
  const [before, after] = [settings.monthly_budget_eur, values.monthly_budget_eur]
  if (after === null || after < 0 || (before !== null && after >= before)) return null
  return {
    title: 'Set a lower budget',
    text: (
      <p>
        From the next call on, calls are refused once what this month has cost and what is under way come to{' '}
        {formatExactEuro(after)}. If this month has cost more already, every call that costs anything is refused until
        the next one. Calls under way are not ended.
      </p>
    ),
  }
}

function shorterRetention({ settings, values }: Editing): Question | null {
  const from = settings.limits.retention_days
  const to = values.retention_days ?? tierPlan(settings.tier).retentionDays
  if (to >= from) return null
  return {
    title: 'Keep details for a shorter time',
    text: (
      <Stack gap={2}>
        <p>
          Details of calls that are made from now on go after {plural(to, 'day')} in the place of {formatNumber(from)}:
          the record with its reason and use case, how the call ended, the steps of its approval. What is there already
          keeps the day on which it goes, so nothing is deleted today.
        </p>
        <p>
          Going back to {formatNumber(from)} later brings nothing back. Hashes stay for ever, so a record that somebody
          kept can still be shown to be in the log.
        </p>
        {to < SIX_MONTHS_DAYS && <p>{retentionWarningText({ retentionDays: to, isHighRisk: false })}</p>}
      </Stack>
    ),
  }
}
