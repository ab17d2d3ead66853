// Policy page: the dock with the result of the last try and the acts, in the order in which they are done: try, then put in force.
import { outcomeName } from '../../../evidence/records/call-endings.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Dock } from '../../parts/dock.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { held, play } from '../../parts/icons.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { inOrganisation } from '../session.ts'
import { OutcomeSplit } from './outcome-split.view.tsx'
import { callsThatChange, compareEnds, END_NAMES } from './simulated-calls.ts'
import type { Trial } from './use-policy-trial.ts'
import { Soft } from '../../parts/layout.view.tsx'

type Props = {
  trial: Trial
  changes: number
  /** Why the JSON cannot be read, or null. */
  fault: string | null
  /** How many waiting requests a change would withdraw. */
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
            <span class="fault">The JSON cannot be read: {fault}</span>
          )}
          {changes > 0 && (
            <a class="small" href="#changes">
              Compare
            </a>
          )}
          {changes > 0 && waiting > 0 && (
            <a class="badge warn" href={inOrganisation('/app/approvals')}>
              <Icon of={held} />
              <span>
                Withdraws {formatNumber(waiting)}
                <span class="wide"> waiting {waiting === 1 ? 'request' : 'requests'}</span>
              </span>
            </a>
          )}
        </>
      }
    >
      {isChanged && (
        <button type="button" class="button quiet" onClick={onDiscard}>
          Discard
        </button>
      )}
      <Button isDisabled={isRunning || !isReady} onClick={() => isReady && start()}>
        <Icon of={play} />
        <span>
          Try<span class="wide"> on last {formatNumber(last)} calls</span>
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
  const { calls, data, answers_not_known: answersNotKnown } = tried.simulation
  if (calls === 0) return <Soft>There is no call of the last seven days to try it on.</Soft>
  const count = callsThatChange(tried.simulation).length
  const { after } = compareEnds(data)
  return (
    <>
      <Soft>
        {calls < tried.last
          ? `${plural(calls, 'call')} of the last 7 days could be tried`
          : `Last ${plural(calls, 'call')}`}
      </Soft>
      <OutcomeSplit counts={after} />
      <ul class="legend small">
        {END_NAMES.map((end, at) => (
          <li key={end}>
            <span class={`swatch mark-${at + 1}`} />
            {outcomeName(end)} <b>{formatNumber(after[end])}</b>
          </li>
        ))}
      </ul>
      {isFresh ? (
        <a href="#tried">
          {count === 0 ? 'None would change' : `${formatNumber(count)} would change`}
          {answersNotKnown && ', answers not known'}
        </a>
      ) : (
        <a class="badge warn" href="#tried">
          Changed since
        </a>
      )}
    </>
  )
}
