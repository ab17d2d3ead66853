// The first steps of a new organisation: those that a person's role and the tier include, and which of them are done.
import type { Permission } from '../../../accounts/access/roles.policy.ts'
import { hasFeature, type Feature } from '../../../policies/tier.policy.ts'
import type { Session } from '../../api/session.ts'
import { mayIn } from '../may-in.ts'
import type { Seen } from './load-overview.ts'

export type Step = { name: string; title: string; what: string; path: string; isDone: boolean; isLook: boolean }

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
    path: '/docs/getting-started#call-a-model',
    permission: 'keys:own',
  },
  {
    name: 'audit',
    title: 'See it in the audit trail',
    what: 'What was decided about it, by which rule, and at which place of the ledger.',
    path: '/app/audit',
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
    what: 'Whoever approves a request is never who asked for it.',
    path: '/app/members',
    permission: 'members:manage',
  },
] as const satisfies readonly (Omit<Step, 'isDone' | 'isLook'> & { permission: Permission; feature?: Feature })[]

type StepName = (typeof STEPS)[number]['name']

/** Nothing tells whether somebody has done these: only that they followed the link, in this browser. */
const LOOKS: ReadonlySet<StepName> = new Set(['audit', 'receipt'])

/** After so many days with calls nobody has to be told how to begin. */
const DAYS_OF_A_NEW_ORGANISATION = 7

/** @param looked the names of those that were opened in this browser */
export function stepsFor(session: Session, seen: Seen, looked: readonly string[]): readonly Step[] {
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
  const tier = session.organisation?.tier ?? 'free'
  const isIncluded = (step: (typeof STEPS)[number]): boolean =>
    mayIn(session, step.permission) && (!('feature' in step) || hasFeature(tier, step.feature))
  return STEPS.filter(isIncluded).map(({ name, title, what, path }) => ({
    name,
    title,
    what,
    path,
    isDone: done[name],
    isLook: LOOKS.has(name),
  }))
}

const keptAs = (organisation: string): string => `first-steps:${organisation}`

/** Kept in this browser. */
export const stepsLooked = {
  of: (organisation: string): readonly string[] => (localStorage.getItem(keptAs(organisation)) ?? '').split(' '),
  add(organisation: string, name: string): readonly string[] {
    const names = [...new Set([...this.of(organisation), name])]
    localStorage.setItem(keptAs(organisation), names.join(' '))
    return names
  },
}
