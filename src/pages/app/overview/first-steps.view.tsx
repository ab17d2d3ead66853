// Overview page: the first steps of a new organisation. The list disappears when all are done, or after a week of calls.
import type { Permission } from '../../../accounts/access/roles.policy.ts'
import { hasFeature, type Feature } from '../../../policies/tier.policy.ts'
import { hasPermission, inOrganisation, session } from '../session.ts'
import type { OverviewData } from './load-overview.ts'
import { useState } from 'preact/hooks'
import { Section } from '../../parts/page-blocks.view.tsx'

export function FirstSteps({ seen }: { seen: OverviewData }) {
  const id = session().organisation?.id ?? ''
  const [looked, setLooked] = useState(() => followedSteps.of(id))
  const steps = stepsFor(seen, looked)
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  const look = (step: Step): void => setLooked(followedSteps.add(id, step.name))
  return (
    <Section title="First steps" isCard>
      <p class="soft">
        {done} of {steps.length} done or opened. What was opened is known to this browser alone.
      </p>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name}>
            <a href={inOrganisation(step.path)} onClick={() => look(step)}>
              {step.title}
            </a>{' '}
            <StepState of={step} />
            <br />
            <span class="soft">{step.what}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function StepState({ of: { isDone, isByLink } }: { of: Step }) {
  if (!isDone) return <span class="badge soft">To do</span>
  return isByLink ? <span class="badge soft">Opened</span> : <span class="badge good">Done</span>
}

type Step = { name: string; title: string; what: string; path: string; isDone: boolean; isByLink: boolean }

const STEPS = [
  {
    name: 'key',
    title: 'Create a key',
    what: 'Programs call models with it. It is shown once.',
    path: '/app/keys',
    permission: 'keys:own',
  },
  {
    name: 'request',
    title: 'Send a request',
    what: 'Point an OpenAI client at this service, or paste the line that comes with the key.',
    path: '/docs/start-developer#call-a-model',
    permission: 'keys:own',
  },
  {
    name: 'audit',
    title: 'See it in the list of calls',
    what: 'What was decided about it, by which rule, and at which place of the ledger.',
    path: '/app/calls',
    permission: 'audit:read',
    feature: 'audit_trail',
  },
  {
    name: 'receipt',
    title: 'Verify a receipt',
    what: 'Paste the answer of a call: its record is checked in your browser, and nothing of it leaves the page.',
    path: '/verify',
    permission: 'usage:read',
  },
  {
    name: 'person',
    title: 'Invite a person',
    what: 'Nobody approves a request of their own.',
    path: '/app/members',
    permission: 'members:manage',
  },
] as const satisfies readonly (Omit<Step, 'isDone' | 'isByLink'> & { permission: Permission; feature?: Feature })[]

type StepName = (typeof STEPS)[number]['name']

/** The steps that the service does not record. They count as done if this browser has followed their link. */
const STEPS_BY_LINK: ReadonlySet<StepName> = new Set(['audit', 'receipt'])

/** The number of days with calls after which an organisation needs no first steps. */
const DAYS_OF_A_NEW_ORGANISATION = 7

/** Returns the steps with their state. @param looked the steps whose link was followed in this browser */
function stepsFor(seen: OverviewData, looked: readonly string[]): readonly Step[] {
  const { keys, figures, people } = seen
  const days = figures?.requests.data.filter(({ requests }) => requests > 0).length ?? 0
  const isOld = days > DAYS_OF_A_NEW_ORGANISATION
  const isCalled =
    (figures?.requests.totals.requests ?? 0) > 0 || (keys?.data ?? []).some((key) => key.last_used_at !== null)
  const done: Readonly<Record<StepName, boolean>> = {
    key: (keys?.data ?? []).length > 0,
    request: isCalled,
    audit: isOld || looked.includes('audit'),
    receipt: isOld || looked.includes('receipt'),
    person: isOld || (people ?? 0) > 1,
  }
  const tier = session().organisation?.tier ?? 'free'
  const isIncluded = (step: (typeof STEPS)[number]): boolean =>
    hasPermission(step.permission) && (!('feature' in step) || hasFeature(tier, step.feature))
  return STEPS.filter(isIncluded).map(({ name, title, what, path }) => ({
    name,
    title,
    what,
    path,
    isDone: done[name],
    isByLink: STEPS_BY_LINK.has(name),
  }))
}

const storageKey = (organisation: string): string => `first-steps:${organisation}`

/** Stores the followed links in this browser. */
const followedSteps = {
  of: (organisation: string): readonly string[] => (localStorage.getItem(storageKey(organisation)) ?? '').split(' '),
  add(organisation: string, name: string): readonly string[] {
    const names = [...new Set([...this.of(organisation), name])]
    localStorage.setItem(storageKey(organisation), names.join(' '))
    return names
  },
}
