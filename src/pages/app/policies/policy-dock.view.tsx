// Policy page: the dock with the result of the last try and the acts, in the order in which they are done: try, then put in force.
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Dock } from '../../parts/dock.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { held, play } from '../../parts/icons.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import { areAnswersNotKnown, trialTitle, type Trial, type Untried } from './simulated-calls.ts'
import { Soft, Text } from '../../parts/layout.view.tsx'
import { SmallLink } from '../../parts/surfaces.view.tsx'
import { BadgeLink } from '../../parts/badge.view.tsx'
import { Fault } from '../../parts/field-frame.view.tsx'

type Props = {
  trial: Trial
  untried: Untried
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

export function PolicyDock({ trial, untried, changes, fault, waiting, isAsking, onDiscard, onPut }: Props) {
  const { isRunning, last, start, tried, problem } = trial
  const isReady = fault === null
  if (changes === 0 && isReady) return null
  const hasResult = untried.words !== '' || isRunning || tried !== null || problem !== null
  const canTry = isReady && !isRunning && !untried.isAll
  const canPut = isReady && changes > 0
  return (
    <Dock
      label="Changes of the policy"
      {...(isReady && hasResult && { result: <LastTry trial={trial} untried={untried} /> })}
      state={
        <>
          {isReady ? <strong>{plural(changes, 'change')}</strong> : <Fault of={`The JSON cannot be read: ${fault}`} />}
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
      <Button look="quiet" onClick={onDiscard}>
        Discard
      </Button>
      <Button isDisabled={!canTry} onClick={() => canTry && start()}>
        <Icon of={play} />
        <span>
          Try<Text isWideOnly> on last {formatNumber(last)} calls</Text>
        </span>
      </Button>
      <Button {...(canPut && !isAsking && { look: 'first' })} isDisabled={!canPut} onClick={() => canPut && onPut()}>
        Put in force
      </Button>
    </Dock>
  )
}

/** What cannot be tried comes first: no count is a claim about it. */
const LastTry = ({ trial: { tried, isRunning, problem }, untried }: Pick<Props, 'trial' | 'untried'>) => (
  <>
    {untried.words}
    {isRunning && <Soft>Trying…</Soft>}
    {!isRunning && problem !== null && <RefusalNotice problem={problem} />}
    {!isRunning && tried !== null && (
      <a href="#tried">
        {trialTitle(tried.simulation, untried)}
        {areAnswersNotKnown(tried.simulation, untried) && ', answers not known'}
      </a>
    )}
  </>
)
