// What to begin with in a new organisation. The list goes when all of it is done, or the organisation is no longer new.
import { useState } from 'preact/hooks'
import { inOrganisation, type Session } from '../../api/session.ts'
import { stepsFor, stepsLooked, type Step } from './first-steps.ts'
import type { Seen } from './load-overview.ts'

export function FirstSteps({ session, seen }: { session: Session; seen: Seen }) {
  const id = session.organisation?.id ?? ''
  const [looked, setLooked] = useState(() => stepsLooked.of(id))
  const steps = stepsFor(session, seen, looked)
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  const look = (step: Step): void => setLooked(stepsLooked.add(id, step.name))
  return (
    <section class="card stack" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <p class="soft">
        {done} of {steps.length} done or opened. What was opened is known to this browser alone.
      </p>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name}>
            <a href={inOrganisation(session, step.path)} onClick={() => look(step)}>
              {step.title}
            </a>{' '}
            <Standing of={step} />
            <br />
            <span class="soft">{step.what}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Standing({ of: { isDone, isLook } }: { of: Step }) {
  if (!isDone) return <span class="badge soft">To do</span>
  return isLook ? <span class="badge soft">Opened</span> : <span class="badge good">Done</span>
}
