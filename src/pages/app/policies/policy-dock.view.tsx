// Policy page: the dock with the result of the last try and the acts, in the order in which they are done: try, then put in force.
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Dock } from '../../parts/dock.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { held, play } from '../../parts/icons.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import { callsThatChange, changedTitle, type Trial } from './simulated-calls.ts'
import { Soft, Text } from '../../parts/layout.view.tsx'
import { SmallLink } from '../../parts/surfaces.view.tsx'
import { BadgeLink } from '../../parts/badge.view.tsx'
import { Fault } from '../../parts/field-frame.view.tsx'

type Props = {
  trial: Trial
  changes: number
  /** Why the JSON cannot be read, or null. */
  fault: string | null
  /** How many requests a change would withdraw: those that wait, and those that are approved and have not run. */
  waiting: number
  /** True while the dialog is open, whose button is then the filled one. */
  isAsking: boolean
  onDiscard: () => void
  onPut: () => void
}

export function PolicyDock({ trial, changes, fault, waiting, isAsking, onDiscard, onPut }: Props) {
  const { isRunning, last, start, tried, problem } = trial
  const hasResult = isRunning || tried !== null || problem !== null
  const isReady = fault === null
  const isChanged = changes > 0 || !isReady
  return (
    <Dock
      label="Changes of the policy"
      {...(hasResult && { result: <LastTry trial={trial} /> })}
      state={
        <>
          {isReady ? (
            <strong>{changes === 0 ? 'No changes' : plural(changes, 'change')}</strong>
          ) : (
            <Fault of={`The JSON cannot be read: ${fault}`} />
          )}
          {changes > 0 && <SmallLink href="#changes">Compare</SmallLink>}
          {changes > 0 && waiting > 0 && (
            <BadgeLink tone="warn" href={inOrganisation('/app/approvals')}>
              <Icon of={held} />
              <span>
                Withdraws {formatNumber(waiting)}
                <Text isWideOnly> {waiting === 1 ? 'request' : 'requests'}</Text>
              </span>
            </BadgeLink>
          )}
        </>
      }
    >
      {isChanged && (
        <Button look="quiet" onClick={onDiscard}>
          Discard
        </Button>
      )}
      <Button isDisabled={isRunning || !isReady} onClick={() => isReady && start()}>
        <Icon of={play} />
        <span>
          Try<Text isWideOnly> on last {formatNumber(last)} calls</Text>
        </span>
      </Button>
      <Button
        {...(isReady && changes > 0 && !isAsking && { look: 'first' })}
        isDisabled={!isReady || changes === 0}
        onClick={() => isReady && changes > 0 && onPut()}
      >
        Put in force
      </Button>
    </Dock>
  )
}

function LastTry({ trial: { tried, isFresh, isRunning, problem } }: { trial: Trial }) {
  if (problem !== null && !isRunning) return <RefusalNotice problem={problem} />
  if (tried === null) return <Soft>Trying…</Soft>
  const { calls, answers_not_known: answersNotKnown } = tried.simulation
  const result = changedTitle(calls, callsThatChange(tried.simulation).length)
  if (calls === 0) return <Soft>{result}</Soft>
  return (
    <a href="#tried">
      {result}
      {answersNotKnown && ', answers not known'}
      {!isFresh && ', before your last change'}
    </a>
  )
}
