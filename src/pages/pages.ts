// The pages that one script draws. The HTML, the menu and the permissions that a page needs follow from these tables.
import type { Permission } from '../accounts/access/roles.policy.ts'

type DrawnPage = {
  /** The title and the heading. */
  title: string
  /** The sentence below the heading. */
  lead?: string
  /** The module that draws the page, in this folder. */
  script: string
  /** The room kept until the page is drawn, so that nothing below jumps. */
  room?: 'tall' | 'taller'
}

export type DashboardPage = DrawnPage & {
  /** A permission in the organisation; `membership` is any role; `session` is everybody who has signed in. */
  needs: Permission | 'membership' | 'session'
  /** The noun in “Your role does not include …”. */
  what?: string
  isInMenu?: false
}

/** Pages by path, in the order of the menu. */
export const DASHBOARD_PAGES = {
  '/app': { title: 'Overview', needs: 'membership', script: 'app/overview/overview.page.tsx' },
  '/app/analytics': {
    title: 'Analytics',
    lead: 'How many calls there were, how they ended and what they cost, counted from the ledger.',
    needs: 'usage:read',
    what: 'analytics',
    script: 'app/analytics/analytics.page.tsx',
  },
  '/app/keys': { title: 'Keys', needs: 'keys:read', what: 'keys', script: 'app/keys/keys.page.tsx' },
  '/app/approvals': {
    title: 'Approvals',
    needs: 'approvals:read',
    what: 'approvals',
    script: 'app/approvals/approvals.page.tsx',
  },
  '/app/policies': {
    title: 'Policies',
    needs: 'policies:read',
    what: 'policies',
    script: 'app/policies/policies.page.tsx',
  },
  '/app/audit': {
    title: 'Audit trail',
    needs: 'audit:read',
    what: 'the audit trail',
    script: 'app/audit/audit.page.tsx',
  },
  '/app/receipts': {
    title: 'Receipts',
    needs: 'receipts:read',
    what: 'medical receipts',
    script: 'app/receipts/receipts.page.tsx',
  },
  '/app/compliance': {
    title: 'Compliance',
    needs: 'audit:read',
    what: 'compliance',
    script: 'app/compliance/compliance.page.tsx',
  },
  '/app/anomalies': {
    title: 'Anomalies',
    needs: 'audit:read',
    what: 'bias detection',
    script: 'app/anomalies/anomalies.page.tsx',
  },
  '/app/members': { title: 'Members', needs: 'membership', script: 'app/members/members.page.tsx', room: 'tall' },
  '/app/settings': {
    title: 'Settings',
    lead: 'Where the organisation’s text may go, what it may spend, what is kept and for how long, and how all of it is taken away or erased.',
    needs: 'membership',
    script: 'app/settings/settings.page.tsx',
  },
  '/app/account': { title: 'Your account', needs: 'session', script: 'app/account/account.page.tsx', room: 'tall' },
  '/app/organisation': {
    title: 'Found an organisation',
    needs: 'session',
    script: 'app/organisation/organisation.page.tsx',
    room: 'tall',
    isInMenu: false,
  },
} as const satisfies Readonly<Record<string, DashboardPage>>

export type DashboardPath = keyof typeof DASHBOARD_PAGES

/** Pages by path for people who have not signed in. */
export const ENTRANCE_PAGES: Readonly<Record<string, DrawnPage>> = {
  '/sign-in': { title: 'Sign in', script: 'entrance/sign-in.page.tsx', room: 'tall' },
  '/sign-up': { title: 'Sign up', script: 'entrance/sign-up.page.tsx', room: 'taller' },
  '/confirm': { title: 'Confirm your address', script: 'entrance/confirm.page.tsx', room: 'tall' },
  '/reset': { title: 'Set a new password', script: 'entrance/reset.page.tsx', room: 'tall' },
  '/invite': { title: 'Accept an invitation', script: 'entrance/invite.page.tsx', room: 'taller' },
}
